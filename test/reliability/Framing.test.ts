import { once } from "node:events"
import { connect } from "node:net"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { ask } from "./Ask.ts"
import { openInstallation } from "./Installation.ts"

const installation = await openInstallation(["fsync=off"])
const host = await installation.serve()
const { token } = await installation.person()
afterAll(() => installation.close())

/** Sends raw text, and reads until the server closes. */
const raw = async (request: string) => {
  const socket = connect(host.port, "127.0.0.1")
  let text = ""
  socket.on("data", (chunk: Buffer) => (text += chunk.toString()))
  socket.on("error", () => undefined)
  const closed = once(socket, "close").then(() => true)
  socket.write(request)
  const isClosed = await closed
  socket.destroy()
  const body = text.slice(text.indexOf("\r\n\r\n") + 4)
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), text, body, isClosed }
}

const head = (method: string, path: string, lines: ReadonlyArray<string>) =>
  `${method} ${path} HTTP/1.1\r\n${["Host: x", `Authorization: Bearer ${token}`, ...lines].join("\r\n")}\r\n\r\n`

describe("requests with invalid framing or encoding", () => {
  const traps: ReadonlyArray<readonly [string, string, number]> = [
    ["two Host headers", head("GET", "/api/v1/tags", ["Host: y"]), 400],
    ["no Host header", "GET /api/v1/tags HTTP/1.1\r\n\r\n", 400],
    [
      "Transfer-Encoding with Content-Length",
      `${head("POST", "/api/v1/lists", ["Transfer-Encoding: chunked", "Content-Length: 4"])}0\r\n\r\n`,
      400
    ],
    [
      "two different Content-Lengths",
      `${head("POST", "/api/v1/lists", ["Content-Length: 2", "Content-Length: 3"])}{}x`,
      400
    ],
    ["a Content-Length that is no number", head("POST", "/api/v1/lists", ["Content-Length: +2"]), 400],
    ["20 KB of headers", head("GET", "/api/v1/tags", [`X-Long: ${"y".repeat(20_000)}`]), 431],
    ["an Expect that is not understood", head("GET", "/api/v1/tags", ["Expect: foo"]), 417],
    ["a header that is folded", head("GET", "/api/v1/tags", ["X-A: b\r\n c: d"]), 400],
    ["a header with a NUL", head("GET", "/api/v1/tags", ["X-A: b\u0000c"]), 400],
    ["a space before the colon", head("GET", "/api/v1/tags", ["X-A : b"]), 400],
    [
      "a broken chunk",
      `${head("POST", "/api/v1/lists", ["Content-Type: application/json", "Transfer-Encoding: chunked"])}zz\r\n`,
      400
    ],
    ["bytes that are not HTTP", "\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n", 400]
  ]
  for (const [name, request, status] of traps) {
    it(`${name}: is answered ${status} in JSON, and the connection is closed`, async () => {
      const answer = await raw(request)
      expect([answer.status, answer.isClosed]).toStrictEqual([status, true])
      expect(Object.keys(JSON.parse(answer.body) as object)).toStrictEqual(["error"])
      expect(answer.text.toLowerCase()).toContain("connection: close")
    })
  }

  it("a path with invalid percent-encoding: is answered 404 in JSON", async () => {
    for (const path of ["/api/v1/lists/%zz", "/%", "/api/v1/things/%ff", "/lists/%c0%80"]) {
      const answer = await raw(head("GET", path, ["Connection: close"]))
      expect([path, answer.status]).toStrictEqual([path, 404])
      expect(Object.keys(JSON.parse(answer.body) as object)).toStrictEqual(["error"])
    }
  })

  it("a NUL in a path, a query or a cookie: never causes a 5xx", async () => {
    const paths = [
      "/api/v1/lists/%00",
      "/api/v1/things?tag=%00",
      "/api/v1/search?query=%00",
      "/api/v1/fetch?id=%00",
      "/lists/%00",
      "/things/%00",
      "/reminders/%00.ics",
      "/calendar/%00.ics",
      "/authorize?client_id=%00&redirect_uri=http://127.0.0.1/%00&response_type=code&state=%00",
      "/oauth/authorize?client_id=%00",
      "/account?x=%00",
      "/sign-in?next=%00"
    ]
    for (const path of paths) {
      const answer = await ask(host.url, "GET", `/${path}`, {
        token,
        headers: { cookie: "session=%00; lat_session=%00" }
      })
      expect([path, answer.status]).toSatisfy(([, status]) => (status as number) < 500)
    }
    expect(host.err()).not.toContain("unforeseen")
  })
})
