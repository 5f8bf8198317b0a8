import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { reportClock } from "../../src/servers/ClockReport.ts"
import { StorageUnavailable } from "../../src/model/Errors.ts"
import { StorageAdmin, type StorageStatus } from "../../src/ports/StorageAdmin.ts"
import { addMillis, EpochMillis } from "../../src/model/EpochMillis.ts"

const noon = EpochMillis(Date.UTC(2026, 0, 5, 12))
const hour = 3_600_000

const healthy: StorageStatus = {
  adapter: "postgres",
  location: "",
  embedded: false,
  serverVersion: "18.4",
  schemaVersion: 1,
  latestSchemaVersion: 1,
  processes: 1,
  trigrams: true,
  acceptsWrites: true,
  otherWritable: [],
  missingRoleSettings: null,
  clock: noon,
  lastWrite: noon
}

const linesFor = (status: StorageAdmin["Service"]["status"]) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(String(message)))
    yield* TestClock.setTime(noon)
    yield* reportClock.pipe(
      Effect.provideService(
        StorageAdmin,
        StorageAdmin.of({
          status,
          connections: Effect.die("unused"),
          history: Effect.die("unused"),
          stats: () => Effect.die("unused"),
          orphans: Effect.die("unused"),
          migrate: Effect.die("unused")
        })
      ),
      Effect.provide(Logger.layer([logger]))
    )
    return lines
  })

describe("the clock report of a starting server", () => {
  it.effect("is empty if the clocks agree, also if nothing was written or the storage is unavailable", () =>
    Effect.gen(function* () {
      expect(yield* linesFor(Effect.succeed(healthy))).toStrictEqual([])
      expect(yield* linesFor(Effect.succeed({ ...healthy, lastWrite: null }))).toStrictEqual([])
      expect(yield* linesFor(Effect.fail(new StorageUnavailable({ outcome: "not-applied" })))).toStrictEqual([])
    })
  )

  it.effect("names a difference from the database's clock, and from the last write", () =>
    Effect.gen(function* () {
      expect(yield* linesFor(Effect.succeed({ ...healthy, clock: addMillis(noon, -3 * hour) }))).toStrictEqual([
        "The database's clock is 3 hours behind this machine's."
      ])
      expect(yield* linesFor(Effect.succeed({ ...healthy, clock: addMillis(noon, 3 * hour) }))).toStrictEqual([
        "The database's clock is 3 hours ahead of this machine's."
      ])
      const ahead = yield* linesFor(Effect.succeed({ ...healthy, lastWrite: addMillis(noon, 8760 * hour) }))
      expect(ahead).toStrictEqual([
        "The last write of an account is dated 365 days ahead of this machine's clock. 'lat doctor' tells more."
      ])
    })
  )
})
