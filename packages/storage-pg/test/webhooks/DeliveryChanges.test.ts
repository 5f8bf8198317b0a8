import { afterAll, expect, it } from "@effect/vitest"
import { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { noon } from "@lists-and-things/testing/Fixtures"
import { leasesOf, minute, newWebhook } from "@lists-and-things/testing/WebhookFixtures"
import { Effect, Layer } from "effect"
import { Database } from "../../src/connection/Database.ts"
import * as PgStorage from "../../src/PgStorage.ts"
import { openTestDatabase } from "../../src/testing/TestDatabase.ts"
import { testVersions } from "../../src/testing/TestServer.ts"
import { rowsPerChunk } from "../../src/Chunks.ts"
import { watchedDatabase } from "../../src/testing/WatchedDatabase.ts"

for (const version of testVersions) {
  const server = await openTestDatabase({ version })
  afterAll(() => server.stop())
  /** How many deliveries each statement changed. */
  const changed: Array<unknown> = []
  const watched = watchedDatabase((db) => ({
    write: (sql, params) =>
      Effect.tap(db.write(sql, params), ([row]) =>
        Effect.sync(() => void (row !== undefined && "changed" in row && changed.push(row["changed"])))
      )
  })).pipe(Layer.provide(Database.layer(server.config())))
  const layer = PgStorage.over.pipe(Layer.provideMerge(watched))

  /** A webhook for which a little more wait than two statements change, after a failure. */
  const withBacklog = Effect.gen(function* () {
    const { made, owner, store } = yield* newWebhook()
    const more = rowsPerChunk * 2 + 5
    yield* Effect.promise(() =>
      server.sql(`insert into webhook_deliveries (owner_id, webhook_id, id, event, message_id, body, notice, position,
          in_turn, attempts, status, created, next_attempt)
        select '${owner}', '${made.id}', gen_random_uuid(), 'operation', n::text, '{}', '{}', n, false, 1, 500,
          ${noon + minute} + n / 10, ${noon} + n / 10 from generate_series(1, ${more}) as n`)
    )
    const waiting = Effect.promise(async () => {
      const [row] = await server.sql(`select count(*)::int4 as waiting from webhook_deliveries
        where webhook_id = '${made.id}' and next_attempt is not null`)
      return row?.["waiting"]
    })
    changed.length = 0
    return { made, owner, store, waiting, more }
  })

  it.live(`PostgreSQL ${version}: a backlog that a clock ahead has dated is corrected in steps`, () =>
    Effect.gen(function* () {
      const { made, more, owner, store, waiting } = yield* withBacklog
      yield* Effect.promise(() => server.sql(`update webhook_accounts set clock = 9e15 where owner_id = '${owner}'`))
      const earlier = EpochMillis(noon - 365 * 86_400_000)
      yield* store.correctDates(earlier, earlier)
      expect(changed).toStrictEqual([rowsPerChunk, rowsPerChunk, 5])
      const { items } = yield* store.deliveries(owner, made.id, 0, more)
      expect(new Set(items.map(({ created }) => created))).toStrictEqual(new Set([earlier]))
      expect(yield* waiting).toBe(more)
    }).pipe(Effect.provide(layer))
  )

  it.live(`PostgreSQL ${version}: a backlog is replayed in steps`, () =>
    Effect.gen(function* () {
      const { made, more, owner, store } = yield* withBacklog
      const later = EpochMillis(noon + 9 * minute)
      expect(yield* store.replaySince(owner, made.id, EpochMillis(noon + minute + 1), later)).toBe(more - 9)
      expect(changed).toStrictEqual([rowsPerChunk, more - 9 - rowsPerChunk])
      // As if the first had been cut off: what it has done stays.
      expect(yield* store.replaySince(owner, made.id, EpochMillis(noon + minute), later)).toBe(more)
      expect(changed.slice(2)).toStrictEqual([9, 0, 0])
    }).pipe(Effect.provide(layer))
  )

  it.live(`PostgreSQL ${version}: a backlog is left alone when its webhook is switched off, and ends in steps`, () =>
    Effect.gen(function* () {
      const { made, more, owner, store, waiting } = yield* withBacklog
      const leases = yield* leasesOf(owner)
      expect(leases).toHaveLength(8)
      yield* store.update({ ...made, enabled: false })
      expect([changed, yield* waiting]).toStrictEqual([[], more])
      expect(yield* leasesOf(owner)).toStrictEqual([])
      yield* store.clear(owner, made.id, "waiting")
      expect([changed, yield* waiting]).toStrictEqual([[rowsPerChunk, rowsPerChunk - 3], 8])
      yield* store.update(made)
      expect([changed.slice(2), yield* waiting]).toStrictEqual([[8], 0])
      expect(yield* leasesOf(owner)).toStrictEqual([])
    }).pipe(Effect.provide(layer))
  )

  it.live(`PostgreSQL ${version}: a backlog ends in steps when its event is taken off, or its webhook removed`, () =>
    Effect.gen(function* () {
      const { made, owner, store, waiting } = yield* withBacklog
      expect(yield* leasesOf(owner)).toHaveLength(8)
      yield* store.endWaiting(owner, made.id, ["operation"])
      expect([changed, yield* waiting]).toStrictEqual([[rowsPerChunk, rowsPerChunk - 3], 8])
      yield* store.update({ ...made, events: ["reminder.due"] })
      expect([changed.slice(2), yield* waiting]).toStrictEqual([[8], 0])
      changed.length = 0
      yield* store.clear(owner, made.id, "all")
      expect(changed).toStrictEqual([])
      yield* store.update({ ...made, enabled: false })
      yield* store.clear(owner, made.id, "all")
      expect(changed).toStrictEqual([rowsPerChunk, rowsPerChunk, 5])
      expect(yield* store.remove(owner, made.id)).toBe(true)
      expect(yield* store.get(owner, made.id)).toBeUndefined()
    }).pipe(Effect.provide(layer))
  )
}
