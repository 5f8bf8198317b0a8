import { Context, Effect } from "effect"
import { expect } from "@effect/vitest"
import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import { until } from "@lists-and-things/testing/Until"
import { Breaker } from "./BreakableStorage.ts"
import { contract } from "./Given.ts"

const remaining = (headers: Headers) => Number(headers.get("x-ratelimit-remaining"))

contract("keys", (given) => {
  given("are refused from the moment they are revoked", async (client, server) => {
    expect((await client.ask("GET", "/lists")).status).toBe(200)
    await Effect.runPromise(Context.get(server.context, ApiKeys).revoke(client.keyId))
    expect((await client.ask("GET", "/lists")).status).toBe(401)
  })

  given("are read from a bearer header of any case, and from nowhere else", async (client) => {
    const ask = (authorization: string) =>
      client.ask("GET", "/lists", undefined, { token: null, headers: { authorization } })
    expect((await ask(`bearer ${client.token}`)).status).toBe(200)
    expect((await ask(`BEARER   ${client.token}`)).status).toBe(200)
    expect((await ask(`Basic ${client.token}`)).status).toBe(401)
    expect((await ask(client.token)).status).toBe(401)
    expect((await client.ask("GET", `/lists?token=${client.token}`, undefined, { token: null })).status).toBe(401)
  })

  given("that are invalid are distinguished from a missing one in the challenge of the 401", async (client, server) => {
    const challenge = async (token: string | null) =>
      (await client.ask("GET", "/lists", undefined, { token })).headers.get("www-authenticate")
    const none = 'Bearer realm="Lists and Things"'
    expect(await challenge(null)).toBe(none)
    expect(await challenge("mistyped")).toBe(`${none}, error="invalid_token"`)
    expect(await challenge((await server.client()).token)).toBeNull()
    await Effect.runPromise(Context.get(server.context, ApiKeys).revoke(client.keyId))
    expect(await challenge(client.token)).toBe(`${none}, error="invalid_token"`)
  })
})

contract("the rate limit", (given) => {
  given(
    "admits exactly the limit, however many ask at once",
    async ({ ask }) => {
      const answers = await Promise.all(Array.from({ length: 60 }, () => ask("GET", "/tags")))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(40)
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(20)
      const left = answers.filter(({ status }) => status === 200).map(({ headers }) => remaining(headers))
      expect(left.toSorted((a, b) => a - b)).toStrictEqual(Array.from({ length: 40 }, (_, at) => at))
      expect(new Set(answers.map(({ headers }) => headers.get("x-ratelimit-reset"))).size).toBe(1)
    },
    { rateLimit: 40 }
  )

  given(
    "counts what is refused and what has no address, and tells so",
    async ({ ask }) => {
      expect(remaining((await ask("GET", "/lists?page=x")).headers)).toBe(9)
      expect(remaining((await ask("GET", "/lists/unknown")).headers)).toBe(8)
      for (const [path, left] of [
        ["/nowhere", 7],
        ["", 6]
      ] as const) {
        const nowhere = await ask("GET", path)
        expect([nowhere.status, remaining(nowhere.headers)]).toStrictEqual([404, left])
      }
      const method = await ask("PUT", "/lists", {})
      expect([method.status, remaining(method.headers), method.headers.get("allow")]).toStrictEqual([
        405,
        5,
        "GET, POST, HEAD, OPTIONS"
      ])
      expect((await ask("HEAD", "/lists")).status).toBe(200)
      expect(remaining((await ask("GET", "/tags")).headers)).toBe(3)
    },
    { rateLimit: 10 }
  )

  given(
    "counts the description of the API where a key comes with it",
    async (client, server) => {
      const read = async (method: "GET" | "HEAD", token: string | null = client.token) => {
        const { headers, status } = await client.ask(method, "//api/v1/openapi.json", undefined, { token })
        return [status, headers.get("x-ratelimit-remaining")]
      }
      expect(await read("GET")).toStrictEqual([200, "1"])
      expect(await read("HEAD")).toStrictEqual([200, "0"])
      expect(await read("GET")).toStrictEqual([429, "0"])
      expect(await read("GET", null)).toStrictEqual([200, null])
      expect(await read("GET", "lat_mistyped")).toStrictEqual([200, null])
      const breaker = Context.get(server.context, Breaker)
      breaker.state = "keys away"
      expect(await read("GET")).toStrictEqual([200, null])
      breaker.state = "whole"
    },
    { rateLimit: 2 }
  )

  given("does not tell limits to those without a valid key", async ({ ask }) => {
    for (const path of ["/lists", "/nowhere"]) {
      const answer = await ask("GET", path, undefined, { token: null })
      expect(answer.headers.get("x-ratelimit-limit")).toBeNull()
    }
    expect((await ask("PATCH", "/tags", {}, { token: null })).status).toBe(405)
  })
})

contract("repeating a write under its Idempotency-Key", (given) => {
  given("has one effect and one answer, however often and at once", async ({ ask }) => {
    const create = () => ask("POST", "/things", { text: "once" }, { headers: { "idempotency-key": "k1" } })
    const answers = await Promise.all(Array.from({ length: 20 }, create))
    for (let times = 0; times < 5; times++) answers.push(await create())
    expect(new Set(answers.map(({ body, status }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1)
    expect((await ask("GET", "/things")).body.things).toHaveLength(1)
    expect((await ask("POST", "/things", { text: "other" }, { headers: { "idempotency-key": "k1" } })).status).toBe(422)
  })

  given("leaves no trace of a refused request, and is apart for each account", async (client, server) => {
    const headers = { "idempotency-key": "k2" }
    expect((await client.ask("POST", "/things", { text: "", list: "x" }, { headers })).status).toBe(400)
    expect((await client.ask("POST", "/things", { text: "fine" }, { headers })).status).toBe(201)
    const other = await server.client()
    expect((await other.ask("POST", "/things", { text: "mine" }, { headers })).body.thing.text).toBe("mine")
  })
})

contract("what is public", (given) => {
  given("is answered without a key and without limits", async ({ ask }) => {
    for (const path of ["//api/v1/openapi.json", "//docs", "//llms.txt", "//healthz", "//readyz"]) {
      const answer = await ask("GET", path, undefined, { token: null })
      expect([path, answer.status]).toStrictEqual([path, 200])
      expect(answer.headers.get("x-ratelimit-limit")).toBeNull()
    }
  })

  given("shows a page that needs nothing from outside", async ({ ask }) => {
    const { body, headers } = await ask("GET", "//docs")
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self'; /)
    expect(body).not.toMatch(/(?:src|href)="(?:[a-z]+:)?\/\/|<style|@import|url\(/)
    for (const path of ["/lists/{id}", "/things/bulk", "/today"]) expect(body).toContain(path)
  })

  given("tells the contract as plain text", async ({ ask }) => {
    const { body, headers } = await ask("GET", "//llms.txt")
    expect(headers.get("content-type")).toBe("text/plain; charset=utf-8")
    for (const line of ["### GET /today", "### PATCH /things/bulk", "X-RateLimit-Remaining", "at most 500 items"])
      expect(body).toContain(line)
  })

  given("tells whether the storage can be reached; the process is up all the same", async (client, server) => {
    const breaker = Context.get(server.context, Breaker)
    const isReady = async () => (await client.ask("GET", "//readyz")).status === 200
    await until("a storage that can be reached", isReady)
    breaker.state = "away"
    // Readiness is cached for a moment.
    await until("a storage that cannot be reached", async () => !(await isReady()))
    const ready = await client.ask("GET", "//readyz")
    const healthy = await client.ask("GET", "//healthz")
    breaker.state = "whole"
    expect([ready.status, ready.headers.get("retry-after"), healthy.status]).toStrictEqual([503, "1", 200])
    expect(Object.keys(ready.body)).toStrictEqual(["error"])
    await until("a storage that can be reached again", isReady)
  })
})
