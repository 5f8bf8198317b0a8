import { afterAll, expect, it } from "@effect/vitest"
import { until } from "@lists-and-things/testing/Until"
import { Effect } from "effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Database } from "../src/connection/Database.ts"
import { openTestDatabase } from "../src/testing/TestDatabase.ts"
import { testVersions } from "../src/testing/TestServer.ts"

const server = await openTestDatabase({ version: testVersions[0]! })
afterAll(() => server.stop())

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

/** The number of objects that are still referenced; in a turn of its own, since `deref` keeps an object for a turn. */
const kept = (seen: ReadonlyArray<WeakRef<object>>): Promise<number> =>
  new Promise((resolve) =>
    setImmediate(() => {
      collect()
      resolve(seen.filter((each) => each.deref() !== undefined).length)
    })
  )

it.live("rows are released while further statements are sent without a pause", () =>
  Effect.gen(function* () {
    const db = yield* Database
    const seen: Array<WeakRef<object>> = []
    // Some take longer than others, so that one is always in progress.
    const read = (n: number) =>
      Effect.map(db.read("select repeat('x', 200) as text, pg_sleep($1::float8)", [0.0002 * (n % 3)]), (rows) => {
        seen.push(new WeakRef(rows))
      })
    const loops = Array.from({ length: 60 }, (_, n) => Effect.forever(read(n)))
    yield* Effect.forkChild(Effect.all(loops, { concurrency: "unbounded" }))
    yield* Effect.promise(() => until("6,000 answers", () => seen.length >= 6_000))
    expect(yield* Effect.promise(() => kept(seen))).toBeLessThan(600)
  }).pipe(Effect.provide(Database.layer({ url: server.url() })))
)
