import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { connect } from "node:net"
import { type Duplex, PassThrough } from "node:stream"
import { until } from "@lists-and-things/testing/Until"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import * as Context from "effect/Context"
import { Server } from "../src/Server.ts"
import { Listener } from "../src/edge/Listener.ts"
import { edgeServer, held, raw } from "./EdgeServer.ts"

describe("connections that time out together", () => {
  it("are answered 408 over several turns, with other requests in between", async () => {
    const { server } = new Listener()
    const sockets = Array.from({ length: 250 }, () => new PassThrough())
    const error = Object.assign(new Error("late"), { code: "ERR_HTTP_REQUEST_TIMEOUT" })
    for (const socket of sockets) server.emit("clientError", error, socket)
    const refused: Array<number> = []
    while (refused.at(-1) !== sockets.length) {
      await new Promise(setImmediate)
      refused.push(sockets.filter(({ writableEnded }) => writableEnded).length)
    }
    expect(refused).toStrictEqual([100, 200, 250])
    expect(String(sockets.at(-1)!.read())).toMatch(
      /^HTTP\/1\.1 408 Request Timeout\r\n[^]*\{"error":"The request took too long/
    )
  })
})

const bound = async () => {
  const listener = new Listener()
  return { listener, port: await listener.listen({ host: "127.0.0.1", port: 0 }) }
}
const connectionsOf = ({ server }: Listener) =>
  new Promise<number>((resolve) => void server.getConnections((_error, count) => resolve(count)))
const get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

describe("a connection that cannot be accepted", () => {
  it("leaves the others as they are", async () => {
    const { listener, port } = await bound()
    listener.serve(() => ({ handle: (_request, response) => void response.end(), end: () => undefined }))
    listener.server.emit("error", Object.assign(new Error("accept EPROTO"), { code: "EPROTO", syscall: "accept" }))
    expect((await fetch(`http://127.0.0.1:${port}`)).status).toBe(200)
    await listener.stop(0)
  })
})

describe.each([
  ["invalid bytes", "no request\r\n\r\n", "clientError", 400, "The request is not valid"],
  ["a request to be a proxy", "CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n", "connect", 405, "This server is no proxy"]
])("%s behind valid requests", (_what, sent, event, status, message) => {
  it("are refused after the answers to those", async () => {
    const { listener, port } = await bound()
    const answers: Array<() => void> = []
    listener.serve(() => ({
      handle: (request, response) => void answers.push(() => void response.end(request.url)),
      end: () => undefined
    }))
    const refused = once(listener.server, event)
    const client = connect(port, "127.0.0.1")
    let heard = ""
    client.on("data", (data: Buffer) => (heard += data.toString()))
    const closed = once(client, "close")
    client.write(`${get}${get.replace("GET /", "GET /second")}${sent}`)
    await refused
    for (const next of [1, 2]) {
      await until("a request at its handler", () => answers.length === next)
      answers.at(-1)!()
    }
    await closed
    expect(heard.match(/HTTP\/1\.1 \d+|The request is not valid|This server is no proxy/g)).toStrictEqual([
      "HTTP/1.1 200",
      "HTTP/1.1 200",
      `HTTP/1.1 ${status}`,
      message
    ])
    await listener.stop(0)
  })
})

describe("a request to be a proxy behind one that is not answered", () => {
  it("does no harm when its client resets the connection", async () => {
    const { listener, port } = await bound()
    let answer = (): void => undefined
    listener.serve(() => ({
      handle: (_request, response) => {
        answer = () => void response.end("here")
      },
      end: () => undefined
    }))
    const asked = once(listener.server, "connect")
    const client = connect(port, "127.0.0.1").on("error", () => undefined)
    client.write(`${get}CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n`)
    const [, socket] = (await asked) as [unknown, Duplex]
    const closed = new Promise((resolve) => socket.once("close", resolve))
    client.resetAndDestroy()
    await once(client, "close")
    answer()
    await closed
    await listener.stop(0)
  })
})

describe("pipelined requests of several connections", () => {
  it("take a limited amount of memory together, beyond which only one may wait on a connection", async () => {
    const { listener, port } = await bound()
    let arrived = 0
    listener.server.on("request", () => void arrived++)
    const held: Array<() => void> = []
    listener.serve(() => ({
      handle: (request, response) => {
        if (request.url === "/held") held.push(() => void response.end())
        else response.end("served")
      },
      end: () => undefined
    }))
    const many = "GET / HTTP/1.1\r\nHost: x\r\n".concat("a:\r\n".repeat(980), "\r\n")
    const pipelined = (waiting: number) => {
      const client = connect(port, "127.0.0.1").on("error", () => undefined)
      const seen = { client, text: "", isClosed: new Promise((resolve) => client.once("close", resolve)) }
      client.on("data", (data: Buffer) => (seen.text += data.toString()))
      client.write(`${get.replace("GET /", "GET /held")}${many.repeat(waiting)}`)
      return seen
    }
    const whenServed = (seen: { readonly text: string }, count: number) =>
      until("all answers", () => seen.text.split("served").length > count)

    const first = pipelined(900)
    await until("all requests", () => arrived === 901)
    const second = pipelined(900)
    await second.isClosed
    const third = pipelined(1)
    await until("its request", () => held.length === 3)
    held[2]!()
    await whenServed(third, 1)

    held[0]!()
    await whenServed(first, 900)
    const fourth = pipelined(900)
    await until("its request", () => held.length === 4)
    held[3]!()
    await whenServed(fourth, 900)

    const before = arrived
    const leaving = pipelined(900)
    await until("all its requests", () => arrived === before + 901)
    leaving.client.resetAndDestroy()
    await until("the end of its connection", async () => (await connectionsOf(listener)) === 3)
    const fifth = pipelined(900)
    await until("its request", () => held.length === 6)
    held[5]!()
    await whenServed(fifth, 900)
    for (const { client } of [first, third, fourth, fifth]) client.destroy()
    await listener.stop(0)
  })

  it("are read one connection after the other where they take too much", async () => {
    const { listener, port } = await bound()
    let held = 0
    let most = 0
    listener.server.on("connection", (socket) => {
      let own = 0
      socket.once("close", () => (held -= own))
      socket.on("arrived", () => {
        own++
        most = Math.max(most, ++held)
      })
    })
    listener.server.on("request", ({ socket }) => void socket.emit("arrived"))
    listener.serve(() => ({ handle: () => undefined, end: () => undefined }))
    const clients = Array.from({ length: 60 }, () => connect(port, "127.0.0.1").on("error", () => undefined))
    await until("all connections", async () => (await connectionsOf(listener)) === clients.length)
    for (const client of clients) client.write(get.repeat(900))
    await until("few connections", async () => (await connectionsOf(listener)) < 20)
    expect(most).toBeLessThan(20_000)
    for (const client of clients) client.destroy()
    await listener.stop(0)
  })
})

describe("a connection on which nothing moves", () => {
  it.each([
    ["is kept while the server makes the answer, however long that takes", false],
    ["is closed once the answer has begun", true]
  ])("%s", async (_what, hasBegun) => {
    const { listener, port } = await bound()
    const handle = ({ socket }: IncomingMessage, response: ServerResponse) => {
      response.shouldKeepAlive = false
      if (hasBegun) response.flushHeaders()
      socket.emit("timeout")
      response.end("made")
    }
    listener.serve(() => ({ handle, end: () => undefined }))
    const client = connect(port, "127.0.0.1")
    client.write(get)
    let heard = ""
    client.on("data", (data: Buffer) => (heard += data.toString()))
    await once(client, "close")
    expect(heard.includes("made")).toBe(!hasBegun)
    await listener.stop(0)
  })
})

describe("a graceful stop", () => {
  const started = Effect.gen(function* () {
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(edgeServer, scope)
    return { port: Context.get(context, Server).port, stop: Scope.close(scope, Exit.void) }
  })

  const hasCome = (count: number) => until("a request at its handler", () => held.entered >= count)

  it("answers what is in flight, closes idle connections and takes no new ones", async () => {
    const { port, stop } = await Effect.runPromise(started)
    await fetch(`http://127.0.0.1:${port}/nowhere`)
    const before = held.entered
    const inFlight = raw(port, "GET /held HTTP/1.1\r\nHost: x\r\n\r\n")
    await hasCome(before + 1)
    const stopped = Effect.runPromise(stop)
    await until("no new connection", () =>
      fetch(`http://127.0.0.1:${port}/nowhere`).then(
        () => false,
        () => true
      )
    )
    Effect.runSync(held.letGo.open)
    const answer = await inFlight
    await stopped
    expect(answer.body).toBe('{"held":true}')
    expect(answer.head.toLowerCase()).toContain("connection: close")
  })

  it("answers a request sent at that moment on an idle or just established connection", async () => {
    const { port, stop } = await Effect.runPromise(started)
    const idle = connect(port, "127.0.0.1")
    let heard = ""
    idle.on("data", (data: Buffer) => (heard += data.toString()))
    const ended = once(idle, "close")
    const get = "GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n"
    idle.write(get)
    await until("its first answer", () => heard.includes("error"))
    heard = ""
    const made = raw(port, get)
    // The system makes the connection at once; the server has had no turn to accept it.
    await new Promise(process.nextTick)
    const stopped = Effect.runPromise(stop)
    idle.write(get)
    expect((await made).head).toMatch(/^HTTP\/1\.1 404 /)
    await ended
    expect(heard).toMatch(/^HTTP\/1\.1 404 /)
    await stopped
  })

  it("answers all that was sent on a connection, and only the last answer closes it", async () => {
    const { listener, port } = await bound()
    const answers: Array<() => void> = []
    let arrived = 0
    listener.server.on("request", () => void arrived++)
    listener.serve(() => ({
      handle: (_request, response) => void answers.push(() => void response.end("here")),
      end: () => undefined
    }))
    const client = connect(port, "127.0.0.1")
    let heard = ""
    client.on("data", (data: Buffer) => (heard += data.toString()))
    const closed = once(client, "close")
    client.write(get.repeat(3))
    await until("all requests", () => arrived === 3)
    const stopped = listener.stop(5_000)
    await listener.lastAnswers
    for (const next of [1, 2, 3]) {
      await until("a request at its handler", () => answers.length === next)
      answers.at(-1)!()
    }
    await closed
    await stopped
    expect(heard.match(/(?<=connection: )\S+/gi)).toStrictEqual(["keep-alive", "keep-alive", "close"])
  })

  it("closes idle connections only when everything sent on them is read", async () => {
    const { listener, port } = await bound()
    const clients = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const client = connect(port, "127.0.0.1")
        await once(client, "connect")
        const connection = { client, heard: "", ended: once(client, "close") }
        client.on("data", (data: Buffer) => (connection.heard += data.toString()))
        return connection
      })
    )
    let answered = 0
    listener.serve(() => ({
      handle: (_request, response) => {
        // Sent when the server has read from all connections in this turn.
        clients[++answered]?.client.write(get)
        response.end("here")
      },
      end: () => undefined
    }))
    await until("connections that are accepted", () => connectionsOf(listener).then((count) => count === 5))
    clients[0]!.client.write(get)
    await listener.closeIdle()
    expect(answered).toBe(5)
    const stopped = listener.stop(0)
    await Promise.all(clients.map(({ ended }) => ended))
    expect(clients.map(({ heard }) => heard.slice(0, 12))).toStrictEqual(Array(5).fill("HTTP/1.1 200"))
    await stopped
  })

  it("starts no request while it accepts established connections, since clients open more after an answer", async () => {
    const { listener, port } = await bound()
    let begun = 0
    listener.serve(() => ({
      handle: (_request, response) => {
        begun++
        connect(port, "127.0.0.1")
          .on("error", () => undefined)
          .write(get)
        response.end("here")
      },
      end: () => undefined
    }))
    const made = raw(port, get)
    const others = [1, 2, 3].map(() => connect(port, "127.0.0.1"))
    // The system makes the connections at once; the server has had no turn to accept them.
    await new Promise(process.nextTick)
    const stopped = listener.stop(5_000)
    expect((await made).body).toBe("here")
    for (const each of others) each.destroy()
    await stopped
    expect(begun).toBe(1)
  })

  it("ends although a request whose client left cannot be interrupted", async () => {
    const { port, stop } = await Effect.runPromise(started)
    const before = held.entered
    const client = connect(port, "127.0.0.1")
    client.write("GET /deaf HTTP/1.1\r\nHost: x\r\n\r\n")
    await hasCome(before + 1)
    const gone = once(client, "close")
    client.destroy()
    await gone
    await Effect.runPromise(stop)
  })

  it("does not wait for ever for clients that are stuck", async () => {
    const { port, stop } = await Effect.runPromise(started)
    const before = held.entered
    const stuck = [
      raw(port, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"),
      raw(port, "GET /slow HT"),
      raw(port, "GET /never HTTP/1.1\r\nHost: x\r\n\r\n")
    ].map((answer) => answer.catch(() => undefined))
    await hasCome(before + 1)
    await Effect.runPromise(stop)
    await Promise.all(stuck)
  })
})
