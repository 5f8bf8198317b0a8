import { scopes } from "@lists-and-things/domain/model/Scope"
import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import { Authenticator } from "@lists-and-things/mcp/Authenticator"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { type Json, overHttp } from "./Clients.ts"
import { type McpServer, startServer } from "./McpServer.ts"
import { listTools, namesOf, postTo, toolCall } from "./Messages.ts"

let server: McpServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const post = (body: unknown, options?: Parameters<typeof postTo>[2]) => postTo(server, body, options)

describe("without a valid credential", () => {
  const metadata = `resource_metadata="http://lists.test/.well-known/oauth-protected-resource/mcp"`

  it("none: 401 with a challenge that says where to sign in", async () => {
    const response = await post(listTools)
    expect(response.status).toBe(401)
    expect(response.headers.get("www-authenticate")).toBe(`Bearer ${metadata}, scope="read:lists read:things search"`)
    expect(response.headers.get("access-control-allow-origin")).toBe("*")
    expect(response.headers.get("access-control-expose-headers")).toContain("WWW-Authenticate")
    expect(response.headers.get("x-ratelimit-limit")).toBeNull()
    expect(((await response.json()) as Json).error.message).toMatch(/API key/)
  })

  it.each(["lat_nokey_nosecret", "x"])("a bad one (%s): 401 invalid_token, for calls too", async (token) => {
    for (const message of [listTools, toolCall("list_tags"), "no json"]) {
      const response = await post(message, { token })
      expect(response.status).toBe(401)
      expect(response.headers.get("www-authenticate")).toBe(
        `Bearer error="invalid_token", ${metadata}, scope="read:lists read:things search"`
      )
    }
  })

  it("one of another scheme: 401 invalid_token", async () => {
    const response = await post(listTools, { headers: { authorization: "Basic eDp5" } })
    expect([response.status, response.headers.get("www-authenticate")]).toStrictEqual([
      401,
      `Bearer error="invalid_token", ${metadata}, scope="read:lists read:things search"`
    ])
  })

  it("a revoked one: 401 from the next call on", async () => {
    const { token } = await server.person()
    expect((await post(toolCall("list_tags"), { token })).status).toBe(200)
    await server.run(Effect.flatMap(ApiKeys, (keys) => keys.revoke(token.split("_")[1]!)))
    expect((await post(toolCall("list_tags"), { token })).status).toBe(401)
  })
})

describe("the limit of a key", () => {
  it("each call counts as one request, listing and shaking hands as none", async () => {
    const { token } = await server.person({ rateLimit: 3 })
    const mcp = await overHttp("maintenance SDK", { url: server.url, token })
    await mcp.close()
    for (const left of ["2", "1", "0"]) {
      const response = await post(toolCall("list_tags"), { token })
      expect([response.status, response.headers.get("x-ratelimit-limit")]).toEqual([200, "3"])
      expect(response.headers.get("x-ratelimit-remaining")).toBe(left)
    }
    const over = await post(toolCall("list_tags", {}, 7), { token })
    expect(over.status).toBe(429)
    const wait = Number(over.headers.get("retry-after"))
    expect(Number.isInteger(wait) && wait > 0 && wait <= 3600).toBe(true)
    expect(over.headers.get("x-ratelimit-remaining")).toBe("0")
    expect((await over.json()) as Json).toMatchObject({
      id: 7,
      error: { code: -32003, message: expect.stringMatching(/More than 3/) }
    })
    const rest = await fetch(`${server.url}/api/v1/tags`, { headers: { authorization: `Bearer ${token}` } })
    expect(rest.status).toBe(429)
    expect((await post(listTools, { token })).status).toBe(200)
  })

  it.each([
    ["resources/list", {}],
    ["resources/read", { uri: "day://today" }],
    ["prompts/get", { name: "plan_my_day" }]
  ])("%s counts as a call does", async (method, params) => {
    const { token } = await server.person({ rateLimit: 1 })
    const ask = () => post({ jsonrpc: "2.0", id: 7, method, params }, { token })
    const answers = [await ask(), await ask()]
    const told = answers.map(({ headers, status }) => [status, headers.get("x-ratelimit-remaining")])
    expect(told).toStrictEqual([
      [200, "0"],
      [429, "0"]
    ])
    expect(await answers[1]!.json()).toMatchObject({ id: 7, error: { message: expect.stringMatching(/More than 1/) } })
  })

  it("calls in a batch are counted one by one", async () => {
    const { token } = await server.person({ rateLimit: 2 })
    const batch = [1, 2, 3].map((id) => toolCall("list_tags", {}, id))
    const response = await post(batch, { token, headers: { "mcp-protocol-version": "2025-03-26" } })
    const answers = (await response.json()) as ReadonlyArray<Json>
    const failed = answers.filter((answer) => answer.result?.isError === true || answer.error !== undefined)
    expect([answers.length, failed.length]).toEqual([3, 1])
    expect((await post(toolCall("list_tags"), { token })).status).toBe(429)
  })

  it("a batch with a single answer is answered with an array", async () => {
    const { token } = await server.person()
    const response = await post([listTools, { jsonrpc: "2.0", method: "notifications/initialized" }], { token })
    expect(await response.json()).toEqual([expect.objectContaining({ id: 1, result: expect.anything() })])
  })

  it("a batch that cancels its own messages is answered completely", async () => {
    const { token } = await server.person()
    const cancelled = (requestId: number) => ({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId }
    })
    const response = await post(
      [cancelled(1), toolCall("list_tags", {}, 1), toolCall("list_tags", {}, 2), cancelled(2)],
      {
        token
      }
    )
    const answers = (await response.json()) as ReadonlyArray<Json>
    expect(answers.map(({ id }) => id)).toStrictEqual([1, 2])
    expect((await post([cancelled(1), cancelled(2)], { token })).status).toBe(202)
  })

  it("a batch with two requests of the same id is refused, and nothing of it is done", async () => {
    const { token } = await server.person()
    const batch = ["Milk", "Bread"].map((text) => toolCall("create_thing", { text }, 1))
    const response = await post(batch, { token, headers: { "mcp-protocol-version": "2025-03-26" } })
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { code: -32_600, message: "The requests of a batch must have different ids." } }
    ])
    const things = await (await post(toolCall("list_things", {}, 1), { token })).json()
    expect((things as Json).result.structuredContent.things).toStrictEqual([])
  })

  it("a batch is refused in versions of the protocol without batches", async () => {
    const { token } = await server.person()
    for (const version of ["2025-06-18", "2025-11-25"]) {
      const response = await post([toolCall("list_tags")], { token, headers: { "mcp-protocol-version": version } })
      expect([version, response.status]).toEqual([version, 400])
      expect(await response.json()).toMatchObject({
        id: null,
        error: { code: -32_600, message: expect.stringContaining("no batches") }
      })
    }
  })

  it("an id of more than 1,000 characters is refused, since the answer would repeat it", async () => {
    const { token } = await server.person()
    const sent = (length: number) => toolCall("list_tags", {}, "x".repeat(length))
    for (const body of [sent(1_001), [sent(1), sent(1_001)]]) {
      const response = await post(body, { token })
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { id: null, error: { code: -32_600, message: "The id must have at most 1,000 characters." } }
      ])
    }
    expect((await post(sent(1_000), { token })).status).toBe(200)
  })

  it("a message with more than 10,000 values besides arguments is refused", async () => {
    const { token } = await server.person()
    const sizes = Array.from({ length: 4_900 }, () => 1)
    const icons = [1, 2, 3].map(() => ({ src: "x", sizes }))
    const sent = { jsonrpc: "2.0", id: 1, method: "initialize", params: { clientInfo: { icons } } }
    const response = await post(sent, { token })
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("at most 10,000 values")])
    const things = Array.from({ length: 3 }, () => ({ text: "a", tags: Array.from({ length: 4_900 }, () => "b") }))
    expect((await post(toolCall("create_list", { title: "x", things }), { token })).status).toBe(200)
  })

  it("a longer text that the headers of a message repeat is refused likewise", async () => {
    const { token } = await server.person()
    const long = "x".repeat(1_001)
    const versionKey = "io.modelcontextprotocol/protocolVersion"
    for (const [name, method, params] of [
      ["method", long, {}],
      ["name", "tools/call", { name: long }],
      ["uri", "resources/read", { uri: long }],
      [versionKey, "tools/list", { _meta: { [versionKey]: long } }]
    ] as const) {
      const response = await post({ jsonrpc: "2.0", id: 1, method, params }, { token })
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { error: { message: `The ${name} must have at most 1,000 characters.` } }
      ])
    }
  })

  it("a failing and an unknown tool count too", async () => {
    const { token } = await server.person({ rateLimit: 2 })
    await post(toolCall("fetch", { id: "nope" }), { token })
    await post(toolCall("nope"), { token })
    expect((await post(toolCall("list_tags"), { token })).status).toBe(429)
  })
})

describe("scopes of a key", () => {
  it.each(scopes)("with %s alone, tools/list holds what it permits and other calls fail", async (scope) => {
    const { token } = await server.person({ scopes: [scope] })
    const names = await namesOf(await post(listTools, { token }))
    const mcp = await overHttp("present SDK, 2026-07-28", { url: server.url, token })
    expect(mcp.tools.map((tool) => tool.name)).toEqual(names)
    const counts = { "read:lists": 3, "write:lists": 4, "read:things": 6, "write:things": 10, search: 1 }
    expect(names.length).toBe(counts[scope])
    const other = scope === "search" ? "list_tags" : "search"
    const args = other === "search" ? { query: "x" } : {}
    const text = await mcp.fails(other, args)
    expect(text).toMatch(/needs the scope .* which this key does not have\. Ask the owner/)
    await mcp.close()
  })

  it("that lacks several scopes of a call is told all of them", async () => {
    const { token } = await server.person({ scopes: ["read:lists"] })
    const mcp = await overHttp("present SDK, 2026-07-28", { url: server.url, token })
    expect(await mcp.fails("undo", {})).toBe(
      "undo needs the scopes write:lists and write:things, which this key does not have. Ask the owner for a key with them."
    )
    const rest = await fetch(`${server.url}/api/v1/operations/x/undo`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` }
    })
    expect([rest.status, rest.headers.get("www-authenticate")]).toEqual([
      403,
      'Bearer error="insufficient_scope", scope="write:lists write:things"'
    ])
    expect(await rest.json()).toEqual({
      error: "This key does not have the scopes write:lists and write:things, which this request requires."
    })
    await mcp.close()
  })
})

describe("sign-in tokens", () => {
  /** Replaces the sign-in flow: tokens that begin with `oat_` belong to the person whose key follows. */
  const authenticator = Layer.effect(
    Authenticator,
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const inner = (token: string) => token.replace(/^oat_/, "")
      return Authenticator.of({
        kindOf: (token) => (token.startsWith("oat_") ? "token" : "key"),
        identify: (token) => keys.identify(inner(token)),
        admit: (token, required) => Effect.map(keys.admit(inner(token), ...required), ({ caller }) => ({ caller })),
        deferAdmission: (token, required) =>
          token.startsWith("oat_") ? undefined : keys.deferAdmission(token, ...required)
      })
    })
  )
  let signedIn: McpServer
  beforeAll(async () => {
    signedIn = await startServer({ authenticator })
  })
  afterAll(() => signedIn.stop())

  it("list all tools, and a call without the scope is challenged with all that it needs", async () => {
    const { token: key } = await signedIn.person({ scopes: ["read:lists", "search"] })
    const token = `oat_${key}`
    expect(await namesOf(await postTo(signedIn, listTools, { token }))).toHaveLength(27)
    expect(await namesOf(await postTo(signedIn, listTools, { token: key }))).toHaveLength(4)
    const response = await postTo(signedIn, toolCall("create_thing", { text: "x" }), { token })
    expect(response.status).toBe(403)
    expect(response.headers.get("www-authenticate")).toBe(
      `Bearer error="insufficient_scope", scope="read:lists search write:things", resource_metadata="http://lists.test/.well-known/oauth-protected-resource/mcp"`
    )
    expect(await response.json()).toMatchObject({ id: toolCall("create_thing").id, error: { code: -32_001 } })
    expect((await postTo(signedIn, toolCall("list_lists"), { token })).status).toBe(200)
  })

  it("are challenged for a resource, a prompt and a stream as for a tool, and get an empty list of resources without the scope", async () => {
    const { token: key } = await signedIn.person({ scopes: ["search"] })
    const asked = (method: string, params: object) => ({ jsonrpc: "2.0", id: 7, method, params })
    for (const [method, params, needs] of [
      ["resources/read", { uri: "day://today" }, "read:lists"],
      ["prompts/get", { name: "plan_my_day" }, "read:lists read:things"],
      ["prompts/get", { name: "weekly_review" }, "read:lists read:things"]
    ] as const) {
      const response = await postTo(signedIn, asked(method, params), { token: `oat_${key}` })
      expect([method, response.status, response.headers.get("www-authenticate")]).toStrictEqual([
        method,
        403,
        `Bearer error="insufficient_scope", scope="search ${needs}", resource_metadata="http://lists.test/.well-known/oauth-protected-resource/mcp"`
      ])
      expect(await response.json()).toMatchObject({ id: 7, error: { code: -32_001 } })
      const ofKey = await postTo(signedIn, asked(method, params), { token: key })
      expect([ofKey.status, await ofKey.json()]).toMatchObject([200, { error: { code: -32_602 } }])
    }
    const listening = await postTo(signedIn, asked("subscriptions/listen", {}), { token: `oat_${key}` })
    expect([listening.status, listening.headers.get("www-authenticate")]).toStrictEqual([
      403,
      expect.stringContaining('scope="search read:lists", resource_metadata=')
    ])
    const unknown = await postTo(signedIn, asked("prompts/get", { name: "x" }), { token: `oat_${key}` })
    expect([unknown.status, await unknown.json()]).toMatchObject([200, { error: { message: 'Unknown prompt: "x".' } }])
    const listed = await postTo(signedIn, asked("resources/list", {}), { token: `oat_${key}` })
    expect([listed.status, await listed.json()]).toMatchObject([200, { result: { resources: [] } }])
  })
})
