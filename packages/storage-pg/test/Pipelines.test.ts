import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { afterAll } from "vitest"
import { Database } from "../src/Database.ts"
import { openTestDatabase } from "../src/testing/TestDatabase.ts"

const server = await openTestDatabase({ version: 18 })
afterAll(() => server.stop())

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void
const usedBytes = Effect.sync(() => {
  collect()
  return process.memoryUsage().heapUsed
})

it.live("rows are let go while more is asked for without a pause", () =>
  Effect.gen(function* () {
    const db = yield* Database
    // Some take longer than others, so that there is always one on the way.
    const rows = "select repeat('x', 20000) as text, pg_sleep($1::float8)"
    const loops = Array.from({ length: 60 }, (_, n) =>
      Effect.forever(Effect.andThen(db.read(rows, [0.0002 * (n % 3)]), Effect.sleep(n % 4)))
    )
    yield* Effect.forkChild(Effect.all(loops, { concurrency: "unbounded" }))
    yield* Effect.sleep(500)
    const before = yield* usedBytes
    yield* Effect.sleep(2_500)
    assert.isBelow((yield* usedBytes) - before, 40e6)
  }).pipe(Effect.provide(Database.layer({ url: server.url() })))
)
