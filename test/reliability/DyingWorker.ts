import { Effect } from "effect"
import { isWorker, supervise } from "../../bin/Workers.ts"

// A worker that is killed before it answers, as by the system when memory is short.
const die = Effect.sync(() => process.kill(process.pid, "SIGKILL"))

Effect.runFork(isWorker ? die : Effect.scoped(supervise({ count: 1, isAnyPort: false, pages: async () => "" })))
