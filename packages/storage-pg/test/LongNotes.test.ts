import { afterAll, expect, it } from "@effect/vitest"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { caps } from "@lists-and-things/domain/model/Caps"
import { InstanceDump } from "@lists-and-things/domain/ports/InstanceDump"
import { addMillis } from "@lists-and-things/domain/model/EpochMillis"
import { newAccount, newList, newThings, noon } from "@lists-and-things/testing/Fixtures"
import { Effect, Layer } from "effect"
import { Database } from "../src/connection/Database.ts"
import * as PgStorage from "../src/PgStorage.ts"
import { openTestDatabase } from "../src/testing/TestDatabase.ts"
import { testVersions } from "../src/testing/TestServer.ts"
import { watchedDatabase } from "../src/testing/WatchedDatabase.ts"

const server = await openTestDatabase({ version: testVersions[0]! })
afterAll(() => server.stop())

/** The number of characters in the answer to each read among the short statements. */
const short: Array<number> = []
/** The number of characters that each statement sends. */
const sent: Array<number> = []
const watched = watchedDatabase((db) => ({
  values: (sql, params) =>
    Effect.map(db.values(sql, params), (rows) => {
      short.push(JSON.stringify(rows).length)
      return rows
    }),
  send: (sql, params) => {
    sent.push(JSON.stringify(params).length)
    return db.send(sql, params)
  }
})).pipe(Layer.provide(Database.layer(server.config())))

it.live("long notes are not read among short statements, which would wait", () =>
  Effect.gen(function* () {
    const { id: owner } = yield* newAccount()
    const { id: listId } = yield* newList(owner)
    const notes = ["", "short", "n".repeat(1_000_000), "m".repeat(1_000_000)]
    const made = yield* newThings(
      owner,
      listId,
      notes.map((note, at) => ({ note, created: addMillis(noon, at) }))
    )
    const store = yield* ThingStore
    for (const page of [0, 1]) {
      short.length = 0
      const { items } = yield* store.page(owner, { sort: "created" }, page, 2)
      expect(items.map(({ note }) => note)).toStrictEqual(notes.toReversed().slice(2 * page, 2 * page + 2))
      expect(short).toHaveLength(1)
      expect(short[0]).toBeLessThan(10_000)
    }
    short.length = 0
    const ids = made.map(({ id }) => id).toSorted()
    const named = new Map((yield* store.getMany(owner, ids)).map((thing) => [thing.id, thing.note]))
    expect([...named.keys()]).toStrictEqual(ids)
    expect(made.every(({ id, note }) => named.get(id) === note)).toBe(true)
    expect(short).toHaveLength(1)
    expect(short[0]).toBeLessThan(10_000)
    short.length = 0
    const held = yield* store.ofList(owner, listId)
    expect(held.map(({ note }) => note.length)).toStrictEqual(notes.map(({ length }) => length))
    expect(short).toStrictEqual([])
  }).pipe(Effect.provide(PgStorage.over.pipe(Layer.provide(watched))))
)

it.live("long notes are written in several statements, which are encoded one at a time", () =>
  Effect.gen(function* () {
    const { id: owner } = yield* newAccount()
    const { id: listId } = yield* newList(owner)
    const note = "n".repeat(caps.note)
    sent.length = 0
    const made = yield* newThings(owner, listId, [{ note }, {}, { note }])
    expect(Math.max(...sent)).toBeLessThan(1.1 * note.length)
    const store = yield* ThingStore
    sent.length = 0
    yield* Effect.flatMap(Storage, ({ transact }) =>
      transact(owner, (updated) =>
        store.put(
          owner,
          made.map((thing) => ({ ...thing, note: `${thing.note}.`, updated }))
        )
      )
    )
    expect(Math.max(...sent)).toBeLessThan(1.1 * note.length)
    const held = yield* store.ofList(owner, listId)
    expect(held.map(({ note }) => note.length)).toStrictEqual(made.map((thing) => thing.note.length + 1))
  }).pipe(Effect.provide(PgStorage.over.pipe(Layer.provide(watched))))
)

it.live("a dump has only a few long notes in memory at a time", () =>
  Effect.gen(function* () {
    const url = yield* Effect.promise(() => server.createDatabase("dumped"))
    yield* Effect.gen(function* () {
      const { id: owner } = yield* newAccount()
      const { id: list } = yield* newList(owner)
      const note = "n".repeat(caps.note / 10)
      const brief = Array.from({ length: 400 }, () => ({}))
      const long = Array.from({ length: 100 }, () => ({ note }))
      yield* newThings(owner, list, [...brief, ...long])
      const pieces: Array<number> = []
      const { dump } = yield* InstanceDump
      const rows = yield* dump((text) => Effect.sync(() => void pieces.push(text.length)))
      expect(rows["things"]).toBe(brief.length + long.length)
      expect(Math.max(...pieces)).toBeLessThan((long.length / 2) * note.length)
    }).pipe(Effect.provide(PgStorage.layer({ url })))
  })
)
