import { once } from "node:events"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { expect, it } from "@effect/vitest"
import { portCheck } from "../src/commands/shell/MachineChecks.ts"

const checked = async (serve: (socket: Socket) => void, within?: number) => {
  const server = createServer(serve).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const sockets = new Set<Socket>()
  server.on("connection", (socket) => sockets.add(socket))
  const check = await portCheck({ host: "127.0.0.1", port, isReported: true }, within)
  server.close()
  for (const socket of sockets) socket.destroy()
  return { check, port }
}

it("a listener that gives no answer in time is not called another program", async () => {
  const { check, port } = await checked(() => {}, 20)
  expect(check).toMatchObject({
    state: "warning",
    found: `${port} on 127.0.0.1 is taken, and who listens there gives no answer`,
    advice: expect.stringContaining("a busy server answers later") as string
  })
})

it("a listener that answers otherwise is another program", async () => {
  const { check, port } = await checked((socket) => socket.end("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"))
  expect(check).toMatchObject({ state: "warning", found: `${port} on 127.0.0.1 is taken by another program` })
})
