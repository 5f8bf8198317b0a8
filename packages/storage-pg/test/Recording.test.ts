import { afterAll, describe, expect, it } from "@effect/vitest"
import { caps } from "@lists-and-things/domain/model/Caps"
import { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { freshId, newAccount, newList, newThings, thing } from "@lists-and-things/testing/Fixtures"
import { makeCall, withCall } from "@lists-and-things/testing/Operations"
import { Effect, Exit } from "effect"
import * as PgStorage from "../src/PgStorage.ts"
import { openTestDatabase } from "../src/testing/TestDatabase.ts"
import { testVersions } from "../src/testing/TestServer.ts"

for (const version of testVersions) {
  const server = await openTestDatabase({ version })
  afterAll(() => server.stop())
  const ask = (text: string) => Effect.promise(() => server.sql(text))
  const test = (name: string, effect: Effect.Effect<void, unknown, PgStorage.Ports>) =>
    it.live(name, () => effect.pipe(Effect.provide(PgStorage.layer({ url: server.url() }))))

  /** An account with one thing, and the size of its history tables. */
  const given = Effect.gen(function* () {
    const { id: owner } = yield* newAccount()
    const home = yield* newList(owner)
    const [milk] = yield* newThings(owner, home.id, [{ text: "Milk" }])
    const rows = Effect.map(
      ask(`select (select count(*)::int4 from operations where owner_id = '${owner}') as operations,
        (select count(*)::int4 from operation_images where owner_id = '${owner}') as images,
        (select image_bytes::int4 from write_clocks where owner_id = '${owner}') as bytes`),
      ([row]) => ({ ...row })
    )
    return { owner, home, milk: milk!, rows, storage: yield* Storage, things: yield* ThingStore }
  })

  const nothing = { operations: 0, images: 0, bytes: 0 }

  describe(`PostgreSQL ${version}: a write and its operation`, () => {
    test(
      "are both absent after a transaction whose COMMIT fails",
      Effect.gen(function* () {
        const { home, milk, owner, rows, storage, things } = yield* given
        yield* ask(`create function refuse_late() returns trigger language plpgsql as $$
          begin raise exception using errcode = '23503'; end $$`)
        yield* ask(`create constraint trigger refuse_late after insert on things deferrable initially deferred
          for each row when (new.text = 'Refused late') execute function refuse_late()`)
        const refused = thing(owner, home.id, { text: "Refused late" })
        const call = makeCall()
        const write = Effect.andThen(
          things.put(owner, [{ ...milk, text: "Oat milk" }]),
          things.insert(owner, [refused])
        )
        const exit = yield* Effect.exit(storage.transact(owner, () => write).pipe(withCall(call)))
        expect(Exit.isFailure(exit)).toBe(true)
        expect(yield* rows).toStrictEqual(nothing)
        expect(yield* things.ofList(owner, home.id)).toStrictEqual([milk])
        expect(call.recorded).toBeUndefined()
      })
    )

    test(
      "are both absent if the operation cannot be stored",
      Effect.gen(function* () {
        const { home, milk, owner, rows, storage, things } = yield* given
        yield* ask(`create function refuse() returns trigger language plpgsql as $$
          begin raise exception using errcode = '53100'; end $$`)
        yield* ask("create trigger refuse before insert on operations for each row execute function refuse()")
        const { position: _, created: __, updated: ___, ...fields } = thing(owner, home.id)
        const call = makeCall()
        for (const write of [
          storage.transact(owner, () => things.put(owner, [{ ...milk, text: "Oat milk" }])),
          things.append(fields)
        ]) {
          const error = yield* Effect.flip(write.pipe(withCall(call)))
          expect(error).toMatchObject({ _tag: "StorageUnavailable", outcome: "not-applied", full: true })
          expect(yield* rows).toStrictEqual(nothing)
          expect(yield* things.ofList(owner, home.id)).toStrictEqual([milk])
        }
        yield* ask("drop trigger refuse on operations")
        expect(call.recorded).toBeUndefined()
        yield* things.append(fields).pipe(withCall(call))
        expect(call.recorded).toBeDefined()
        expect(yield* rows).toStrictEqual({ ...nothing, operations: 1 })
      })
    )

    test(
      "are one pair per thing when things are appended in a batch",
      Effect.gen(function* () {
        const { home, owner, things } = yield* given
        const calls = Array.from({ length: 40 }, (_, n) => makeCall({ requestId: `${n}` }))
        const added = yield* Effect.forEach(
          calls,
          (call) => {
            const { position: _, created: __, updated: ___, ...fields } = thing(owner, home.id)
            return things.append(fields).pipe(withCall(call))
          },
          { concurrency: "unbounded" }
        )
        const history = yield* HistoryStore
        for (const [at, call] of calls.entries()) {
          const operation = yield* history.get(owner, call.recorded!)
          expect(operation).toMatchObject({ requestId: call.requestId, at: (added[at] as { updated: number }).updated })
        }
        expect(new Set(calls.map(({ recorded }) => recorded)).size).toBe(40)
      })
    )

    test(
      "store images of many things as rows, which need half of the space",
      Effect.gen(function* () {
        const { home, milk, owner, storage, things } = yield* given
        const many = yield* newThings(
          owner,
          home.id,
          Array.from({ length: 40 }, (_, n) => ({ text: `Carton ${n}` }))
        )
        const bytes = (call: { readonly recorded?: string | undefined }) =>
          Effect.map(
            ask(`select i.columns, i.bytes from operation_images i join operations o using (owner_id, stamp)
              where o.id = '${call.recorded}'`),
            ([row]) => row
          )
        const [one, all] = [makeCall(), makeCall()]
        yield* storage.transact(owner, () => things.remove(owner, [milk.id])).pipe(withCall(one))
        yield* storage
          .transact(owner, () =>
            things.remove(
              owner,
              many.map(({ id }) => id)
            )
          )
          .pipe(withCall(all))
        const [object, rows] = [yield* bytes(one), yield* bytes(all)]
        expect(object?.columns).toBeNull()
        expect(rows?.columns).toMatch(/^id,list_id,/)
        expect(Number(rows?.bytes)).toBeLessThan(20 * Number(object?.bytes))
      })
    )

    test(
      "store long images in several rows, so that a dump has few of them in memory",
      Effect.gen(function* () {
        const { home, owner, storage, things } = yield* given
        const note = "n".repeat(caps.note / 2)
        const made = yield* newThings(owner, home.id, [{ note }, { note }, { note }])
        const long = made.toSorted((a, b) => (a.id < b.id ? -1 : 1))
        const ids = long.map(({ id }) => id)
        const history = yield* HistoryStore
        const favorited = long.map((each) => ({ ...each, favorited: true }))
        for (const [write, before] of [
          [things.put(owner, favorited, new Map(long.map((each) => [each.id, each]))), long],
          [Effect.asVoid(things.remove(owner, ids)), favorited]
        ] as const) {
          const call = makeCall()
          yield* storage.transact(owner, () => write).pipe(withCall(call))
          const { at } = (yield* history.get(owner, call.recorded!))!
          const rows = yield* ask(`select ids from operation_images where owner_id = '${owner}' and stamp = ${at}`)
          expect(rows).toHaveLength(2)
          const imaged = (yield* history.entities(owner, at, 10))!.items.map((change) => change.before?.value)
          expect(imaged).toStrictEqual(before)
        }
      })
    )

    test(
      "are erased in several transactions where there are many, so that none of them takes long",
      Effect.gen(function* () {
        const { milk, owner, rows, storage, things } = yield* given
        const call = makeCall()
        yield* storage.transact(owner, () => things.remove(owner, [milk.id])).pipe(withCall(call))
        const copies = (table: string) =>
          ask(`insert into ${table} select c.* from ${table} t, generate_series(1, 600) n, jsonb_populate_record(t,
              jsonb_build_object('stamp', t.stamp - n, 'id', gen_random_uuid())) c
            where t.owner_id = '${owner}' and t.stamp = (select max(stamp) from operations where owner_id = '${owner}')`)
        yield* copies("operations")
        yield* copies("operation_images")
        yield* ask(`update write_clocks set image_bytes = (select sum(bytes) from operation_images
          where owner_id = '${owner}') where owner_id = '${owner}'`)
        const { operations } = yield* rows
        const history = yield* HistoryStore
        expect(yield* history.erase(owner, { before: EpochMillis(8.64e15) })).toBe(operations)
        expect(yield* rows).toStrictEqual({ operations, images: operations, bytes: 0 })
        const [transactions] = yield* ask(
          `select count(distinct xmin::text)::int4 as count from operations where owner_id = '${owner}'`
        )
        expect(transactions?.count).toBe(2)
      })
    )

    test(
      "need less than a kilobyte for one thing, besides its image",
      Effect.gen(function* () {
        const { milk, owner, storage, things } = yield* given
        const call = makeCall({ requestId: freshId(), by: { type: "app", id: freshId(), name: "An assistant" } })
        yield* storage.transact(owner, () => things.put(owner, [{ ...milk, text: "Oat milk" }])).pipe(withCall(call))
        const [size] = yield* ask(`select (
            select sum(pg_column_size(o.*)) from operations o where o.owner_id = '${owner}') + (
            select sum(pg_column_size(i.*) - pg_column_size(i.images)) from operation_images i
            where i.owner_id = '${owner}') as bytes`)
        expect(Number(size?.bytes)).toBeLessThan(1_000)
      })
    )
  })
}
