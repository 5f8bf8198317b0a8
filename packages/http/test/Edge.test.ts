import { once } from "node:events"
import { connect } from "node:net"
import { until } from "@lists-and-things/testing/Until"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Server } from "../src/Server.ts"
import { HttpServerResponse } from "effect/http"
import { edgeServer, logged, longBytes, raw, unsent, waiting } from "./EdgeServer.ts"

const MiB = 1024 * 1024
const errorOf = (body: string) => (JSON.parse(body) as { error: string }).error

const post = (port: number, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${port}/echo`, {
    method: "POST",
    body: body as string,
    headers: { "content-type": "application/json", ...headers }
  })

layer(edgeServer, { excludeTestServices: true })("the edge of the server", (it) => {
  const given = (name: string, run: (port: number) => Promise<void>) =>
    it.effect(name, () => Effect.flatMap(Server, ({ port }) => Effect.promise(() => run(port))))

  given("answers an unknown address 404 in JSON with a request id", async (port) => {
    const response = await fetch(`http://127.0.0.1:${port}/nowhere`)
    expect(response.status).toBe(404)
    expect(response.headers.get("content-type")).toBe("application/json")
    expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/)
    expect(Object.keys((await response.json()) as object)).toStrictEqual(["error"])
  })

  given("names the list of operations where the API has none", async (port) => {
    for (const path of ["/api/v1", "/api/v1/tasks"])
      expect(errorOf(await (await fetch(`http://127.0.0.1:${port}${path}`)).text())).toBe(
        "There is no operation at this address: GET /llms.txt lists all of them."
      )
  })

  given("keeps a client's harmless request id and replaces any other", async (port) => {
    const idFor = async (given: string) =>
      (await fetch(`http://127.0.0.1:${port}/nowhere`, { headers: { "x-request-id": given } })).headers.get(
        "x-request-id"
      )
    expect(await idFor("abc-1")).toBe("abc-1")
    expect(await idFor("a b")).not.toBe("a b")
    expect(await idFor("x".repeat(500))).toMatch(/^[0-9a-f-]{36}$/)
  })

  given("writes a large answer whole, with its length", async (port) => {
    const whole = await fetch(`http://127.0.0.1:${port}/large`)
    expect(whole.headers.get("content-length")).toBe(String(2 * MiB))
    expect(whole.headers.get("content-type")).toBe("text/plain")
    expect(await whole.text()).toBe("x".repeat(2 * MiB))
  })

  const isWaiting = async () => {
    await until("a request that waits", () => waiting.size > 0)
    const [goOn] = waiting
    waiting.delete(goOn!)
    return goOn!
  }

  given("answers later what waits, like any other answer", async (port) => {
    const ask = () => fetch(`http://127.0.0.1:${port}/pending`, { headers: { "x-request-id": "later-1" } })
    const answered = ask()
    const goOn = await isWaiting()
    goOn(Effect.succeed(HttpServerResponse.jsonUnsafe({ here: true })))
    const { headers, status } = await answered
    expect([status, headers.get("x-request-id"), headers.get("x-content-type-options")]).toStrictEqual([
      200,
      "later-1",
      "nosniff"
    ])
    const broken = ask()
    const breaks = await isWaiting()
    breaks(Effect.die(new Error("secret internals")))
    expect(errorOf(await (await broken).text())).toContain("later-1")
  })

  given(
    "answers one after the other what came on one connection, and forgets what waits when it closes",
    async (port) => {
      const socket = connect(port, "127.0.0.1")
      const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
      let text = ""
      socket.on("data", (chunk) => (text += String(chunk)))
      socket.write(request("/pending") + request("/slow") + request("/pending"))
      await until("the first that waits", () => waiting.size > 0)
      const [first, ...others] = waiting
      expect(others).toStrictEqual([])
      waiting.delete(first!)
      first!(Effect.succeed(HttpServerResponse.jsonUnsafe({ first: true })))
      await until("two answers", () => text.includes("first") && text.includes("slow"))
      expect(text.indexOf("first")).toBeLessThan(text.indexOf("slow"))
      await until("the last that waits", () => waiting.size === 1)
      socket.destroy()
      await until("nobody that waits", () => waiting.size === 0)
    }
  )

  /** Requests on one connection, of which the first waits. */
  const behindOneThatWaits = (port: number, count: number) => {
    const socket = connect(port, "127.0.0.1").on("error", () => {})
    const requests = Array.from({ length: count }, () => "/slow")
    socket.write(["/pending", ...requests].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(""))
    return socket
  }

  given("goes on with all that wait on a connection", async (port) => {
    const socket = behindOneThatWaits(port, 1_000)
    let text = ""
    socket.on("data", (chunk) => (text += String(chunk)))
    const goOn = await isWaiting()
    goOn(Effect.succeed(HttpServerResponse.jsonUnsafe({ first: true })))
    await until("all answers", () => text.split('{"slow":true}').length > 1_000)
    socket.destroy()
  })

  given("closes a connection on which more than 1,000 wait", async (port) => {
    await once(behindOneThatWaits(port, 1_001), "close")
    await until("nobody that waits", () => waiting.size === 0)
  })

  given("makes of a long answer what its client has room for", async (port) => {
    const answer = await fetch(`http://127.0.0.1:${port}/long`)
    let bytes = 0
    for await (const chunk of answer.body!) bytes += chunk.length
    expect(bytes).toBe(longBytes)
    expect(Math.max(...unsent)).toBeLessThan(MiB)
  })

  given(
    "logs a failure with the path of its request, and never with its query, which may have a token",
    async (port) => {
      await fetch(`http://127.0.0.1:${port}/broken?token=a-secret`, { headers: { "x-request-id": "logged-1" } })
      const failures = logged.filter((line) => JSON.stringify(line).includes("logged-1"))
      expect(failures).toMatchObject([{ requestId: "logged-1", method: "GET", path: "/broken", client: "127.0.0.1" }])
      expect(JSON.stringify(failures)).not.toContain("a-secret")
    }
  )

  given("cuts an answer that breaks on its way", async (port) => {
    const whole = fetch(`http://127.0.0.1:${port}/cut`).then((answer) => answer.arrayBuffer())
    await expect(whole).rejects.toThrow(TypeError)
  })

  given("answers a wrong method 405 with Allow", async (port) => {
    const response = await fetch(`http://127.0.0.1:${port}/echo`, { method: "PATCH", body: "{}" })
    expect(response.status).toBe(405)
    expect(response.headers.get("allow")).toBe("POST, OPTIONS")
    expect(await response.json()).toStrictEqual({ error: "This address answers POST, OPTIONS only." })
  })

  given("answers OPTIONS with Allow, and HEAD as GET without the body", async (port) => {
    const options = await fetch(`http://127.0.0.1:${port}/slow`, { method: "OPTIONS" })
    expect(options.status).toBe(204)
    expect(options.headers.get("allow")).toBe("GET, HEAD, OPTIONS")
    const head = await fetch(`http://127.0.0.1:${port}/slow`, { method: "HEAD" })
    expect(head.status).toBe(200)
    expect(await head.text()).toBe("")
  })

  given("takes a path that is no percent-encoded UTF-8 as it is, which is an unknown one", async (port) => {
    for (const path of ["/%zz", "/echo%", "/%ff%fe"]) {
      const answer = await raw(port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      expect([path, answer.status]).toStrictEqual([path, 404])
      expect(errorOf(answer.body)).toBe("There is nothing at this address.")
    }
  })

  given("answers what breaks inside with 500 and no internals", async (port) => {
    const response = await fetch(`http://127.0.0.1:${port}/broken`)
    expect(response.status).toBe(500)
    const body = await response.text()
    expect(body).not.toContain("secret")
    expect(errorOf(body)).toContain(response.headers.get("x-request-id"))
  })

  given("reads a body as JSON, whichever JSON type names it", async (port) => {
    for (const type of ["application/json", "application/json; charset=UTF-8", "application/merge-patch+json"]) {
      const response = await post(port, '{"a":[1,"é"]}', { "content-type": type })
      expect(response.status).toBe(200)
      expect(await response.json()).toStrictEqual({ value: { a: [1, "é"] } })
    }
  })

  given("refuses other types, charsets and encodings with 415", async (port) => {
    const refusals: ReadonlyArray<Record<string, string>> = [
      { "content-type": "text/plain" },
      { "content-type": "application/x-www-form-urlencoded" },
      { "content-type": "application/json; charset=latin1" },
      { "content-encoding": "gzip" },
      { "content-encoding": "br" }
    ]
    for (const headers of refusals) {
      const response = await post(port, "{}", headers)
      expect(response.status).toBe(415)
      expect(errorOf(await response.text())).not.toBe("")
    }
    expect((await post(port, "{}", { "content-encoding": "identity" })).status).toBe(200)
  })

  given("refuses an absent or broken body with 400", async (port) => {
    for (const body of ["", "  ", "{", "nope", '"\\u0000"', "[".repeat(100_000)]) {
      const response = await post(port, body)
      expect(response.status).toBe(400)
      expect(errorOf(await response.text()).length).toBeLessThan(200)
    }
  })

  given("accepts exactly 10 MiB and refuses one byte more with 413, announced or counted", async (port) => {
    const text = (bytes: number) => JSON.stringify("a".repeat(bytes - 2))
    expect((await post(port, text(10 * MiB))).status).toBe(200)
    const announced = await raw(
      port,
      `POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${10 * MiB + 1}\r\n\r\n{`
    )
    expect(announced.status).toBe(413)
    expect(announced.head.toLowerCase()).toContain("connection: close")
    const chunk = "a".repeat(MiB)
    const chunked = `${MiB.toString(16)}\r\n${chunk}\r\n`
    const counted = await raw(port, [
      "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
      ...Array.from({ length: 12 }, () => chunked),
      "0\r\n\r\n"
    ])
    expect(counted.status).toBe(413)
    expect(errorOf(counted.body)).toBe("The body is larger than 10 MiB.")
  })

  given("lets a client that sends all of a body too large read the answer", async (port) => {
    const response = await post(port, "x".repeat(20 * MiB))
    expect(response.status).toBe(413)
    expect(errorOf(await response.text())).toMatch(/10 MiB/)
  })

  given("does not invite a body too large that waits for 100-continue", async (port) => {
    const request = (length: number) =>
      `POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`
    expect((await raw(port, request(20 * MiB))).status).toBe(413)
    expect((await raw(port, request(10))).status).toBe(100)
  })

  given("serves a target in absolute form like its path, with its host", async (port) => {
    const answer = await raw(port, "GET HTTP://[::1]:80?a=/b HTTP/1.1\r\nHost: x\r\n\r\n")
    expect([answer.status, answer.body]).toStrictEqual([200, "[::1]:80 /?a=/b"])
  })

  given("answers in JSON where Node refuses by itself, and closes the connection", async (port) => {
    const refusals: ReadonlyArray<readonly [string, number]> = [
      ["GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400],
      ["POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc", 400],
      [`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${"y".repeat(20_000)}\r\n\r\n`, 431],
      [`GET / HTTP/1.1\r\nHost: x\r\n${"X-A: 1\r\n".repeat(1_001)}\r\n`, 431],
      ["GET / HTTP/1.1\r\nHost: x\r\nExpect: foo\r\n\r\n", 417],
      ["GARBAGE\r\n\r\n", 400],
      ["GET / HTTP/1.1\r\n\r\n", 400],
      ["GET /slow HTTP/1.1\r\nHost:\r\n\r\n", 400],
      ["GET /slow HTTP/1.1\r\nHost: x@y\r\n\r\n", 400],
      ["GET /slow HTTP/1.1\r\nHost: x:y\r\n\r\n", 400],
      ["GET http://x:99999/slow HTTP/1.1\r\nHost: x\r\n\r\n", 400],
      ["GET ftp://x/slow HTTP/1.1\r\nHost: x\r\n\r\n", 400],
      ["POST /nowhere HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n", 404]
    ]
    for (const [request, status] of refusals) {
      const answer = await raw(port, request)
      expect([request.slice(0, 60), answer.status]).toStrictEqual([request.slice(0, 60), status])
      expect(errorOf(answer.body)).toMatch(/\S/)
      expect(answer.head.toLowerCase()).toContain("connection: close")
      expect(answer.head.toLowerCase()).toContain("x-content-type-options: nosniff")
    }
  })
})

layer(edgeServer, { excludeTestServices: true })("an offer of another protocol", (it) => {
  const offers = {
    // Java's HttpClient and `curl --http2` make it with their first request.
    "HTTP/2": "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n",
    WebSocket: "Connection: Upgrade\r\nUpgrade: websocket\r\n"
  }
  for (const [name, offer] of Object.entries(offers))
    it.effect(`is ignored: ${name}`, () =>
      Effect.gen(function* () {
        const { port } = yield* Server
        const head = `POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 7\r\n`
        const answer = yield* Effect.promise(() => raw(port, `${head}${offer}\r\n{"a":1}`))
        expect([answer.status, answer.body]).toStrictEqual([200, '{"value":{"a":1}}'])
      })
    )
})
