import { Effect } from "effect"
import { isWorker, supervise } from "../../bin/Workers.ts"

// One worker, which the system kills before it answers, as when memory is short.
const die = Effect.sync(() => process.kill(process.pid, "SIGKILL"))

Effect.runFork(isWorker ? die : Effect.scoped(supervise(1, async () => "")))
