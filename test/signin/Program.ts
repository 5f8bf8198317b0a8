import { createHash, randomBytes } from "node:crypto"
import type { Browser } from "./Browser.ts"
import { password } from "./SignInServer.ts"

export const callback = "http://127.0.0.1:4711/callback"
export const allScopes = ["read:lists", "write:lists", "read:things", "write:things", "search"]

const s256 = (verifier: string): string => createHash("sha256").update(verifier).digest("base64url")

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- compared field by field
  readonly body: any
}

const answerOf = async (response: Response): Promise<Answer> => {
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) }
}

/** A hand-written client of the protocol, which can also send invalid requests. */
export class Program {
  readonly url: string
  constructor(url: string) {
    this.url = url
  }

  async register(metadata: unknown): Promise<Answer> {
    return answerOf(
      await fetch(`${this.url}/oauth/register`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(metadata)
      })
    )
  }

  async registered(redirectUris: ReadonlyArray<string> = ["http://127.0.0.1/callback"], name = "Test program") {
    const { status, body } = await this.register({ client_name: name, redirect_uris: redirectUris })
    if (status !== 201) throw new Error(JSON.stringify(body))
    return body.client_id as string
  }

  /** The path of an authorization request; `undefined` omits a parameter. */
  authorizePath(clientId: string, verifier: string, others: Record<string, string | undefined> = {}): string {
    const all = {
      response_type: "code",
      client_id: clientId,
      redirect_uri: callback,
      code_challenge: s256(verifier),
      code_challenge_method: "S256",
      resource: `${this.url}/mcp`,
      scope: allScopes.join(" "),
      state: "a state",
      ...others
    }
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(all)) if (value !== undefined) query.append(name, value)
    return `/oauth/authorize?${query}`
  }

  async form(path: string, fields: Record<string, string | undefined>, headers: Record<string, string> = {}) {
    const body = new URLSearchParams()
    for (const [name, value] of Object.entries(fields)) if (value !== undefined) body.append(name, value)
    return answerOf(await fetch(`${this.url}${path}`, { method: "POST", body, headers }))
  }

  /** The fields to exchange a code to which the person of a browser has just consented. */
  async code(browser: Browser, email: string, clientId: string, others: Record<string, string | undefined> = {}) {
    const verifier = randomBytes(32).toString("base64url")
    const path = this.authorizePath(clientId, verifier, others)
    const answered = await browser.consent(path, { email, password })
    return {
      grant_type: "authorization_code",
      code: answered.searchParams.get("code") ?? "",
      client_id: clientId,
      redirect_uri: others["redirect_uri"] ?? callback,
      code_verifier: verifier,
      resource: `${this.url}/mcp`
    }
  }

  token(fields: Record<string, string | undefined>): Promise<Answer> {
    return this.form("/oauth/token", fields)
  }

  refresh(clientId: string, refreshToken: string): Promise<Answer> {
    return this.token({ grant_type: "refresh_token", client_id: clientId, refresh_token: refreshToken })
  }

  /** Calls a tool over `/mcp`. */
  async call(token: string, name: string, args: object = {}): Promise<Answer> {
    return this.rpc(token, "tools/call", { name, arguments: args })
  }

  async rpc(token: string | undefined, method: string, params: object = {}): Promise<Answer> {
    return answerOf(
      await fetch(`${this.url}/mcp`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2025-11-25",
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` })
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
      })
    )
  }

  async rest(token: string, path = "/lists"): Promise<Answer> {
    return answerOf(await fetch(`${this.url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } }))
  }
}
