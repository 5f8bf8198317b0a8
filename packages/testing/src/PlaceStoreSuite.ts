import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import type { PlaceId } from "@lists-and-things/domain/model/Ids"
import type { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { PlaceStore } from "@lists-and-things/domain/ports/PlaceStore"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import type { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
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

/** The contract of `PlaceStore`, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: PlaceStore`, (it) => {
    it.effect("put inserts, and replaces the place of the same id", () =>
      Effect.gen(function* () {
        const { owner, places, made } = yield* setup(["Home", "Work"])
        expect(yield* places.get(owner, made[0]!.id)).toStrictEqual(made[0])
        expect(yield* places.count(owner)).toBe(2)
        const moved = {
          ...made[0]!,
          name: "Heim",
          address: 'Straße 1, "Köln" 🦊',
          latitude: -89.999_999_9,
          longitude: 179.123_456_789,
          radiusMeters: 50
        }
        yield* places.put(moved)
        expect(yield* places.get(owner, moved.id)).toStrictEqual(moved)
        expect(yield* places.all(owner)).toStrictEqual([moved, made[1]!])
        expect(yield* places.getMany(owner, [moved.id, moved.id])).toStrictEqual([moved])
        expect(yield* places.byName(owner, "Home")).toBeUndefined()
      })
    )

    it.effect("put keeps any text", () =>
      Effect.gen(function* () {
        const { owner, places, made } = yield* setup(hostileTexts)
        for (const one of made) {
          yield* places.put({ ...one, address: one.name })
          expect(yield* places.get(owner, one.id)).toStrictEqual({ ...one, address: one.name })
          expect((yield* places.byName(owner, one.name))?.id).toBe(one.id)
        }
      })
    )

    it.effect("byName ignores case and outer space, and takes wildcards literally", () =>
      Effect.gen(function* () {
        const { owner, places, made } = yield* setup(["Große Straße", "100%"])
        expect(yield* places.byName(owner, " GROSSE STRASSE ")).toStrictEqual(made[0])
        expect(yield* places.byName(owner, "100%")).toStrictEqual(made[1])
        for (const other of ["%", "100_", "Große", ""]) expect(yield* places.byName(owner, other)).toBeUndefined()
      })
    )

    it.effect("all is sorted by name in Unicode collation", () =>
      Effect.gen(function* () {
        const { owner, places } = yield* setup(["zoo", "résumé", "Äpfel", "apple", "Resume", "_x", "10", "9"])
        const names = (yield* places.all(owner)).map((one) => one.name)
        expect(names).toStrictEqual(["_x", "10", "9", "Äpfel", "apple", "Resume", "résumé", "zoo"])
      })
    )

    it.effect("all sorts names that collate alike by id", () =>
      Effect.gen(function* () {
        const { owner, places, made } = yield* setup(["10", "①0", "１０"])
        const expected = made.toSorted((a, b) => (a.id < b.id ? -1 : 1))
        expect(yield* places.all(owner)).toStrictEqual(expected)
      })
    )

    it.effect("ids of another owner and malformed ids are unknown", () =>
      Effect.gen(function* () {
        const { owner, places, made } = yield* setup(["Home"])
        const stranger = (yield* newAccount()).id
        expect(yield* places.get(stranger, made[0]!.id)).toBeUndefined()
        expect(yield* places.byName(stranger, "Home")).toBeUndefined()
        expect(yield* places.all(stranger)).toHaveLength(0)
        expect(yield* places.getMany(stranger, [made[0]!.id])).toHaveLength(0)
        expect(yield* places.remove(stranger, made[0]!.id)).toBe(false)
        for (const id of [...malformedIds, freshId()]) {
          expect(yield* places.get(owner, id)).toBeUndefined()
          expect(yield* places.remove(owner, id)).toBe(false)
        }
        const unknown = [...malformedIds, freshId()].map((id) => id as PlaceId)
        expect(yield* places.getMany(owner, [...unknown, made[0]!.id])).toStrictEqual(made)
        expect(yield* places.all(owner)).toStrictEqual(made)
      })
    )

    it.effect("owners may use the same name", () =>
      Effect.gen(function* () {
        const first = yield* setup(["Home"])
        const second = yield* setup(["Home"])
        expect(yield* first.places.byName(first.owner, "home")).toStrictEqual(first.made[0])
        expect(yield* second.places.byName(second.owner, "home")).toStrictEqual(second.made[0])
      })
    )

    it.effect("remove also removes the reminders at the place, and no others", () =>
      Effect.gen(function* () {
        const { owner, places, made } = yield* setup(["Home", "Work"])
        const home = yield* newList(owner)
        const things = yield* newThings(owner, home.id, [{}, {}, {}])
        const reminders = yield* ReminderStore
        const kept = reminder(things[2]!)
        for (const [index, { id }] of made.entries())
          yield* reminders.put(owner, [reminder(things[index]!, { trigger: placeTrigger(id) })])
        yield* reminders.put(owner, [kept])
        expect(yield* places.remove(owner, made[0]!.id)).toBe(true)
        expect(yield* places.remove(owner, made[0]!.id)).toBe(false)
        expect(yield* reminders.findByThing(owner, things[0]!.id)).toBeUndefined()
        expect(yield* reminders.atPlaces(owner)).toHaveLength(1)
        expect(yield* reminders.findByThing(owner, kept.thingId)).toStrictEqual(kept)
        expect(yield* places.all(owner)).toStrictEqual([made[1]!])
      })
    )
  })
}
