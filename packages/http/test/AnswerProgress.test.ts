import { describe, expect, it } from "@effect/vitest"
import { connect } from "node:net"
import {
  type AnswerProgress,
  defaultAnswerTimeouts,
  isGivenUp,
  progressed,
  type SocketBytes
} from "../src/edge/AnswerProgress.ts"
import { Listener } from "../src/edge/Listener.ts"

/** Checks the progress once a second; returns for each check whether the answer is given up. */
const looks = (count: number, bytesAt: (second: number) => SocketBytes) => {
  let progress: AnswerProgress | undefined
  return Array.from({ length: count }, (_, second) => {
    progress = progressed(progress, bytesAt(second), second * 1_000)
    return isGivenUp(progress, defaultAnswerTimeouts)
  })
}

describe("the timeouts of an answer", () => {
  it("give up when the client reads nothing for 30 seconds", () => {
    expect(looks(60, () => ({ sent: 10, waiting: 1 })).indexOf(true)).toBe(30)
    expect(looks(60, (second) => ({ sent: Math.min(second, 20), waiting: 1 })).indexOf(true)).toBe(50)
  })

  it("give up when the client has not read everything within 5 minutes, however steadily it reads", () => {
    expect(looks(400, (second) => ({ sent: second, waiting: 1 })).indexOf(true)).toBe(300)
  })

  it("do not count time in which the server has sent nothing", () => {
    expect(looks(1_000, () => ({ sent: 0, waiting: 0 }))).not.toContain(true)
  })

  it("never end a stream whose client has read everything sent so far", () => {
    expect(looks(1_000, (second) => ({ sent: second, waiting: second % 60 === 0 ? 0 : 1 }))).not.toContain(true)
    expect(looks(1_000, (second) => ({ sent: second, waiting: second < 400 ? 0 : 1 })).indexOf(true)).toBe(699)
  })

  it("close the connection of a client that reads nothing, and leave one that reads", async () => {
    const bytes = 32 * 1024 ** 2
    const serving = async (silentMillis: number) => {
      const listener = new Listener({ silentMillis, wholeMillis: 600_000, checkMillis: 10 })
      listener.serve(() => ({
        handle: (_request, response) => void response.end(Buffer.alloc(bytes)),
        end: () => undefined
      }))
      const port = await listener.listen({ host: "127.0.0.1", port: 0 })
      const ask = () => {
        const socket = connect(port, "127.0.0.1").pause()
        socket.on("error", () => undefined)
        socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        return socket
      }
      return { ask, listener }
    }
    const impatient = await serving(1_000)
    const cut = new Promise<void>((resolve) => {
      impatient.listener.server.once("connection", (served) => served.once("close", () => resolve()))
    })
    impatient.ask()
    await cut
    // A process that is suspended reads nothing either.
    const patient = await serving(300_000)
    const read = await new Promise<number>((resolve) => {
      let size = 0
      const reader = patient.ask()
      reader.on("close", () => resolve(size))
      reader.on("data", (some) => {
        size += some.length
        if (size > bytes) reader.destroy()
      })
      reader.resume()
    })
    expect(read).toBeGreaterThan(bytes)
    await Promise.all([impatient, patient].map(({ listener }) => listener.stop(0)))
  })
})
