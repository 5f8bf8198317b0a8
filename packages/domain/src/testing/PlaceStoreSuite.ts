import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { AccountStore } from "../ports/AccountStore.ts"
import type { ListStore } from "../ports/ListStore.ts"
import { PlaceStore } from "../ports/PlaceStore.ts"
import { ReminderStore } from "../ports/ReminderStore.ts"
import type { ThingStore } from "../ports/ThingStore.ts"
import {
  freshId,
  hostileTexts,
  malformedIds,
  newAccount,
  newList,
  newThings,
  place,
  placeTrigger,
  reminder
} from "./Fixtures.ts"

type Ports = AccountStore | ListStore | ThingStore | ReminderStore | PlaceStore

const setup = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  const { id: owner } = yield* newAccount()
  const places = yield* PlaceStore
  const made = names.map((name) => place(owner, { name }))
  yield* Effect.forEach(made, (one) => places.put(one))
  return { owner, places, made }
})

/** What `PlaceStore` promises, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  withLayer(layer, { excludeTestServices: true, timeout: "60 seconds" })(`${name}: PlaceStore`, (it) => {
    it.effect("put inserts, and replaces the place of the same id", () =>
      Effect.gen(function* () {
        const { owner, places, made } = yield* setup(["Home", "Work"])
        assert.deepStrictEqual(yield* places.get(owner, made[0]!.id), made[0])
        const moved = {
          ...made[0]!,
          name: "Heim",
          address: 'Straße 1, "Köln" 🦊',
          latitude: -89.999_999_9,
          longitude: 179.123_456_789,
          radiusMeters: 50
        }
        yield* places.put(moved)
        assert.deepStrictEqual(yield* places.get(owner, moved.id), moved)
        assert.deepStrictEqual(yield* places.all(owner), [moved, made[1]!])
        assert.isUndefined(yield* places.byName(owner, "Home"))
      })
    )

    it.effect("keeps any text", () =>
      Effect.gen(function* () {
        const { owner, places, made } = yield* setup(hostileTexts)
        for (const one of made) {
          yield* places.put({ ...one, address: one.name })
          assert.deepStrictEqual(yield* places.get(owner, one.id), { ...one, address: one.name })
          assert.strictEqual((yield* places.byName(owner, one.name))?.id, one.id)
        }
      })
    )

    it.effect("byName ignores case and outer space, and knows no wildcard", () =>
      Effect.gen(function* () {
        const { owner, places, made } = yield* setup(["Große Straße", "100%"])
        assert.deepStrictEqual(yield* places.byName(owner, " GROSSE STRASSE "), made[0])
        assert.deepStrictEqual(yield* places.byName(owner, "100%"), made[1])
        for (const other of ["%", "100_", "Große", ""]) assert.isUndefined(yield* places.byName(owner, other))
      })
    )

    it.effect("all go by name in Unicode collation", () =>
      Effect.gen(function* () {
        const { owner, places } = yield* setup(["zoo", "Äpfel", "apple", "Zebra", "banana", "_x", "10", "9"])
        const names = (yield* places.all(owner)).map((one) => one.name)
        assert.deepStrictEqual(names, ["_x", "10", "9", "Äpfel", "apple", "banana", "Zebra", "zoo"])
      })
    )

    it.effect("names that collate alike go by id", () =>
      Effect.gen(function* () {
        const { owner, places, made } = yield* setup(["resume", "résumé", "resumé"])
        const expected = made.toSorted((a, b) => (a.id < b.id ? -1 : 1))
        assert.deepStrictEqual(yield* places.all(owner), expected)
      })
    )

    it.effect("another owner's ids and malformed ones are unknown", () =>
      Effect.gen(function* () {
        const { owner, places, made } = yield* setup(["Home"])
        const stranger = (yield* newAccount()).id
        assert.isUndefined(yield* places.get(stranger, made[0]!.id))
        assert.isUndefined(yield* places.byName(stranger, "Home"))
        assert.isEmpty(yield* places.all(stranger))
        assert.isFalse(yield* places.remove(stranger, made[0]!.id))
        for (const id of [...malformedIds, freshId()]) {
          assert.isUndefined(yield* places.get(owner, id))
          assert.isFalse(yield* places.remove(owner, id))
        }
        assert.deepStrictEqual(yield* places.all(owner), made)
      })
    )

    it.effect("owners may use the same name", () =>
      Effect.gen(function* () {
        const first = yield* setup(["Home"])
        const second = yield* setup(["Home"])
        assert.deepStrictEqual(yield* first.places.byName(first.owner, "home"), first.made[0])
        assert.deepStrictEqual(yield* second.places.byName(second.owner, "home"), second.made[0])
      })
    )

    it.effect("remove takes its reminders along, and leaves the rest", () =>
      Effect.gen(function* () {
        const { owner, places, made } = yield* setup(["Home", "Work"])
        const home = yield* newList(owner)
        const things = yield* newThings(owner, home.id, [{}, {}, {}])
        const reminders = yield* ReminderStore
        const kept = reminder(things[2]!)
        for (const [index, { id }] of made.entries())
          yield* reminders.put(reminder(things[index]!, { trigger: placeTrigger(id) }))
        yield* reminders.put(kept)
        assert.isTrue(yield* places.remove(owner, made[0]!.id))
        assert.isFalse(yield* places.remove(owner, made[0]!.id))
        assert.isUndefined(yield* reminders.findByThing(owner, things[0]!.id))
        assert.lengthOf(yield* reminders.atPlaces(owner), 1)
        assert.deepStrictEqual(yield* reminders.findByThing(owner, kept.thingId), kept)
        assert.deepStrictEqual(yield* places.all(owner), [made[1]!])
      })
    )
  })
}
