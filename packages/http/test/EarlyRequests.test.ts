import { once } from "node:events"
import { connect } from "node:net"
import { until } from "@lists-and-things/testing/Until"
import { describe, expect, it } from "@effect/vitest"
import { Listener } from "../src/edge/Listener.ts"
import { raw } from "./EdgeServer.ts"

const bound = async () => {
  const listener = new Listener()
  return { listener, port: await listener.listen({ host: "127.0.0.1", port: 0 }) }
}
const get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

describe("a request before the application is ready", () => {
  it("waits, and is answered in order; one whose client left is dropped", async () => {
    const { listener, port } = await bound()
    const came = once(listener.server, "request")
    const first = connect(port, "127.0.0.1")
    first.write(get)
    await came
    const gone = new Promise((resolve) => listener.server.once("connection", (socket) => socket.once("close", resolve)))
    const another = connect(port, "127.0.0.1")
    await once(another, "connect")
    another.destroy()
    await gone
    let opened = 0
    const answered = raw(port, get)
    await once(listener.server, "request")
    listener.serve(() => {
      opened++
      return { handle: (_request, response) => void response.end("here"), end: () => undefined }
    })
    expect((await answered).body).toBe("here")
    expect(await once(first, "data").then(([data]) => String(data))).toContain("here")
    expect(opened).toBe(2)
    first.destroy()
    await listener.stop(0)
  })

  it("waits with those behind it on its connection, and what cannot be served is refused after them", async () => {
    const { listener, port } = await bound()
    let arrived = 0
    listener.server.on("request", () => void arrived++)
    const refused = once(listener.server, "clientError")
    const heardFrom = (sent: string) => {
      const client = connect(port, "127.0.0.1")
      const seen = { text: "", closed: once(client, "close") }
      client.on("data", (data: Buffer) => (seen.text += data.toString()))
      client.write(sent)
      return seen
    }
    const expecting = heardFrom(`${get}${get.replace("\r\n\r\n", "\r\nExpect: more\r\n\r\n")}`)
    const invalid = heardFrom(`${get}${get}no request\r\n\r\n`)
    await refused
    await until("all requests", () => arrived === 3)
    listener.serve(() => ({
      handle: (_request, response) => void setImmediate(() => response.end("here")),
      end: () => undefined
    }))
    await Promise.all([expecting.closed, invalid.closed])
    const statuses = ({ text }: { readonly text: string }) => text.match(/(?<=^HTTP\/1\.1 |hereHTTP\/1\.1 )\d+/g)
    expect([statuses(expecting), statuses(invalid)]).toStrictEqual([
      ["200", "417"],
      ["200", "200", "400"]
    ])
    await listener.stop(0)
  })

  it("waits with at most 1,000 others on its connection, which is closed beyond that", async () => {
    const { listener, port } = await bound()
    const tooMany = connect(port, "127.0.0.1").on("error", () => undefined)
    tooMany.write(get.repeat(1_001))
    await once(tooMany, "close")
    const client = connect(port, "127.0.0.1")
    let text = ""
    client.on("data", (data: Buffer) => (text += data.toString()))
    let arrived = 0
    listener.server.on("request", () => void arrived++)
    client.write(get.repeat(1_000))
    await until("all requests", () => arrived === 1_000)
    listener.serve(() => ({ handle: (_request, response) => void response.end("here"), end: () => undefined }))
    await until("all answers", () => text.split("\r\n\r\nhere").length > 1_000)
    client.destroy()
    await listener.stop(0)
  })

  it("is closed if the application never starts", async () => {
    const { listener, port } = await bound()
    const came = once(listener.server, "request")
    const answered = raw(port, get)
    await came
    await listener.stop(0)
    await expect(answered).rejects.toThrow("closed without an answer")
  })
})
