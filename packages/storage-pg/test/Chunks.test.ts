import { afterAll, expect, it } from "@effect/vitest"
import { addMillis } from "@lists-and-things/domain/model/EpochMillis"
import { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import { OAuthStore } from "@lists-and-things/domain/ports/OAuthStore"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { at, newAccount, newList, newThings, noon } from "@lists-and-things/testing/Fixtures"
import { written } from "@lists-and-things/testing/Operations"
import { Effect, Layer } from "effect"
import { rowsPerChunk } from "../src/Chunks.ts"
import { chunkBytes } from "../src/Chunks.ts"
import { Database } from "../src/connection/Database.ts"
import * as PgStorage from "../src/PgStorage.ts"
import { openTestDatabase } from "../src/testing/TestDatabase.ts"
import { testVersions } from "../src/testing/TestServer.ts"
import { watchedDatabase } from "../src/testing/WatchedDatabase.ts"

const server = await openTestDatabase({ version: testVersions[0]! })
afterAll(() => server.stop())

/** Whose images or operations each write removed, and how many. */
const removed: Array<readonly [owner: unknown, rows: number]> = []
const chunksOf = (owner: string) => removed.flatMap(([whose, rows]) => (whose === owner ? [rows] : []))
/** How many grants each write revoked. */
const revocations: Array<unknown> = []
const watched = watchedDatabase((db) => ({
  write: (sql, params) =>
    Effect.map(db.write(sql, params), (rows) => {
      if (/update oauth_grants/.test(sql) && rows.length > 0) revocations.push(rows[0]?.["changed"])
      if (/operation_images/.test(sql) && rows.length > 0) removed.push([params?.[0], rows.length])
      return rows
    })
})).pipe(Layer.provide(Database.layer(server.config())))
const layer = PgStorage.over.pipe(Layer.provideMerge(watched))

/** An account with five operations, of whose images each has two fifths of what one statement deletes, or so it says. */
const given = Effect.gen(function* () {
  const db = yield* Database
  const { id: owner } = yield* newAccount()
  const things = yield* ThingStore
  const list = yield* newList(owner)
  const [thing] = yield* newThings(owner, list.id, [{}])
  for (let n = 0; n < 5; n++)
    yield* written(owner, () => things.put(owner, [{ ...thing!, text: `${n}` }])).pipe(at(addMillis(noon, n)))
  const bytes = Math.round(chunkBytes * 0.4)
  yield* db.write("update operation_images set bytes = $2 where owner_id = $1", [owner, bytes])
  yield* db.write("update write_clocks set image_bytes = 5 * $2 where owner_id = $1", [owner, bytes])
  const counted = Effect.map(
    db.read("select image_bytes::float8 / $2 as images from write_clocks where owner_id = $1", [owner, bytes]),
    ([row]) => row?.images
  )
  removed.length = 0
  return { owner, counted, bytes, history: yield* HistoryStore }
})

it.live("revokes all grants of an account in few statements", () =>
  Effect.gen(function* () {
    const { id: owner } = yield* newAccount()
    const many = rowsPerChunk + 3
    yield* (yield* Database).write(
      `insert into oauth_grants (owner_id, id, client_id, client_name, scopes, created)
        select $1::uuid, gen_random_uuid(), '', '', '{}', 0 from generate_series(1, ${many})`,
      [owner]
    )
    revocations.length = 0
    expect(yield* (yield* OAuthStore).revokeGrants(owner, noon)).toBe(many)
    expect(revocations).toStrictEqual([rowsPerChunk, 3])
  }).pipe(Effect.provide(layer))
)

it.live("erases images in chunks of bytes", () =>
  Effect.gen(function* () {
    const { owner, counted, history } = yield* given
    expect(yield* history.erase(owner, { before: addMillis(noon, 60_000) })).toBe(5)
    expect(chunksOf(owner)).toStrictEqual([3, 2])
    expect(yield* counted).toBe(0)
  }).pipe(Effect.provide(layer))
)

it.live("prunes operations in chunks of bytes", () =>
  Effect.gen(function* () {
    const { owner, counted, history } = yield* given
    expect(yield* history.prune(addMillis(noon, 60_000), 500)).toBeGreaterThanOrEqual(4)
    expect(chunksOf(owner)).toStrictEqual([3, 1])
    expect(yield* counted).toBe(1)
  }).pipe(Effect.provide(layer))
)

it.live("prunes images in chunks of bytes, until the rest fits", () =>
  Effect.gen(function* () {
    const { owner, bytes, counted, history } = yield* given
    expect(yield* history.pruneImages(bytes, 500)).toBe(4)
    expect(chunksOf(owner)).toStrictEqual([3, 1])
    expect(yield* counted).toBe(1)
  }).pipe(Effect.provide(layer))
)

it.live("deletes an account in chunks of bytes", () =>
  Effect.gen(function* () {
    const { owner } = yield* given
    expect(yield* (yield* AccountStore).remove(owner)).toBe(true)
    expect(chunksOf(owner)).toStrictEqual([3, 2])
  }).pipe(Effect.provide(layer))
)

it.live("clears the references to a list in chunks", () =>
  Effect.gen(function* () {
    const db = yield* Database
    const { id: owner } = yield* newAccount()
    const things = yield* ThingStore
    const [home, target] = [yield* newList(owner), yield* newList(owner)]
    const [thing] = yield* newThings(owner, home.id, [{ listRef: target.id }])
    yield* db.write(
      `insert into things select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid()))).*
        from things t cross join generate_series(1, 1000) where t.owner_id = $1 and t.id = $2`,
      [owner, thing!.id]
    )
    removed.length = 0
    yield* written(owner, () => things.clearListRef(owner, target.id, addMillis(noon, 1)))
    expect(chunksOf(owner)).toHaveLength(2)
    expect(yield* things.referringTo(owner, [target.id])).toHaveLength(0)
  }).pipe(Effect.provide(layer))
)
