import { afterAll, describe, expect, it } from "@effect/vitest"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { SizeStore } from "@lists-and-things/domain/ports/SizeStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { newAccount, newList, newThings, thing } from "@lists-and-things/testing/Fixtures"
import type { AccountId, ListId } from "@lists-and-things/domain/model/Ids"
import { Effect } from "effect"
import * as PgStorage from "../src/PgStorage.ts"
import { openTestDatabase } from "../src/testing/TestDatabase.ts"
import { testVersions } from "../src/testing/TestServer.ts"
import { thingRecord } from "../src/things/ThingRecords.ts"

/** What a version does that knows no counts: the statements of schema 4. */
const stampThen = (owner: string, statements: ReadonlyArray<string>) => [
  `update accounts set last_write = last_write + 1 where id = '${owner}'`,
  ...statements
]
const touched = (owner: string, list: string) =>
  `update lists set updated = (select last_write from accounts where id = '${owner}') where id = '${list}'`

for (const version of testVersions) {
  const server = await openTestDatabase({ version })
  afterAll(() => server.stop())
  const run = (statements: ReadonlyArray<string>) =>
    Effect.forEach(statements, (statement) => Effect.promise(() => server.sql(statement)), { discard: true })

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

  describe(`PostgreSQL ${version}: beside a version that counts nothing`, () => {
    const test = (name: string, body: Effect.Effect<void, unknown, PgStorage.Ports>) =>
      it.live(name, () => body.pipe(Effect.provide(PgStorage.layer({ url: server.url() }))) as Effect.Effect<void>)

    test(
      "what it added, moved and deleted is counted again",
      Effect.gen(function* () {
        const { one, other, owner } = yield* setup
        yield* run(stampThen(owner, [`delete from things where list_id = '${one}'`, touched(owner, one)]))
        expect(yield* sizes(owner, [one, other])).toStrictEqual([1, 0, 1])
        const moved = `update things set list_id = '${one}' where list_id = '${other}'`
        yield* run(stampThen(owner, [moved, touched(owner, one), touched(owner, other)]))
        expect(yield* sizes(owner, [one, other])).toStrictEqual([1, 1, 0])
        const item = { item: 0, owner_id: owner, ...thingRecord(thing(owner, other)) }
        yield* run([`select * from append_things(1, null, true, '${JSON.stringify([item])}')`])
        expect(yield* sizes(owner, [one, other])).toStrictEqual([2, 1, 1])
        yield* run(
          stampThen(owner, [`delete from things where list_id = '${one}'`, `delete from lists where id = '${one}'`])
        )
        expect(yield* sizes(owner, [one, other])).toStrictEqual([1, undefined, 1])
      })
    )

    test(
      "a write of this version in between does not hide what was not counted",
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
      "what was there before there were counts is counted at the first look",
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
}
