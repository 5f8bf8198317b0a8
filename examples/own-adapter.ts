/**
 * A storage adapter of one's own, begun: places in SQLite, every other port still over memory. The suites of
 * `@lists-and-things/testing` say how each port behaves; they run with `npx vitest run`, where vitest.config.ts names
 * this file in `test.include` (docs/library.md#an-adapter-of-your-own).
 */
import { DatabaseSync } from "node:sqlite"
import type { SavedPlace } from "@lists-and-things/domain/model/Place"
import { PlaceStore } from "@lists-and-things/domain/ports/PlaceStore"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import { collate, titleKey } from "@lists-and-things/domain/text/TextFold"
import * as MemoryStorage from "@lists-and-things/storage-memory/MemoryStorage"
import { suite } from "@lists-and-things/testing/PlaceStoreSuite"
import { Effect, Layer } from "effect"

const open = () => {
  const database = new DatabaseSync(":memory:")
  database.exec("create table places (owner text, id text, name_key text, place text, primary key (owner, id))")
  return database
}

const placeOf = (row: Record<string, unknown> | undefined): SavedPlace | undefined =>
  row === undefined ? undefined : (JSON.parse(String(row["place"])) as SavedPlace)

/** By name, and by id where names collate alike. */
const inOrder = (a: SavedPlace, b: SavedPlace): number => collate(a.name, b.name) || (a.id < b.id ? -1 : 1)

const places = Layer.effect(
  PlaceStore,
  Effect.gen(function* () {
    const reminders = yield* ReminderStore
    const database = open()
    const byId = database.prepare("select place from places where owner = ? and id = ?")
    const byName = database.prepare("select place from places where owner = ? and name_key = ?")
    const ofOwner = database.prepare("select place from places where owner = ?")
    const put = database.prepare("insert or replace into places values (?, ?, ?, ?)")
    const remove = database.prepare("delete from places where owner = ? and id = ?")
    return PlaceStore.of({
      get: (owner, id) => Effect.sync(() => placeOf(byId.get(owner, id))),
      getMany: (owner, ids) => Effect.sync(() => [...new Set(ids)].flatMap((id) => placeOf(byId.get(owner, id)) ?? [])),
      byName: (owner, name) => Effect.sync(() => placeOf(byName.get(owner, titleKey(name)))),
      all: (owner) =>
        Effect.sync(() =>
          ofOwner
            .all(owner)
            .map((row) => placeOf(row)!)
            .toSorted(inOrder)
        ),
      count: (owner) => Effect.sync(() => ofOwner.all(owner).length),
      put: (place) =>
        Effect.sync(() => void put.run(place.owner, place.id, titleKey(place.name), JSON.stringify(place))),
      remove: Effect.fn(function* (owner, id) {
        const place = placeOf(byId.get(owner, id))
        if (place === undefined) return false
        yield* reminders.removeOfPlace(owner, place.id)
        return remove.run(owner, id).changes === 1
      })
    })
  })
)

suite("SQLite, begun", Layer.provideMerge(places, MemoryStorage.layer))
