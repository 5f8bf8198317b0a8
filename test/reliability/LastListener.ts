import { Effect } from "effect"
import cluster from "node:cluster"
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { isWorker, supervise, reportReady } from "../../bin/Workers.ts"

// With PORT=0, the only worker that listens is killed while the second one starts, which then listens.
process.env["PORT"] ??= "0"

cluster.on("online", (second) => {
  const first = cluster.workers?.[1]
  if (second.id !== 2 || first === undefined) return
  first.once("exit", () => second.isConnected() && second.send("first is gone"))
  first.process.kill("SIGKILL")
})

const work = Effect.promise(async () => {
  if (cluster.worker?.id === 2) await once(process, "message")
  const server = createServer().listen(Number(process.env["PORT"]), "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  process.stdout.write(`listens at ${port}\n`)
  return port
})

Effect.runFork(
  isWorker
    ? Effect.andThen(Effect.flatMap(work, reportReady), Effect.never)
    : Effect.scoped(supervise({ count: 2, isAnyPort: true, pages: async () => "" }))
)
