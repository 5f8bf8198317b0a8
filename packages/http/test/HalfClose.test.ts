import { once } from "node:events"
import { connect } from "node:net"
import { until } from "@lists-and-things/testing/Until"
import { describe, expect, it } from "@effect/vitest"
import { defaultAnswerTimeouts } from "../src/edge/AnswerProgress.ts"
import { Listener } from "../src/edge/Listener.ts"

const get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

/** A server that holds its answers back, and a client that closes its sending side after `sent`. */
const halfClosed = async (sent: string, { checkMillis = 3_600_000, waits = false } = {}) => {
  const listener = new Listener({ ...defaultAnswerTimeouts, checkMillis })
  const seen = { answers: [] as Array<() => void>, isOver: false, heard: "" }
  listener.serve(() => ({
    handle: (request, response) => void seen.answers.push(() => void response.end(`answer to ${request.url}`)),
    waits: () => waits,
    end: () => {
      seen.isOver = true
    }
  }))
  const port = await listener.listen({ host: "127.0.0.1", port: 0 })
  const left = new Promise((resolve) => listener.server.once("connection", (socket) => socket.once("end", resolve)))
  const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true }).end(sent)
  client.on("data", (data: Buffer) => (seen.heard += data.toString()))
  const closed = once(client, "end").then(() => client.destroy())
  await left
  return { seen, closed, stop: () => listener.stop(0) }
}

describe("a client that sends no more", () => {
  it("gets the answers to all that it has sent, and then its connection is closed", async () => {
    const { closed, seen, stop } = await halfClosed(`${get}${get.replace("/", "/second")}`)
    for (const next of [1, 2]) {
      await until("a request at its handler", () => seen.answers.length === next)
      seen.answers.at(-1)!()
    }
    await closed
    expect(seen.heard.match(/answer to .*?(?=HTTP|$)|connection: \S+/gi)).toStrictEqual([
      "Connection: keep-alive",
      "answer to /",
      "Connection: close",
      "answer to /second"
    ])
    await stop()
  })

  it("is taken to be gone at once if it waits for changes", async () => {
    const { closed, seen, stop } = await halfClosed(get, { waits: true })
    await closed
    await until("the end of its connection", () => seen.isOver)
    expect(seen.heard).toBe("")
    await stop()
  })

  it("is taken to be gone if no answer comes soon", async () => {
    const { closed, seen, stop } = await halfClosed(get, { checkMillis: 10 })
    await closed
    await until("the end of its connection", () => seen.isOver)
    expect(seen.heard).toBe("")
    await stop()
  })

  it("has its connection closed at once if nothing is to be answered", async () => {
    const { closed, seen, stop } = await halfClosed("")
    await closed
    await until("the end of its connection", () => seen.isOver)
    await stop()
  })
})
