import * as EmbeddedPostgres from "@lists-and-things/storage-pg/embedded/EmbeddedPostgres"
import * as PgStorage from "@lists-and-things/storage-pg/PgStorage"
import { Effect, Layer, Logger, Redacted } from "effect"

/** A process that uses the embedded server, creates its schema and prints its URL, until its input ends. */
const hold = Effect.gen(function* () {
  const { url } = yield* EmbeddedPostgres.connect(process.env["LAT_DATA_DIR"]!)
  // Like a server, waits longer than `lat`: on a slow machine, the first connection to a new cluster takes a while.
  yield* Effect.scoped(Layer.build(PgStorage.layer({ url })))
  process.stdout.write(`${Redacted.value(url)}\n`)
  yield* Effect.callback<void>((resume) => {
    process.stdin.resume().once("end", () => resume(Effect.void))
  })
})

await Effect.runPromise(Effect.scoped(hold).pipe(Effect.provide(Logger.layer([]))))
process.exit(0)
