import { request as send } from "node:http"
import { text } from "node:stream/consumers"
import { Authenticator } from "@lists-and-things/mcp/Authenticator"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { makeWebHandler } from "@lists-and-things/mcp/http/Http"
import { allTools } from "@lists-and-things/mcp/Toolbox"
import { BaseUrl } from "@lists-and-things/web/BaseUrl"
import { CurrentReservation } from "@lists-and-things/domain/size/AnswerBudget"
import { Context, Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { type Json, overHttp } from "./Clients.ts"
import { type McpServer, startServer } from "./McpServer.ts"
import { headers, listTools, namesOf, postTo, toolCall } from "./Messages.ts"

let server: McpServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const post = (body: unknown, options?: Parameters<typeof postTo>[2]) => postTo(server, body, options)

it("an answer has a Content-Length", async () => {
  const { token } = await server.person()
  const answer = await post(toolCall("list_tags"), { token })
  expect(answer.headers.get("content-length")).toBe(String((await answer.arrayBuffer()).byteLength))
})

it("an account whose answers use up its memory budget gets a 503 before anything is done", async () => {
  const { token } = await server.person()
  const site = Layer.succeed(BaseUrl, { url: "http://lists.test" })
  const making = Effect.provide(makeWebHandler({ tools: allTools }), [Authenticator.layerApiKeys, site])
  const handler = await server.run(making)
  const call = new Request("http://lists.test/mcp", {
    method: "POST",
    headers: { ...headers, host: "lists.test", authorization: `Bearer ${token}` },
    body: JSON.stringify(toolCall("create_thing", { text: "too many" }))
  })
  const full = {
    chargeTo: () => {},
    fitsWrite: () => false,
    resize: () => false,
    whenAvailable: () => () => {},
    end: () => {}
  }
  const answer = await handler(call, Context.make(CurrentReservation, full))
  expect([answer.status, answer.headers.get("retry-after")]).toStrictEqual([503, "1"])
  expect(((await answer.json()) as Json).error.message).toContain("nothing was changed")
})

describe("requests that are not for this server", () => {
  const raw = (given: Record<string, string>, method = "POST") =>
    new Promise<number | string>((resolve, reject) => {
      const request = send(`${server.url}/mcp`, { method, headers: given }, async (response) => {
        const body = JSON.parse(await text(response)) as Json
        resolve(response.statusCode === 403 ? body.error.message : (response.statusCode ?? 0))
      })
      request.on("error", reject).end("{}")
    })

  it("a foreign Host, or a foreign Origin: 403", async () => {
    expect(await raw({ ...headers, host: "evil.example" })).toMatch(/Host header "evil\.example": .*PUBLIC_URL/)
    expect(await raw({ ...headers, host: "lists.test" })).toBe(401)
    expect(await raw({ ...headers, origin: "https://evil.example" })).toContain('the Origin "https://evil.example"')
    expect(await raw({ ...headers, origin: "null" })).toContain('the Origin "null"')
    expect(await raw({ ...headers, origin: "http://localhost:6274" })).toBe(401)
  })

  it("another method: 405; a preflight is answered", async () => {
    for (const method of ["GET", "DELETE", "PUT"]) {
      const response = await fetch(`${server.url}/mcp`, { method })
      expect([response.status, response.headers.get("allow")]).toEqual([405, "POST, OPTIONS"])
    }
    expect(await raw(headers, "TRACE")).toBe(405)
    const preflight = await fetch(`${server.url}/mcp`, {
      method: "OPTIONS",
      headers: { origin: "http://localhost:6274", "access-control-request-headers": "authorization, mcp-method" }
    })
    expect([preflight.status, preflight.headers.get("access-control-allow-headers")]).toEqual([
      204,
      "authorization, mcp-method"
    ])
    expect(preflight.headers.get("access-control-allow-methods")).toBe("POST, OPTIONS")
    expect(preflight.headers.get("access-control-max-age")).toBe("86400")
  })

  it("an Origin that is let in may read the answer and its limits, and no cache gives it to another", async () => {
    const { token } = await server.person()
    const origin = "http://localhost:6274"
    const { headers: told } = await post(toolCall("list_tags"), { token, headers: { origin } })
    expect([told.get("access-control-allow-origin"), told.get("vary")]).toStrictEqual([origin, "Origin"])
    const exposed = told.get("access-control-expose-headers")?.split(", ") ?? []
    expect(exposed).toEqual(expect.arrayContaining(["WWW-Authenticate", "Retry-After", "X-RateLimit-Remaining"]))
    const { headers: outside } = await post(toolCall("list_tags"), { token })
    expect(outside.get("access-control-allow-origin")).toBeNull()
    // Clients of the older protocols try GET after they have connected, and go on without its stream after a 405.
    const { headers: refused } = await fetch(`${server.url}/mcp`, { headers: { origin } })
    expect(refused.get("access-control-allow-origin")).toBe(origin)
  })

  it("bodies that are not a message: 4xx and JSON", async () => {
    const { token } = await server.person()
    const refused = async (body: string | object, status: number, more: Record<string, string> = {}) => {
      const response = await post(body, { token, headers: more })
      expect(response.status).toBe(status)
      expect(((await response.json()) as Json).error.message).toEqual(expect.any(String))
    }
    await refused("{", 400)
    await refused("[".repeat(70) + "]".repeat(70), 400)
    await refused({ hello: 1 }, 400)
    const malformed = await post({ jsonrpc: "2.0", id: 7, method: "tools/call", params: [] }, { token })
    expect([malformed.status, await malformed.json()]).toEqual([
      400,
      {
        jsonrpc: "2.0",
        id: 7,
        error: {
          code: -32_600,
          message: `The body must be one JSON-RPC message: params must be an object, not an array of 0. For example {"jsonrpc":"2.0","id":1,"method":"tools/list"}.`
        }
      }
    ])
    await refused(toolCall("delete_things", { ids: Array.from({ length: 3_000_000 }, () => 0) }), 400)
    await refused(toolCall("list_tags"), 415, { "content-type": "text/plain" })
    await refused(toolCall("list_tags"), 415, { "content-type": "application/json; charset=latin1" })
    await refused(toolCall("list_tags"), 415, { "content-encoding": "gzip" })
    await refused("x".repeat(10 * 1024 * 1024 + 1), 413)
    expect((await post(toolCall("list_tags"), { token })).status).toBe(200)
  })
})

it("a client that accepts anything is answered, one that does not accept JSON is refused", async () => {
  const { token } = await server.person()
  for (const [accept, status] of [
    ["*/*", 200],
    ["text/html;q=0.9, */*;q=0.1", 200],
    ["application/json", 200],
    ["application/json; charset=utf-8", 200],
    ["text/html", 406]
  ] as const) {
    expect([accept, (await post(toolCall("list_tags"), { token, headers: { accept } })).status]).toEqual([
      accept,
      status
    ])
  }
})

it("null params, and null members of params, count as absent", async () => {
  const { token } = await server.person()
  const ask = async (body: unknown) => (await (await post(body, { token })).json()) as Json
  const answers = async (body: unknown) => [await ask(body)].flat().map(({ result }: Json) => Object.keys(result)[0])
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_tags", arguments: null } }
  expect(await answers({ ...listTools, params: null })).toEqual(["tools"])
  expect(await answers({ ...listTools, params: { cursor: null, _meta: null } })).toEqual(["tools"])
  expect(await answers(call)).toEqual(["content"])
  expect(await answers([{ ...listTools, id: 2, params: null }, call])).toEqual(["tools", "content"])
  expect((await ask({ ...call, params: { name: "list_tags", arguments: 7 } })).error.code).toBe(-32602)
})

const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "Tests", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {}
}

describe.each([
  ["older protocol", {}, {}],
  ["2026-07-28", { "mcp-protocol-version": "2026-07-28" }, { _meta: envelope }]
] as const)("a malformed request, %s,", (generation, versionHeaders, meta) => {
  it.each([
    ["tools/call", {}, "Malformed tools/call: params.name: expected string, received undefined."],
    ["tools/list", { cursor: 5 }, "Malformed tools/list: params.cursor: expected string, received number."],
    ["tools/list", { cursor: "2" }, "Unknown cursor: the list is whole, leave cursor out."],
    ["resources/list", { cursor: "2" }, "Unknown cursor: the list is whole, leave cursor out."],
    ["resources/templates/list", { cursor: "2" }, "Unknown cursor: the list is whole, leave cursor out."],
    ["prompts/list", { cursor: "2" }, "Unknown cursor: the list is whole, leave cursor out."],
    ["resources/read", {}, "Malformed resources/read: params.uri: expected string, received undefined."],
    ["prompts/get", { name: "plan_my_day", arguments: { date: 5 } }, "expected string, received number."]
  ])("of %s with %j is told what is wrong with it", async (method, params, message) => {
    const { token } = await server.person()
    const response = await post(
      { jsonrpc: "2.0", id: 1, method, params: { ...params, ...meta } },
      { token, headers: { ...versionHeaders, "mcp-method": method, "mcp-name": "plan_my_day" } }
    )
    const { error, id } = (await response.json()) as Json
    expect([generation, id, error]).toEqual([
      generation,
      1,
      { code: -32602, message: expect.stringContaining(message) }
    ])
  })
})

it("a handshake without a version is told what is wrong with it", async () => {
  const { token } = await server.person()
  const answer = await post({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} }, { token })
  expect((await answer.json()) as Json).toMatchObject({
    error: {
      code: -32602,
      message: "Malformed initialize: params.protocolVersion: expected string, received undefined."
    }
  })
})

it("a listing takes an empty cursor, as some clients write none", async () => {
  const { token } = await server.person()
  expect(await namesOf(await post({ ...listTools, params: { cursor: "" } }, { token }))).toContain("search")
})

it("an unexpected failure is answered without its message", async () => {
  const { token } = await server.person()
  const site = Layer.succeed(BaseUrl, { url: "http://lists.test" })
  const broken = Effect.flatMap(Lists, (lists) =>
    makeWebHandler({ tools: allTools }).pipe(
      Effect.provideService(Lists, { ...lists, page: () => Effect.die(new Error("relation lists is secret")) })
    )
  )
  const handler = await server.run(Effect.provide(broken, [Authenticator.layerApiKeys, site]))
  const ask = new Request("http://lists.test/mcp", {
    method: "POST",
    headers: { ...headers, host: "lists.test", authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "resources/list" })
  })
  const { error } = (await (await handler(ask, Context.empty())).json()) as Json
  expect(error).toEqual({ code: -32603, message: "Something went wrong on the server; its log has it." })
})

it("an array as text is read within the same bounds", async () => {
  const { token } = await server.person()
  const response = await post(toolCall("delete_things", { ids: `[${"[".repeat(100)}${"]".repeat(100)}]` }), { token })
  const { result } = (await response.json()) as Json
  expect([response.status, result.isError, result.content[0].text]).toEqual([
    200,
    true,
    expect.stringMatching(/ids must be an array/)
  ])
})

it("answers are plain JSON in both generations, and nothing is kept between requests", async () => {
  const { token } = await server.person()
  const response = await post(toolCall("list_tags"), { token, headers: { "mcp-protocol-version": "2025-11-25" } })
  expect(response.headers.get("content-type")).toMatch(/^application\/json/)
  expect(response.headers.get("mcp-session-id")).toBeNull()
  const mcp = await overHttp("present SDK, 2026-07-28", { url: server.url, token })
  expect(mcp.client.getNegotiatedProtocolVersion?.()).toBe("2026-07-28")
  await mcp.close()
})

it("tools/list may be cached by the client only", async () => {
  const { token } = await server.person()
  const mcp = await overHttp("present SDK, 2026-07-28", { url: server.url, token })
  expect(await mcp.client.listTools()).toMatchObject({ cacheScope: "private" })
  await mcp.close()
})
