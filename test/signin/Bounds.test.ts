import { connect } from "node:net"
import { ClientDocuments } from "@lists-and-things/domain/signin/ClientDocuments"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Browser } from "./Browser.ts"
import { Program } from "./Program.ts"
import { password, quickHasher, type SignInServer, startServer } from "./SignInServer.ts"

interface Answer {
  readonly status: number
  readonly head: string
  readonly body: string
}

const answerOf = (text: string): Answer => {
  const [head = "", ...rest] = text.split("\r\n\r\n")
  return { status: Number(head.split(" ")[1]), head: head.toLowerCase(), body: rest.join("\r\n\r\n") }
}

/**
 * Sends the head of a request that announces a body, and nothing of the body: an answer shows that the server did not
 * wait for it.
 */
const headOnly = (of: SignInServer, path: string, headers: Record<string, string>): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { hostname, host, port } = new URL(of.url)
    const socket = connect(Number(port), hostname)
    let text = ""
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("utf8")
      const { body, head } = answerOf(text)
      const length = /content-length: (\d+)/.exec(head)?.[1]
      const isWhole = length === undefined ? body.endsWith("0\r\n\r\n") : Buffer.byteLength(body) >= Number(length)
      if (!isWhole) return
      socket.destroy()
      resolve(answerOf(text))
    })
    socket.on("error", reject)
    socket.on("end", () => reject(new Error(`Ended: ${text}`)))
    const lines = Object.entries({ host, "content-type": "application/json", ...headers })
    socket.write(`POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`)
  })

const announced = { "content-length": String(5 * 1024 * 1024) }
const chunked = { "transfer-encoding": "chunked" }

describe("a body", () => {
  let server: SignInServer
  beforeAll(async () => {
    server = await startServer({ hasher: quickHasher })
  })
  afterAll(() => server.stop())

  it.concurrent.each([
    ["/mcp", {}],
    ["/mcp", { authorization: "Bearer lat_nokey_nosecret" }],
    ["/mcp", { authorization: "Bearer lat_at_nothing" }],
    ["/api/v1/things", {}],
    ["/api/v1/things", { authorization: "Bearer lat_nokey_nosecret" }],
    ["/api/v1/things/bulk", { authorization: "Bearer x" }]
  ])("at %s with %j is not read: the answer is 401, and the connection is closed", async (path, headers) => {
    for (const length of [announced, chunked]) {
      const answer = await headOnly(server, path, { ...length, ...headers })
      expect([answer.status, answer.head]).toStrictEqual([401, expect.stringContaining("connection: close")])
    }
  })

  it("is not read if the key's rate limit is used up", async () => {
    const { key } = await server.person()
    const authorization = `Bearer ${key}`
    for (let at = 0; at < 1_000; at += 100)
      await Promise.all(
        Array.from({ length: 100 }, () => fetch(`${server.url}/api/v1/tags`, { headers: { authorization } }))
      )
    const answer = await headOnly(server, "/api/v1/things", { ...announced, authorization })
    expect([answer.status, answer.head]).toStrictEqual([429, expect.stringContaining("connection: close")])
  })

  it("is not read if the key has no scope to write", async () => {
    const { browser } = await entered(server)
    const page = await browser.post(
      "/account/keys",
      [...(await browser.get("/account")).form("/account/keys"), ["scope", "search"]].filter(
        ([name, value]) => name !== "scope" || value === "search"
      ) as never
    )
    const { text } = await browser.get(page.location ?? "")
    const key = /lat_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}/.exec(text)?.[0]
    const answer = await headOnly(server, "/api/v1/things", { ...announced, authorization: `Bearer ${key}` })
    expect(answer.status).toBe(403)
  })

  it.each(["/oauth/token", "/oauth/revoke", "/sign-in"])(
    "of a form at %s may have at most 64 KiB and 100 fields",
    async (path) => {
      const form = { "content-type": "application/x-www-form-urlencoded" }
      const answer = await headOnly(server, path, { ...form, "content-length": "65537" })
      expect([answer.status, answer.head, answer.body]).toStrictEqual([
        413,
        expect.stringContaining("connection: close"),
        expect.stringContaining("64 KiB")
      ])
      const post = async (body: string) => {
        const response = await fetch(`${server.url}${path}`, { method: "POST", headers: form, body })
        return [response.status, await response.text()] as const
      }
      expect(await post("a&".repeat(32_000))).toStrictEqual([400, expect.stringContaining("at most 100 fields")])
      const streamed = await fetch(`${server.url}${path}`, {
        method: "POST",
        headers: form,
        body: new ReadableStream({
          start(controller) {
            for (let at = 0; at < 5; at++) controller.enqueue(Buffer.alloc(16 * 1024, "x"))
            controller.close()
          }
        }),
        duplex: "half"
      } as RequestInit)
      expect(streamed.status).toBe(413)
    }
  )
})

const entered = async (of: SignInServer) => {
  const { email } = await of.person()
  const browser = new Browser(of.url)
  await browser.signIn(email, password)
  return { browser, email }
}

describe("registrations", () => {
  it("are limited in number even if invalid or too large, and in size to 64 KiB", async () => {
    const server = await startServer({ hasher: quickHasher })
    const program = new Program(server.url)
    const large = await headOnly(server, "/oauth/register", announced)
    expect([large.status, large.head, large.body]).toStrictEqual([
      413,
      expect.stringContaining("connection: close"),
      expect.stringContaining("64 KiB")
    ])
    const send = async (body: string) =>
      (
        await fetch(`${server.url}/oauth/register`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body
        })
      ).status
    for (let at = 0; at < 29; at++) expect(await send("{")).toBe(400)
    for (let at = 0; at < 29; at++) expect(await send("x".repeat(70_000))).toBe(413)
    expect((await program.register({ redirect_uris: ["https://a.example/cb"] })).status).toBe(201)
    const over = await headOnly(server, "/oauth/register", announced)
    expect([over.status, over.body]).toStrictEqual([429, expect.stringContaining("wait an hour")])
    await server.stop()
  })

  it("with values beyond a limit are refused with the name of the field", async () => {
    const server = await startServer({ hasher: quickHasher })
    const program = new Program(server.url)
    const uri = "https://a.example/cb"
    const refused = async (metadata: Record<string, unknown>) => {
      const { body, status } = await program.register({ redirect_uris: [uri], ...metadata })
      expect(status).toBe(400)
      return String(body.error_description)
    }
    expect(await refused({ redirect_uris: Array(2_000).fill(uri) })).toContain("1 to 20 addresses, not 2000")
    expect(await refused({ redirect_uris: [] })).toContain("not 0")
    expect(await refused({ redirect_uris: [uri, "https:evil"] })).toMatch(/^redirect_uris\[1\] must be https:\/\/host/)
    expect(await refused({ client_name: "x".repeat(201) })).toContain("client_name must be at most 200 characters")
    expect(await refused({ client_name: 7 })).toBe("client_name must be a string.")
    expect(await refused({ response_types: "code" })).toBe("response_types must be an array of strings.")
    expect(await refused({ redirect_uris: uri })).toBe("redirect_uris must be an array of 1 to 20 strings.")
    expect(await refused({ redirect_uris: null })).toBe("redirect_uris must be an array of 1 to 20 strings.")
    expect(await refused({ grant_types: Array(3_000).fill("x") })).toContain("grant_types")
    expect(await refused({ jwks: JSON.parse("[".repeat(100) + "]".repeat(100)) })).toContain("64 levels")
    expect((await program.register({ redirect_uris: [uri], client_name: "🦊".repeat(200) })).status).toBe(201)
    await server.stop()
  })
})

describe("a client's metadata document", () => {
  it("has the limits of a registration, and at most 32 are fetched at a time", async () => {
    const waiting: Array<() => void> = []
    let gone = false
    const documents = Layer.succeed(ClientDocuments, {
      areFetched: true,
      fetch: (url) =>
        url.includes("wait") && !gone
          ? Effect.callback((resume) => void waiting.push(() => resume(Effect.succeed({ client_id: url }))))
          : Effect.succeed({ client_id: url, redirect_uris: ["https:evil"] })
    })
    const server = await startServer({ hasher: quickHasher, documents })
    const ask = (id: string) =>
      new Browser(server.url).get(`/oauth/authorize?client_id=${encodeURIComponent(id)}&redirect_uri=https%3Aevil`)
    expect((await ask("https://a.example/client")).text).toContain("redirect_uris[0] must be https://host")
    expect((await ask(`https://a.example/${"x".repeat(2_000)}`)).text).toContain("longer than 2000")
    const asked = Array.from({ length: 32 }, (_, at) => ask(`https://a.example/wait/${at}`))
    while (waiting.length < 32) await fetch(`${server.url}/healthz`)
    expect((await ask("https://a.example/client")).text).toContain("Too many sign-ins at once")
    gone = true
    for (const answer of waiting) answer()
    await Promise.all(asked)
    expect((await ask("https://a.example/client")).text).toContain("redirect_uris[0]")
    await server.stop()
  })
})

describe("a browser's request", () => {
  it("is answered, redirected or refused, however large its cookies and URL are", async () => {
    const server = await startServer({ hasher: quickHasher })
    const { browser } = await entered(server)
    const many = Array.from({ length: 1_000 }, (_, at) => `c${at}=${at}`).join("; ")
    expect((await browser.get("/account", { cookie: `${many}; ${browser.cookie}` })).status).toBe(200)
    expect((await browser.get("/account", { cookie: ";".repeat(15_000) + browser.cookie })).status).toBe(200)
    expect((await browser.get("/account", { cookie: `lat_session=${"x".repeat(15_000)}` })).status).toBe(303)
    expect((await browser.get("/account", { cookie: "x".repeat(20_000) })).status).toBe(431)
    const long = await new Browser(server.url).get(`/lists/x?${"a".repeat(9_000)}`)
    expect([long.status, long.text]).toStrictEqual([414, expect.stringContaining("Sign in, and open it again")])
    await server.stop()
  })

  it("to connect a program whose request is too long to be kept over the sign-in asks to sign in first", async () => {
    const server = await startServer({ hasher: quickHasher })
    const program = new Program(server.url)
    const path = program.authorizePath(await program.registered(), "v", { state: "€".repeat(1_000) })
    const asked = await new Browser(server.url).get(path)
    expect([asked.status, asked.text]).toStrictEqual([414, expect.stringContaining("connect it once more")])
    const { browser } = await entered(server)
    expect((await browser.get(path)).status).toBe(200)
    await server.stop()
  })

  it("may carry a program's state of up to 4,096 characters", async () => {
    const server = await startServer({ hasher: quickHasher })
    const program = new Program(server.url)
    const { browser } = await entered(server)
    const clientId = await program.registered()
    const status = async (state: string) => (await browser.get(program.authorizePath(clientId, "v", { state }))).status
    expect(await status("s".repeat(4_096))).toBe(200)
    expect(await status("s".repeat(4_097))).toBe(400)
    await server.stop()
  })
})

it("every answer has X-Content-Type-Options: nosniff", async () => {
  const server = await startServer({ hasher: quickHasher })
  const { key } = await server.person()
  const authorization = `Bearer ${key}`
  for (const [path, init] of [
    ["/api/v1/tags", { headers: { authorization } }],
    ["/api/v1/tags", {}],
    ["/api/v1/openapi.json", {}],
    ["/nowhere", {}],
    ["/healthz", {}],
    ["/healthz", { method: "PATCH" }],
    ["/docs", { method: "OPTIONS" }],
    ["/llms.txt", {}],
    ["/mcp", { method: "POST" }],
    ["/mcp", { method: "POST", headers: { authorization, "content-type": "application/json" }, body: "{" }],
    ["/mcp", {}],
    ["/oauth/token", { method: "POST" }],
    ["/oauth/register", { method: "OPTIONS" }],
    ["/.well-known/oauth-authorization-server", {}],
    ["/account", { redirect: "manual" }],
    ["/reminders.ics?token=x", {}]
  ] as ReadonlyArray<readonly [string, RequestInit]>) {
    const response = await fetch(`${server.url}${path}`, init)
    expect([path, response.status, response.headers.get("x-content-type-options")]).toStrictEqual([
      path,
      response.status,
      "nosniff"
    ])
  }
  await server.stop()
})

it("answers with private data are no-store, and public documents no-cache", async () => {
  const server = await startServer({ hasher: quickHasher })
  const { key } = await server.person()
  const authorization = `Bearer ${key}`
  const kept = async (path: string, headers: Record<string, string> = {}, method = "GET") => {
    const response = await fetch(`${server.url}${path}`, { method, headers: { authorization, ...headers } })
    return [response.status, response.headers.get("cache-control")]
  }
  for (const path of ["/today", "/lists", "/things", "/tags", "/reminders", "/search?query=a", "/changes"])
    expect([path, ...(await kept(`/api/v1${path}`))]).toStrictEqual([path, 200, "no-store"])
  const list = await fetch(`${server.url}/api/v1/today`, { headers: { authorization } })
  const { id } = ((await list.json()) as { readonly list: { readonly id: string } }).list
  const { headers } = await fetch(`${server.url}/api/v1/lists/${id}`, { headers: { authorization } })
  expect(await kept(`/api/v1/lists/${id}`, { "if-none-match": headers.get("etag") ?? "" })).toStrictEqual([
    304,
    "no-store"
  ])
  expect(await kept("/api/v1/lists/unknown")).toStrictEqual([404, "no-store"])
  expect(await kept("/api/v1/lists", { authorization: "Bearer x" })).toStrictEqual([401, "no-store"])
  for (const path of ["/healthz", "/readyz"])
    expect([path, ...(await kept(path))]).toStrictEqual([path, 200, "no-store"])
  for (const path of ["/api/v1/openapi.json", "/docs", "/llms.txt"])
    expect([path, ...(await kept(path))]).toStrictEqual([path, 200, "no-cache"])
  await server.stop()
})
