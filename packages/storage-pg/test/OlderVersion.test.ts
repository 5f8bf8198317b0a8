import { afterAll, describe, expect, it } from "@effect/vitest"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { SizeStore } from "@lists-and-things/domain/ports/SizeStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { account, newAccount, newList, newThings, noon, thing } from "@lists-and-things/testing/Fixtures"
import type { AccountId, ListId } from "@lists-and-things/domain/model/Ids"
import { Effect, Exit, Fiber, Scope } from "effect"
import { until } from "@lists-and-things/testing/Until"
import * as PgStorage from "../src/PgStorage.ts"
import { openTestDatabase } from "../src/testing/TestDatabase.ts"
import { testVersions } from "../src/testing/TestServer.ts"
import { thingRecord } from "../src/things/ThingRecords.ts"

/** The statements of schema 4, of a version that maintains no counts. */
const stampThen = (owner: string, statements: ReadonlyArray<string>) => [
  `update accounts set last_write = last_write + 1 where id = '${owner}'`,
  ...statements
]
const touched = (owner: string, list: string) =>
  `update lists set updated = (select last_write from accounts where id = '${owner}') where id = '${list}'`

/** Default values: that version writes every field of a thing that it adds. */
const flags = ["completed", "canceled", "bold", "italic", "underline", "header", "subheader", "quote", "code"]
const blank = {
  ...{ tabs: 0, favorited: false, url: "", tags: [], photos: [], note: "", tag_keys: [], tag_names: [] },
  ...Object.fromEntries(flags.map((flag) => [flag, false]))
}

for (const version of testVersions) {
  const server = await openTestDatabase({ version })
  const url = await server.createDatabase("beside")
  /** A program from before schema 10, connected while the schema is created and until the tests end. */
  const connected = await Effect.runPromise(Scope.make())
  const older = await Effect.runPromise(
    Scope.provide(PgConnection.make({ url, applicationName: "lists-and-things 1 0badc0de" }), connected)
  )
  afterAll(async () => {
    await Effect.runPromise(Scope.close(connected, Exit.void))
    await server.stop()
  })
  const ask = (statement: string) => Effect.map(Effect.orDie(older.query(statement)), ({ rows }) => rows)
  const run = (statements: ReadonlyArray<string>) => Effect.forEach(statements, ask, { discard: true })

  const sizes = (owner: AccountId, ids: ReadonlyArray<ListId>) =>
    Effect.gen(function* () {
      const store = yield* SizeStore
      const found = yield* (yield* Storage).transact(owner, () => store.sizes(owner, ids))
      return [found.account.things, ...ids.map((id) => found.lists.get(id)?.things)]
    })

  const setup = Effect.gen(function* () {
    const { id: owner } = yield* newAccount()
    const [one, other] = [yield* newList(owner), yield* newList(owner)]
    yield* newThings(owner, one.id, [{}, {}, {}])
    yield* newThings(owner, other.id, [{}])
    expect(yield* sizes(owner, [one.id, other.id])).toStrictEqual([4, 3, 1])
    return { owner, one: one.id, other: other.id, things: yield* ThingStore }
  })

  const newThing = (owner: AccountId, list: ListId) => {
    const { position: _position, created: _created, updated: _updated, ...fields } = thing(owner, list)
    return fields
  }

  const test = (name: string, body: Effect.Effect<void, unknown, PgStorage.Ports>) =>
    it.live(name, () => body.pipe(Effect.provide(PgStorage.layer({ url }))) as Effect.Effect<void>)

  describe(`PostgreSQL ${version}: beside a version that maintains no counts`, () => {
    test(
      "lists in which it added, moved and deleted things are counted again",
      Effect.gen(function* () {
        const { one, other, owner } = yield* setup
        yield* run(stampThen(owner, [`delete from things where list_id = '${one}'`, touched(owner, one)]))
        expect(yield* sizes(owner, [one, other])).toStrictEqual([1, 0, 1])
        const moved = `update things set list_id = '${one}' where list_id = '${other}'`
        yield* run(stampThen(owner, [moved, touched(owner, one), touched(owner, other)]))
        expect(yield* sizes(owner, [one, other])).toStrictEqual([1, 1, 0])
        const record = thingRecord(thing(owner, other))
        const item = { item: 0, owner_id: owner, ...blank, ...JSON.parse(JSON.stringify(record)) }
        yield* run([`select * from append_things(1, null, true, '${JSON.stringify([item])}')`])
        expect(yield* sizes(owner, [one, other])).toStrictEqual([2, 1, 1])
        yield* run(
          stampThen(owner, [`delete from things where list_id = '${one}'`, `delete from lists where id = '${one}'`])
        )
        expect(yield* sizes(owner, [one, other])).toStrictEqual([1, undefined, 1])
      })
    )

    test(
      "a write of this version in between does not hide uncounted changes",
      Effect.gen(function* () {
        const { one, other, owner, things } = yield* setup
        yield* run(stampThen(owner, [`delete from things where list_id = '${one}'`, touched(owner, one)]))
        const lists = yield* ListStore
        const storage = yield* Storage
        yield* storage.transact(owner, (stamp) => lists.touch(owner, [one, other], stamp))
        yield* newThings(owner, one, [{}])
        expect(yield* things.append(newThing(owner, other))).toBe("no room")
        expect(yield* sizes(owner, [one, other])).toStrictEqual([2, 1, 1])
        expect(yield* things.append(newThing(owner, other))).toBeTypeOf("object")
      })
    )

    test(
      "data from before counts existed is counted at the first read",
      Effect.gen(function* () {
        const { one, other, owner } = yield* setup
        const uncounted = "set thing_count = 0, content_bytes = 0, counted_at = null"
        yield* run([
          `update lists ${uncounted} where owner_id = '${owner}'`,
          `update accounts ${uncounted} where id = '${owner}'`
        ])
        expect(yield* sizes(owner, [one, other])).toStrictEqual([4, 3, 1])
      })
    )
  })

  /** The values of the account's two rows, of which each version reads its own. */
  const columns =
    "last_write::float8, counted_at::float8, thing_count::int4, content_bytes::int4, image_bytes::int4, history_from::float8, settings_changed::float8"
  const bothRows = (owner: AccountId) =>
    Effect.all([
      ask(`select ${columns} from accounts where id = '${owner}'`),
      ask(`select ${columns} from write_clocks where owner_id = '${owner}'`)
    ])
  const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  const untilWaiting = Effect.promise(() =>
    until("a statement that waits for a lock", () => server.sql(waiting, "beside").then((rows) => rows.length > 0))
  )

  describe(`PostgreSQL ${version}: beside a version that locks the account in another table`, () => {
    test(
      "each sees the write timestamps, counters and history of the other",
      Effect.gen(function* () {
        const { one, owner } = yield* setup
        const [row, clock] = yield* bothRows(owner)
        expect(clock).toStrictEqual(row)
        expect(row[0]).toMatchObject({ thing_count: 4 })
        const last = row[0]!.last_write as number
        yield* run([
          `update accounts set last_write = ${last + 5}, counted_at = ${last + 5}, thing_count = 9,
            history_from = ${last}, settings_changed = ${last + 5} where id = '${owner}'`
        ])
        const history = yield* HistoryStore
        expect(yield* history.head(owner)).toMatchObject({ at: last + 5 })
        expect(yield* history.settingsChanged(owner)).toBe(last + 5)
        expect(yield* history.covers(owner, { at: noon, operation: undefined })).toBe(last <= noon)
        const [things, storage] = [yield* ThingStore, yield* Storage]
        expect(yield* things.append(newThing(owner, one))).toBeTypeOf("object")
        expect(yield* storage.transact(owner, Effect.succeed)).toBeGreaterThan(last + 5)
        const [after, same] = yield* bothRows(owner)
        expect(same).toStrictEqual(after)
        expect(after[0]).toMatchObject({ thing_count: 10 })
      })
    )

    test(
      "images of many things are objects, which the older version can read",
      Effect.gen(function* () {
        const { one, owner } = yield* setup
        const made = yield* newThings(
          owner,
          one,
          Array.from({ length: 40 }, () => ({}))
        )
        const [things, storage, history] = [yield* ThingStore, yield* Storage, yield* HistoryStore]
        const at = yield* storage.transact(owner, (own) =>
          Effect.as(
            things.remove(
              owner,
              made.map(({ id }) => id)
            ),
            own
          )
        )
        const stored = `select columns, jsonb_typeof(images[1]) as type from operation_images
          where owner_id = '${owner}' and stamp = ${at}`
        expect(yield* ask(stored)).toStrictEqual([{ columns: null, type: "object" }])
        expect((yield* history.entities(owner, at, 100))?.items).toHaveLength(40)
      })
    )

    test(
      "no write begins while the other version holds the account, in both directions",
      Effect.gen(function* () {
        const { one, owner } = yield* setup
        const [things, storage] = [yield* ThingStore, yield* Storage]
        yield* ask("begin")
        const write = `update accounts set last_write = last_write + 1, counted_at = last_write + 1
          where id = '${owner}' returning last_write::float8 as at`
        yield* ask(write)
        const transacted = yield* Effect.forkChild(storage.transact(owner, Effect.succeed))
        yield* untilWaiting
        const appended = yield* Effect.forkChild(things.append(newThing(owner, one)))
        const [before] = yield* ask(`select last_write::float8 as at from accounts where id = '${owner}'`)
        yield* ask("commit")
        expect(yield* Fiber.join(transacted)).toBeGreaterThan(before!.at as number)
        expect(yield* Fiber.join(appended)).toBeTypeOf("object")
        const timestamp = yield* storage.transact(owner, (own) =>
          Effect.gen(function* () {
            const olderWrite = yield* Effect.forkDetach(ask(write))
            yield* untilWaiting
            return { own, olderWrite }
          })
        )
        const [row] = yield* Fiber.join(timestamp.olderWrite)
        expect(row?.at).toBe(timestamp.own + 1)
      })
    )

    test(
      "an account that one version creates or deletes is created or deleted for the other",
      Effect.gen(function* () {
        const made = account()
        yield* run([
          `insert into accounts (id, email, email_key, name, timezone, default_thing_type, default_list_sort,
            default_reminder_minutes, default_alert_minutes, default_reminder_color, repeat_moves_to_day, created,
            counted_at) values ('${made.id}', '${made.email}', '${made.email}', '', 'UTC', 'todo', 'chronological', 0, 0,
            '', true, 1, 0)`
        ])
        const home = yield* newList(made.id)
        expect(yield* (yield* ThingStore).append(newThing(made.id, home.id))).toBeTypeOf("object")
        yield* run([`delete from accounts where id = '${made.id}'`])
        const error = yield* Effect.flip((yield* Storage).transact(made.id, Effect.succeed))
        expect(error._tag).toBe("NotFound")
        const own = yield* newAccount()
        expect(yield* bothRows(own.id)).toHaveLength(2)
        expect(yield* (yield* AccountStore).remove(own.id)).toBe(true)
        expect(yield* bothRows(own.id)).toStrictEqual([[], []])
      })
    )

    test(
      "history that one version removes is removed for the other",
      Effect.gen(function* () {
        const { owner } = yield* setup
        const history = yield* HistoryStore
        const lists = yield* ListStore
        const storage = yield* Storage
        for (const _ of [1, 2, 3]) yield* storage.transact(owner, () => newList(owner))
        const { at } = yield* history.head(owner)
        expect(yield* history.prune(at, 1_000)).toBeGreaterThan(1)
        const [row, clock] = yield* bothRows(owner)
        expect(clock).toStrictEqual(row)
        expect(row[0]!.history_from).not.toBe(0)
        expect(yield* lists.all(owner)).toHaveLength(5)
      })
    )
  })
}
