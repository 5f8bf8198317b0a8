import { once } from "node:events"
import { connect } from "node:net"
import { afterAll, expect, it } from "@effect/vitest"
import { openInstallation } from "./Installation.ts"

const installation = await openInstallation(["fsync=off"])
const host = await installation.serve()
const { token } = await installation.person()
afterAll(() => installation.close())

/** Sends the beginning of a request and nothing after it; returns the answer until the server closes. */
const unfinished = async (beginning: string): Promise<string> => {
  const socket = connect(host.port, "127.0.0.1")
  let text = ""
  socket.on("data", (chunk: Buffer) => (text += chunk.toString()))
  socket.on("error", () => undefined)
  const closed = once(socket, "close")
  socket.write(beginning)
  await closed
  return text
}

it("headers and bodies that never end are answered with 408, and the connection is closed", async () => {
  const answers = await Promise.all([
    unfinished("GET /api/v1/tags HTTP/1.1\r\nHost: x\r\nX-A: b\r\n"),
    unfinished(
      `POST /api/v1/lists HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 100\r\n\r\n{`
    )
  ])
  for (const answer of answers) {
    expect(answer).toMatch(/^HTTP\/1\.1 408 /)
    expect(Object.keys(JSON.parse(answer.split("\r\n\r\n")[1] ?? "") as object)).toStrictEqual(["error"])
  }
})
