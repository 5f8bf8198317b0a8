import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { callback } from "./Program.ts"

export const sdkKinds = ["@modelcontextprotocol/client", "@modelcontextprotocol/sdk"] as const
export type SdkKind = (typeof sdkKinds)[number]

/** The data that a client stores for its sign-in, and the address to which it sends its user. */
export class Provider {
  readonly redirectUrl: string
  readonly clientMetadata: object
  constructor(redirectUrl = callback) {
    this.redirectUrl = redirectUrl
    this.clientMetadata = {
      client_name: "Example assistant",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none"
    }
  }
  /* oxlint-disable typescript/no-explicit-any -- the SDKs' own forms, which differ */
  client: any
  kept: any
  discovery: any
  verifier = ""
  wanted: URL | undefined
  states = 0

  state = () => `state-${++this.states}`
  clientInformation = () => this.client
  saveClientInformation = (client: any) => void (this.client = client)
  tokens = () => this.kept
  saveTokens = (tokens: any) => void (this.kept = tokens)
  redirectToAuthorization = (url: URL) => void (this.wanted = url)
  saveCodeVerifier = (verifier: string) => void (this.verifier = verifier)
  codeVerifier = () => this.verifier
  saveDiscoveryState = (state: any) => void (this.discovery = state)
  discoveryState = () => this.discovery
  invalidateCredentials = (what: string) => {
    if (what === "all" || what === "client") this.client = undefined
    if (what === "all" || what === "tokens") this.kept = undefined
    if (what === "all" || what === "discovery") this.discovery = undefined
  }
  /* oxlint-enable typescript/no-explicit-any */
}

/** Records a line for each request of a client and its answer, without secrets. */
export class Transcript {
  readonly lines: Array<string> = []

  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init)
    const sent = await request.clone().text()
    const response = await fetch(request)
    const answer = await response.clone().text()
    const { pathname } = new URL(request.url)
    this.lines.push(`→ ${request.method} ${pathname}${sent === "" ? "" : `  ${said(pathname, sent)}`}`)
    const challenge = response.headers.get("www-authenticate")
    const told =
      challenge === null ? (pathname === "/mcp" ? result(answer) : hidden(answer)) : `WWW-Authenticate: ${challenge}`
    this.lines.push(`← ${response.status}  ${short(told)}`)
    return response
  }

  note(text: string): void {
    this.lines.push("", `# ${text}`)
  }
}

const hidden = (text: string): string =>
  text.replaceAll(/(lat_[ar][tc]_)[\w-]+/g, "$1…").replaceAll(/((?:code_verifier|code)=)(?!lat_)[\w.~-]+/g, "$1…")
const short = (text: string): string => (text.length > 420 ? `${text.slice(0, 420)}…` : text)

const said = (path: string, body: string): string => {
  if (path !== "/mcp") return short(hidden(decodeURIComponent(body)))
  const { method, params } = JSON.parse(body)
  return method === "tools/call" ? `tools/call ${params.name} ${JSON.stringify(params.arguments)}` : method
}

const result = (text: string): string => {
  if (text === "") return ""
  const { error, result } = JSON.parse(text)
  if (error !== undefined) return JSON.stringify(error)
  if (result.tools !== undefined) return `${result.tools.length} tools`
  return JSON.stringify(result.structuredContent ?? { serverInfo: result.serverInfo })
}

interface Session {
  readonly call: (name: string, args: object) => Promise<unknown>
  readonly tools: () => Promise<number>
  readonly close: () => Promise<void>
}

export interface Connecting {
  readonly session: Promise<Session>
  /** Finishes the sign-in with the URL at which the client was called. */
  readonly finish: (answered: URL) => Promise<void>
}

/** Connects the SDK's client, which signs in with the provider's data. */
export const connecting = (kind: SdkKind, url: string, provider: Provider, transcript: Transcript): Connecting => {
  const [address, info] = [new URL(`${url}/mcp`), { name: "example-assistant", version: "1.0.0" }]
  const options = { authProvider: provider, fetch: transcript.fetch }
  /* oxlint-disable typescript/no-explicit-any -- one shape for two SDKs */
  const transport: any =
    kind === "@modelcontextprotocol/client"
      ? new StreamableHTTPClientTransport(address, options as any)
      : new OldTransport(address, options as any)
  const client: any = kind === "@modelcontextprotocol/client" ? new Client(info) : new OldClient(info)
  /* oxlint-enable typescript/no-explicit-any */
  const session = (async () => {
    await client.connect(transport)
    return {
      call: async (name: string, args: object) => (await client.callTool({ name, arguments: args })).structuredContent,
      tools: async () => (await client.listTools()).tools.length as number,
      close: () => client.close() as Promise<void>
    }
  })()
  const finish = (answered: URL): Promise<void> =>
    kind === "@modelcontextprotocol/client"
      ? transport.finishAuth(answered.searchParams)
      : transport.finishAuth(answered.searchParams.get("code"), answered.searchParams.get("iss") ?? undefined)
  return { session, finish }
}
