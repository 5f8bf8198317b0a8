import { afterAll, expect, it } from "@effect/vitest"
import { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { InstanceDump } from "@lists-and-things/domain/ports/InstanceDump"
import { Effect } from "effect"
import * as PgStorage from "../src/PgStorage.ts"
import { dumpText, loadText } from "../src/testing/DumpText.ts"
import { openTestDatabase } from "../src/testing/TestDatabase.ts"
import { testVersions } from "../src/testing/TestServer.ts"

const server = await openTestDatabase({ version: testVersions[0]! })
afterAll(() => server.stop())

const reserve = { folder: "/data", bytes: 1, measure: () => Promise.resolve(0) }

it.live("a load whose connection is lost before its commit has changed nothing, and says so", () =>
  Effect.gen(function* () {
    const instance = yield* InstanceDump
    let text = ""
    yield* instance.dump((more) => Effect.sync(() => void (text += more)))
    const bytes = Buffer.from(text)
    const pieces = (between: Effect.Effect<unknown>) => {
      const left = [bytes.subarray(0, bytes.length / 2), bytes.subarray(bytes.length / 2)]
      return Effect.suspend(() => Effect.as(left.length === 1 ? between : Effect.void, left.shift()))
    }
    const terminated = Effect.promise(() =>
      server.sql(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and state = 'idle in transaction'`)
    )
    const lost = yield* Effect.flip(instance.load(pieces(terminated), { live: false }))
    expect(lost).toBeInstanceOf(StorageUnavailable)
    expect(lost).toMatchObject({ outcome: "not-applied" })
    expect(yield* instance.load(pieces(Effect.void), { live: false })).toMatchObject({ accounts: 0, things: 0 })
  }).pipe(Effect.provide(PgStorage.layer(server.config())))
)

it.live("a load replaces what an installation without accounts still holds", () =>
  Effect.gen(function* () {
    const attempt = "insert into attempts values ('00000000-0000-7000-8000-000000000001', 1, 1)"
    yield* Effect.promise(() => server.sql(attempt))
    const dumped = yield* Effect.promise(() => dumpText(PgStorage.layer(server.config())))
    const counts = yield* Effect.promise(() => loadText(PgStorage.layer(server.config()), dumped))
    expect(counts).toMatchObject({ attempts: 1 })
  })
)

it.live("a dump with a schema that no release has is refused as damaged", () =>
  Effect.gen(function* () {
    const ports = PgStorage.layer(server.config())
    const dumped = yield* Effect.promise(() => dumpText(ports))
    // In pieces, so that the header is read before the checksum.
    for (const schema of ["", "2,3", "1,1,2,3", "1,2,3,4,6", "-1,1,2"]) {
      const altered = dumped.replace(/"schema":\[[\d,]*\]/, `"schema":[${schema}]`)
      const refused = yield* Effect.promise(() => loadText(ports, altered, 200).catch((error: unknown) => error))
      expect(refused).toMatchObject({ _tag: "InvalidInput", reason: "is damaged: no release has its schema" })
    }
  })
)

it.live("a load that would use up the reserve of free space is refused, and has changed nothing", () =>
  Effect.gen(function* () {
    const full = PgStorage.layer({ ...server.config(), reserve })
    const dumped = yield* Effect.promise(() => dumpText(full))
    const refused = yield* Effect.promise(() => loadText(full, dumped).catch((error: unknown) => error))
    expect(refused).toMatchObject({ _tag: "StorageUnavailable", full: true, outcome: "not-applied" })
    expect(yield* Effect.promise(() => server.sql("select from attempts"))).toHaveLength(1)
  })
)
