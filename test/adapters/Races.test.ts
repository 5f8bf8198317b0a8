import { layer as memory } from "@lists-and-things/storage-memory/MemoryStorage"
import * as PgStorage from "@lists-and-things/storage-pg/PgStorage"
import { openTestDatabase } from "@lists-and-things/storage-pg/testing/TestDatabase"
import { defaultLimits } from "@lists-and-things/domain/size/SizeLimits"
import * as fc from "fast-check"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { type Command, command, prelude } from "./Commands.ts"
import { KnownIds } from "./KnownIds.ts"
import { assertSound } from "./Model.ts"
import { makeInstance, type Instance } from "./Instance.ts"

/** 2026-11-21T12:00:00.000Z */
const start = Date.UTC(2026, 10, 21, 12)
const rounds = Number(process.env.LAT_RACES ?? 40)
/** Milliseconds. */
const netMillis = 600_000 + rounds * 5_000

const server = await openTestDatabase({ version: 18 })
const inMemory = makeInstance(memory)
const onPostgres = () => makeInstance(PgStorage.layer(server.config()))
/** The instances of one case share their data: they are one process, or two processes on one database. */
const cases: ReadonlyArray<readonly [string, ReadonlyArray<Instance>]> = [
  ["memory", [inMemory]],
  ["two processes on PostgreSQL", [onPostgres(), onPostgres()]]
]
afterAll(async () => {
  for (const [, instances] of cases) for (const instance of instances) await instance.dispose()
  await server.stop()
})

let count = 0

/** Runs batches of concurrent commands of both owners, spread over the processes. */
const race = (instances: ReadonlyArray<Instance>) => async (batches: ReadonlyArray<ReadonlyArray<Command>>) => {
  const seed = `race-${count++}`
  const first = instances[0]!
  const owners = (await first.begin(seed, start)).map(({ id }) => id)
  for (const [index, instance] of instances.entries()) instance.reseed(`${seed} ${index}`)
  const ids = new KnownIds()
  for (const batch of [...prelude.map((each) => [each]), ...batches]) {
    const answers = batch.map(({ operation, owner, args }, index) =>
      instances[index % instances.length]!.run(
        owners[owner]!,
        { operation, args: ids.resolveAll(owners[owner]!, args) },
        start
      )
    )
    for (const answer of await Promise.all(answers)) expect(answer).not.toContain("StorageUnavailable")
    for (const owner of owners) {
      const dump = await first.dump(owner)
      assertSound(dump, defaultLimits)
      ids.see(owner, dump)
    }
  }
}

describe("concurrent commands leave consistent data", () => {
  it.each(cases)(
    "%s",
    async (_, instances) => {
      const batches = fc.array(fc.array(command, { minLength: 2, maxLength: 8, size: "max" }), {
        minLength: 1,
        maxLength: 6,
        size: "max"
      })
      await fc.assert(fc.asyncProperty(batches, race(instances)), { numRuns: rounds, endOnFailure: true })
    },
    netMillis
  )
})
