import type { Json } from "./Clients.ts"
import type { McpServer } from "./McpServer.ts"

export const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }

interface PostOptions {
  readonly token?: string
  readonly headers?: Record<string, string>
}

/** Posts a message as clients do; a text is sent as it is. */
export const postTo = (at: McpServer, body: unknown, { token, headers: more = {} }: PostOptions = {}) =>
  fetch(`${at.url}/mcp`, {
    method: "POST",
    headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...more },
    body: typeof body === "string" ? body : JSON.stringify(body)
  })

export const toolCall = (name: string, args: object = {}, id: number | string = 1) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args }
})

export const listTools = { jsonrpc: "2.0", id: 1, method: "tools/list" }

/** The tools that an answer to `listTools` names. */
export const namesOf = async (response: Response) =>
  ((await response.json()) as Json).result.tools.map((tool: Json) => tool.name) as ReadonlyArray<string>
