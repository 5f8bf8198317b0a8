import { Effect } from "effect"
import cluster from "node:cluster"
import { once } from "node:events"
import { exchangePages } from "../../bin/WorkerMetrics.ts"
import { isWorker, reportReady, supervise } from "../../bin/Workers.ts"

// A worker that is killed while it waits for the metrics of all workers, which are collected after its end.
const pages = async (): Promise<string> => {
  const worker = Object.values(cluster.workers ?? {})[0]!
  const gone = once(worker, "exit")
  worker.process.kill("SIGKILL")
  await gone
  process.stdout.write(`worker ${worker.id} is gone\n`)
  return ""
}

const work = Effect.gen(function* () {
  yield* reportReady(1)
  if (cluster.worker?.id === 1) yield* Effect.promise(exchangePages(async () => ""))
  process.stdout.write(`worker ${cluster.worker?.id} serves\n`)
  return yield* Effect.never
})

Effect.runFork(isWorker ? work : Effect.scoped(supervise({ count: 1, isAnyPort: false, pages })))
