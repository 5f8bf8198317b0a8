import { afterAll, expect, it } from "@effect/vitest"
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { openSocket } from "../../src/connection/Servers.ts"
import { ResponseTimeout } from "../../src/connection/SqlErrors.ts"

const silent = createServer()
silent.on("connection", (socket) => socket.on("error", () => undefined).resume())
await once(silent.listen(0, "127.0.0.1"), "listening")
const { port } = silent.address() as AddressInfo
afterAll(() => void silent.close())

it("a server that is silent is given up, also on a connection that was idle for longer than that", async () => {
  const inFlight = { statements: 0, connections: 0 }
  const socket = openSocket({ host: "127.0.0.1", port, path: undefined }, inFlight, 50)
  await once(socket, "connect")
  await once(socket, "timeout")
  inFlight.statements = 1
  socket.write("select 1")
  const [failure] = (await once(socket, "error")) as [unknown]
  expect(failure).toBeInstanceOf(ResponseTimeout)
})
