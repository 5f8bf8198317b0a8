import { once } from "node:events"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"

/**
 * Stand-ins for the services in the recipes of docs/webhooks.md. Each implements the part of its protocol that a sender
 * uses, and records what its users would see.
 */
export interface StandIn<Shown> {
  readonly url: string
  readonly shown: ReadonlyArray<Shown>
  readonly stop: () => Promise<void>
}

interface Reply {
  readonly status: number
  readonly type?: string
  readonly body?: string
}

const standIn = async <Shown>(
  path: string,
  answer: (request: IncomingMessage, body: string, show: (shown: Shown) => void) => Reply
): Promise<StandIn<Shown>> => {
  const shown: Array<Shown> = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { body: answered = "", status, type = "text/plain" } = answer(request, body, (each) => shown.push(each))
      response.writeHead(status, { "content-type": type }).end(answered)
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    shown,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    }
  }
}

/** Decodes RFC 2047 like Go's `mime.WordDecoder`, which joins adjacent encoded words. */
const decodeWords = (header: string): string =>
  header
    .replaceAll(/\?=\s+=\?/g, "?==?")
    .replaceAll(/=\?utf-8\?b\?([^?]*)\?=/gi, (_, base64: string) => Buffer.from(base64, "base64").toString("utf8"))

export interface Notification {
  readonly topic: string
  readonly title: string
  readonly message: string
  readonly tags: ReadonlyArray<string>
  readonly click: string
}

/** ntfy: a topic accepts a text with headers, and answers with the message (docs.ntfy.sh/publish). */
export const ntfy = (topic: string, login?: string): Promise<StandIn<Notification>> =>
  standIn(`/${topic}`, ({ headers, method, url }, body, show) => {
    const named = /^\/([-_A-Za-z0-9]{1,64})$/.exec(url ?? "")?.[1]
    const json = (status: number, value: object) => ({ status, type: "application/json", body: JSON.stringify(value) })
    if (named === undefined || (method !== "POST" && method !== "PUT"))
      return json(404, { code: 40401, http: 404, error: "page not found" })
    if (login !== undefined && headers.authorization !== `Basic ${btoa(login)}`)
      return json(403, { code: 40301, http: 403, error: "forbidden" })
    const header = (name: string) => decodeWords(String(headers[name] ?? ""))
    const isAttached = Buffer.byteLength(body) > 4_096
    const message = {
      topic: named,
      title: header("title"),
      message: isAttached ? "You received a file: attachment.txt" : body === "" ? "triggered" : body,
      tags: header("tags").split(",").filter(Boolean),
      click: header("click")
    }
    show(message)
    return json(200, { id: "xE73Iyuabi", time: 1_795_350_000, event: "message", ...message })
  })

/** The variable `trigger` in templates of a Home Assistant automation. */
export interface Trigger {
  readonly platform: "webhook"
  readonly webhook_id: string
  readonly json?: unknown
  readonly data?: Readonly<Record<string, string>>
}

/** Home Assistant: the webhook trigger accepts POST and PUT, and answers an empty 200 to known and unknown ids. */
export const homeAssistant = (id: string): Promise<StandIn<Trigger>> =>
  standIn(`/api/webhook/${id}`, ({ headers, method, url }, body, show) => {
    const known = /^\/api\/webhook\/([^/?]+)/.exec(url ?? "")?.[1]
    if (known !== id) return { status: 200 }
    if (method !== "POST" && method !== "PUT") return { status: method === "HEAD" ? 200 : 405 }
    const isJson = String(headers["content-type"] ?? "").includes("json")
    const read = () => (body === "" ? {} : (JSON.parse(body) as unknown))
    const form = () =>
      Object.fromEntries(new URLSearchParams(String(headers["content-type"]).includes("form") ? body : ""))
    show({ platform: "webhook", webhook_id: id, ...(isJson ? { json: read() } : { data: form() }) })
    return { status: 200 }
  })

/** A chat with Slack's incoming webhooks, as Mattermost and others have them: `{ "text" }` is answered with `ok`. */
export const chat = (): Promise<StandIn<string>> =>
  standIn("/hooks/xxx-generatedkey-xxx", ({ headers, method, url }, body, show) => {
    if (url !== "/hooks/xxx-generatedkey-xxx") return { status: 404, body: "no_service" }
    if (method !== "POST" || !String(headers["content-type"]).startsWith("application/json"))
      return { status: 400, body: "invalid_payload" }
    const payload = JSON.parse(body) as { readonly text?: unknown }
    if (typeof payload.text !== "string" || payload.text === "") return { status: 400, body: "no_text" }
    // A chat interprets `<…>` as a link or a mention, and the rest as text.
    const read = payload.text.replaceAll(/<!(channel|here|everyone)>/g, "@$1 IS CALLED")
    show(read.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"))
    return { status: 200, body: "ok" }
  })
