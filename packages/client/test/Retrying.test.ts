import { describe, expect, it } from "@effect/vitest"
import { ApiError, createClient, unwrap } from "../src/Client.ts"
import { pauseAfter } from "../src/Retrying.ts"

type Answer = { readonly status: number; readonly headers?: Record<string, string>; readonly body?: object } | Error

/** A server that returns these responses in turn, and the requests that it received. */
const answering = (...answers: ReadonlyArray<Answer>) => {
  const asked: Array<{ method: string; url: string; key: string | null; body: string }> = []
  const fetch = async (request: Request): Promise<Response> => {
    const answer = answers[asked.length]!
    const { headers, method, url } = request
    asked.push({ method, url, key: headers.get("idempotency-key"), body: await request.text() })
    if (answer instanceof Error) throw answer
    return Response.json(answer.body ?? {}, { status: answer.status, headers: answer.headers ?? {} })
  }
  return { asked, client: createClient({ url: "http://lists.test/", key: "lat_key", fetch }) }
}

const now = { "retry-after": "0" }
const thing = { text: "Bread", list: "today" }

describe("a write", () => {
  it("has an Idempotency-Key of its own, and the same one when it is retried", async () => {
    const { asked, client } = answering(
      { status: 503, headers: now },
      { status: 429, headers: now },
      { status: 201 },
      { status: 201 }
    )
    await client.POST("/things", { body: thing })
    await client.POST("/things", { body: thing })
    const keys = asked.map(({ key }) => key)
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(keys).toStrictEqual([keys[0], keys[0], keys[0], keys[3]])
    expect(keys[3]).not.toBe(keys[0])
    expect(asked.map(({ body }) => body)).toStrictEqual(Array.from({ length: 4 }, () => JSON.stringify(thing)))
    expect(asked[0]).toMatchObject({ method: "POST", url: "http://lists.test/api/v1/things" })
  })

  it("has an Idempotency-Key also where crypto has no randomUUID, as on a page without HTTPS", async () => {
    const { asked, client } = answering({ status: 201 })
    const secure = globalThis.crypto
    const insecure = { getRandomValues: secure.getRandomValues.bind(secure) }
    Object.defineProperty(globalThis, "crypto", { value: insecure, configurable: true })
    try {
      await client.POST("/things", { body: thing })
    } finally {
      Object.defineProperty(globalThis, "crypto", { value: secure, configurable: true })
    }
    expect(asked[0]!.key).toMatch(/^[0-9a-f]{36}$/)
  })

  it("keeps the Idempotency-Key that it is given", async () => {
    const { asked, client } = answering({ status: 201 })
    await client.POST("/things", { params: { header: { "Idempotency-Key": "mine" } }, body: thing })
    expect(asked.map(({ key }) => key)).toStrictEqual(["mine"])
  })

  it("is retried when no response arrives", async () => {
    const { asked, client } = answering(new TypeError("fetch failed"), { status: 201 })
    await client.POST("/things", { body: thing })
    expect(asked).toHaveLength(2)
    expect(asked[1]!.key).toBe(asked[0]!.key)
  })
})

describe("a request", () => {
  it("that reads has no Idempotency-Key", async () => {
    const { asked, client } = answering({ status: 200 })
    await client.GET("/tags")
    expect(asked).toMatchObject([{ method: "GET", key: null, body: "" }])
  })

  it("is retried after a Retry-After that is a date", async () => {
    const past = new Date(0).toUTCString()
    const { asked, client } = answering({ status: 503, headers: { "retry-after": past } }, { status: 200 })
    await client.GET("/tags")
    expect(asked).toHaveLength(2)
  })

  it("is given up after five attempts, or if it would wait for more than a minute", async () => {
    const five = answering(...Array.from({ length: 6 }, () => ({ status: 503, headers: now })))
    await expect(unwrap(five.client.GET("/tags"))).rejects.toMatchObject({ status: 503 })
    expect(five.asked).toHaveLength(5)
    const long = answering({ status: 429, headers: { "retry-after": "61" }, body: { error: "Too many requests." } })
    await expect(unwrap(long.client.GET("/tags"))).rejects.toThrow("Too many requests.")
    expect(long.asked).toHaveLength(1)
  })

  it("is not retried after a 400, and the error has the server's message", async () => {
    const { asked, client } = answering({ status: 400, body: { error: "text must be text" } })
    const failed = unwrap(client.POST("/things", { body: thing }))
    await expect(failed).rejects.toBeInstanceOf(ApiError)
    await expect(failed).rejects.toMatchObject({ status: 400, message: "text must be text" })
    expect(asked).toHaveLength(1)
  })

  it("ends when it is aborted, even while it waits", async () => {
    const { asked, client } = answering({ status: 503, headers: { "retry-after": "50" } }, { status: 200 })
    const stop = new AbortController()
    const failed = expect(client.GET("/tags", { signal: stop.signal })).rejects.toThrow("enough")
    stop.abort(new Error("enough"))
    await failed
    expect(asked.length).toBeLessThan(2)
  })
})

describe("the feed that is followed", () => {
  const unavailable = (after: string) => new Response(null, { status: 503, headers: { "retry-after": after } })

  it.each(["0", new Date(0).toUTCString(), "soon"])("waits after a Retry-After of %s", (after) => {
    expect(pauseAfter(unavailable(after), 0)).toBeGreaterThanOrEqual(0.375)
    expect(pauseAfter(unavailable(after), 9)).toBeGreaterThanOrEqual(22.5)
  })

  it("waits for as long as a Retry-After says, up to the longest timer", () => {
    expect(pauseAfter(unavailable("120"), 0)).toBe(120)
    expect(pauseAfter(unavailable("2592000"), 0)).toBe(2_147_483)
  })
})
