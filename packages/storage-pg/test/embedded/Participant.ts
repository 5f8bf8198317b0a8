import { Effect } from "effect"
import { once } from "node:events"
import * as EmbeddedPostgres from "../../src/embedded/EmbeddedPostgres.ts"

/** A process that uses the embedded server of the given folder until it is told to end. */
const [dataDir = ""] = process.argv.slice(2)

const ended = Promise.race([once(process, "SIGTERM"), once(process.stdin.resume(), "end")])

const program = Effect.gen(function* () {
  const connection = yield* EmbeddedPostgres.connect(dataDir)
  const { pid } = yield* EmbeddedPostgres.status(dataDir)
  process.stdout.write(`${JSON.stringify({ pid, socketDir: connection.socketDir })}\n`)
  yield* Effect.promise(() => ended)
})

await Effect.runPromise(Effect.scoped(program)).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${String(error)}\n`)
    process.exit(1)
  }
)
