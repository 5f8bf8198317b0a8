import * as EmbeddedPostgres from "@lists-and-things/storage-pg/embedded/EmbeddedPostgres"
import { Effect, Redacted } from "effect"

/** A process that uses the embedded server, and says where it is, until its input ends. */
const hold = Effect.gen(function* () {
  const { url } = yield* EmbeddedPostgres.connect(process.env["LAT_DATA_DIR"]!)
  process.stdout.write(`${Redacted.value(url)}\n`)
  yield* Effect.callback<void>((resume) => {
    process.stdin.resume().once("end", () => resume(Effect.void))
  })
})

await Effect.runPromise(Effect.scoped(hold))
process.exit(0)
