import { IncomingMessage } from "node:http"
import { once } from "node:events"
import { connect, Socket } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Listener } from "../src/edge/Listener.ts"
import { ConnectionTurns, maxChunks } from "../src/edge/ConnectionTurns.ts"
import { raw } from "./EdgeServer.ts"

const endOfTurn = () => new Promise(setImmediate)

const paused = (messages: ReadonlyArray<IncomingMessage>) => messages.map(({ socket }) => socket.isPaused())

describe("a body in small chunks", () => {
  const received = (
    turns = new ConnectionTurns(),
    headers: Record<string, string> = { "transfer-encoding": "chunked" }
  ) => {
    const message = Object.assign(new IncomingMessage(new Socket()), { headers })
    const refusals: Array<number> = []
    let chunks = 0
    turns.ofBody(message, () => void refusals.push(chunks))
    const push = (text: string) => {
      chunks++
      return message.push(Buffer.from(text))
    }
    return { message, push, refusals }
  }

  it("is gathered into large chunks, complete and in order", async () => {
    const { message, push } = received()
    const parts = Array.from({ length: 30_000 }, (_, at) => (at % 1_000 === 999 ? `${at} `.repeat(500) : `${at} `))
    const read: Array<string> = []
    message.on("data", (data: Buffer) => void read.push(String(data)))
    for (const part of parts) push(part)
    message.push(null)
    await endOfTurn()
    expect(read.join("")).toBe(parts.join(""))
    expect(read.length).toBeLessThan(100)
  })

  it.each([
    ["1025", 1],
    ["1024", 5]
  ])("that has a length of %s is handed over in %i", async (length, expected) => {
    const { message, push } = received(undefined, { "content-length": length })
    const read: Array<string> = []
    message.on("data", (data: Buffer) => void read.push(String(data)))
    for (const part of "abcde") push(part)
    message.push(null)
    await endOfTurn()
    expect([read.join(""), read.length]).toStrictEqual(["abcde", expected])
  })

  it("is read from one connection per event-loop turn", async () => {
    const turns = new ConnectionTurns()
    const bodies = Array.from({ length: 3 }, () => received(turns))
    const messages = bodies.map(({ message }) => message.resume())
    for (let chunk = 0; chunk < 499; chunk++) for (const { push } of bodies) push("a")
    expect(paused(messages)).toStrictEqual([false, false, false])
    for (const { push } of bodies) push("a")
    await new Promise(process.nextTick)
    const seen = [paused(messages)]
    while (seen.at(-1)!.includes(true)) {
      await endOfTurn()
      seen.push(paused(messages))
    }
    expect(seen).toStrictEqual([
      [true, true, true],
      [false, true, true],
      [false, false, true],
      [false, false, false]
    ])
  })

  it("pauses while its reader does not read", async () => {
    const { message, push } = received()
    const part = "a".repeat(1_000)
    for (let chunk = 0; chunk < 500; chunk++) push(part)
    await endOfTurn()
    expect(paused([message])).toStrictEqual([true])
  })

  it("is dropped beyond the maximum number of chunks", () => {
    const { message, push, refusals } = received()
    let bytes = 0
    message.on("data", ({ length }: Buffer) => (bytes += length))
    for (let chunk = 0; chunk < maxChunks + 5; chunk++) push("a")
    expect(refusals).toStrictEqual([maxChunks + 1])
    expect(bytes).toBeLessThanOrEqual(maxChunks)
  })

  it.each([
    [maxChunks, 200, String(maxChunks)],
    [maxChunks + 1, 413, '{"error":"The body comes in more than 100000 chunks: send larger ones."}']
  ])("of %i is answered with %s", async (chunks, status, expected) => {
    const listener = new Listener()
    const port = await listener.listen({ host: "127.0.0.1", port: 0 })
    listener.serve(() => ({
      handle: (request, response) => {
        let bytes = 0
        request.on("data", ({ length }: Buffer) => (bytes += length)).on("end", () => response.end(String(bytes)))
      },
      end: () => undefined
    }))
    const head = "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    const answer = await raw(port, `${head}${"1\r\na\r\n".repeat(chunks)}0\r\n\r\n`)
    expect([answer.status, answer.body]).toStrictEqual([status, expected])
    await listener.stop(0)
  })
})

it("pipelined requests are read in several turns, and all answered", async () => {
  const listener = new Listener()
  const port = await listener.listen({ host: "127.0.0.1", port: 0 })
  let pauses = 0
  let answered = 0
  listener.server.on("connection", (socket) => void socket.on("pause", () => void pauses++))
  listener.serve(() => ({
    handle: (_request, response) => {
      setImmediate(() => response.end(String(++answered)))
    },
    end: () => undefined
  }))
  const last = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
  const client = connect(port, "127.0.0.1").resume()
  client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(900) + last)
  await once(client, "close")
  expect([pauses > 0, answered]).toStrictEqual([true, 901])
  await listener.stop(0)
})
