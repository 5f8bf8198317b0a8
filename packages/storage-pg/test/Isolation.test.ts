import { afterAll, describe, expect, layer as withLayer } from "@effect/vitest"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { PlaceStore } from "@lists-and-things/domain/ports/PlaceStore"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import {
  newAccount,
  newList,
  newThings,
  place,
  placeTrigger,
  reminder,
  thing
} from "@lists-and-things/testing/Fixtures"
import { Effect, Exit } from "effect"
import * as PgStorage from "../src/PgStorage.ts"
import { openTestDatabase } from "../src/testing/TestDatabase.ts"
import { testVersions } from "../src/testing/TestServer.ts"

for (const version of testVersions) {
  const server = await openTestDatabase({ version })
  afterAll(() => server.stop())

  describe(`PostgreSQL ${version}: isolation of owners by the database`, () => {
    withLayer(PgStorage.layer(server.config()), { excludeTestServices: true })((it) => {
      it.effect("a reference to data of another owner is refused", () =>
        Effect.gen(function* () {
          const things = yield* ThingStore
          const reminders = yield* ReminderStore
          const places = yield* PlaceStore
          const { id: mine } = yield* newAccount()
          const { id: other } = yield* newAccount()
          const list = yield* newList(mine)
          const foreign = yield* newList(other)
          const [foreignThing] = yield* newThings(other, foreign.id, [{}])
          const [ownThing] = yield* newThings(mine, list.id, [{}])
          const foreignPlace = place(other)
          yield* places.put(foreignPlace)
          const refused: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
            things.insert(mine, [thing(mine, foreign.id)]),
            things.put(mine, [{ ...ownThing!, listId: foreign.id }]),
            reminders.put(mine, [{ ...reminder(foreignThing!), owner: mine }]),
            reminders.put(mine, [{ ...reminder(ownThing!), trigger: placeTrigger(foreignPlace.id) }])
          ]
          for (const attempt of refused) {
            const exit = yield* Effect.exit(attempt)
            expect(Exit.isFailure(exit)).toBe(true)
            expect(JSON.stringify(exit)).toContain('"code":"23503"')
          }
          expect(yield* things.ofList(mine, list.id)).toHaveLength(1)
        })
      )

      it.effect("the primary key of every table with an owner begins with the owner", () =>
        Effect.gen(function* () {
          const keys = yield* Effect.promise(() =>
            server.sql(`select c.relname as name, a.attname as first from pg_index i
              join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
              join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
              join pg_attribute o on o.attrelid = c.oid and o.attname = 'owner_id'
              where i.indisprimary and n.nspname = 'public'`)
          )
          expect(keys.length).toBeGreaterThanOrEqual(8)
          expect(keys.filter(({ first }) => first !== "owner_id")).toStrictEqual([])
        })
      )

      it.effect("deleting a list clears references to it and its things", () =>
        Effect.gen(function* () {
          const lists = yield* ListStore
          const things = yield* ThingStore
          const { id: owner } = yield* newAccount()
          const list = yield* newList(owner)
          const named = yield* newList(owner)
          const [original] = yield* newThings(owner, named.id, [{}])
          const [linked] = yield* newThings(owner, list.id, [{ listRef: named.id, cloneOf: original!.id }])
          yield* lists.remove(owner, named.id)
          expect(yield* things.get(owner, linked!.id)).toStrictEqual({ ...linked!, listRef: null, cloneOf: null })
        })
      )
    })
  })
}
