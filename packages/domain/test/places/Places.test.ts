import { NodeCrypto } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { layer as memory } from "@lists-and-things/storage-memory/MemoryStorage"
import { asOwner, listNamed, make, remind } from "@lists-and-things/testing/AsOwner"
import { Effect, Layer } from "effect"
import { maxPlaces, Places } from "../../src/places/Places.ts"
import { Geocoder } from "../../src/ports/Geocoder.ts"
import { ListStore } from "../../src/ports/ListStore.ts"
import { PlaceStore } from "../../src/ports/PlaceStore.ts"
import { Reminders } from "../../src/reminders/Reminders.ts"
import { useCases } from "../../src/UseCases.ts"

/** A store that says how many places there are. */
const counting = (count: () => number) =>
  Layer.effect(
    PlaceStore,
    Effect.map(PlaceStore, (store) => ({ ...store, count: () => Effect.sync(count) }))
  ).pipe(Layer.provideMerge(memory))

it.effect("an account has at most 1,000 places; one that is there can be changed and deleted", () => {
  let count = maxPlaces - 1
  const layer = useCases.pipe(Layer.provideMerge(counting(() => count)), Layer.provideMerge(NodeCrypto.layer))
  return asOwner(() =>
    Effect.gen(function* () {
      const places = yield* Places
      const { place } = yield* places.save({ name: "Home" })
      count = maxPlaces
      const refused = yield* Effect.flip(places.save({ name: "Work" }))
      expect(refused.message).toBe(
        "An account can have at most 1,000 places: save one that is there again, with another address."
      )
      expect(yield* places.list).toStrictEqual([place])
      expect((yield* places.save({ name: "home", radiusMeters: 20 })).created).toBe(false)
      yield* places.remove(place.id)
      expect(yield* places.list).toStrictEqual([])
    })
  ).pipe(Effect.provide(layer))
})

it.effect("a place that is saved again as it is stays as it is: it is neither located again nor written", () => {
  const located: Array<string> = []
  const written: Array<string> = []
  const geocoder = Layer.succeed(Geocoder, {
    locate: (address) => Effect.sync(() => ({ latitude: located.push(address), longitude: 0 }))
  })
  const noting = Layer.effect(
    PlaceStore,
    Effect.map(PlaceStore, (store) => ({
      ...store,
      put: (place) =>
        Effect.andThen(
          store.put(place),
          Effect.sync(() => void written.push(place.name))
        )
    }))
  ).pipe(Layer.provideMerge(memory))
  const layer = useCases.pipe(Layer.provide(geocoder), Layer.provideMerge(noting), Layer.provideMerge(NodeCrypto.layer))
  return asOwner(() =>
    Effect.gen(function* () {
      const places = yield* Places
      const { place } = yield* places.save({ name: " Cafe\u0301 ", address: "Main Street 1" })
      expect([place.name, place.latitude]).toStrictEqual(["Caf\u00e9", 1])
      const again = yield* places.save({ name: "Cafe\u0301", address: "Main Street 1" })
      expect(again).toStrictEqual({ place, created: false })
      expect([located, written]).toStrictEqual([["Main Street 1"], ["Caf\u00e9"]])
    })
  ).pipe(Effect.provide(layer))
})

it.effect("deleting a place updates the lists with its reminders, and no others", () =>
  asOwner(({ id: owner }) =>
    Effect.gen(function* () {
      const [lists, places] = [yield* ListStore, yield* Places]
      const named = yield* Effect.forEach(["home", "work", "timed"], listNamed)
      const [atHome, atWork, timed] = yield* Effect.forEach(named, ({ id }) => make({ text: "milk", list_id: id }))
      const { place: home } = yield* places.save({ name: "Home" })
      yield* places.save({ name: "Work" })
      const reminders = yield* Reminders
      yield* reminders.setAtPlace(atHome!.id, { place: "Home", trigger: "arrive" })
      yield* reminders.setAtPlace(atWork!.id, { place: "Work", trigger: "arrive" })
      yield* remind(timed!.id, { at: "2026-12-24" })
      const updated = Effect.map(
        Effect.forEach(named, ({ id }) => lists.get(owner, id)),
        (found) => found.map((list) => list!.updated)
      )
      const before = yield* updated
      yield* places.remove(home.id)
      const after = yield* updated
      expect(after.map((at, index) => at > before[index]!)).toStrictEqual([true, false, false])
    })
  ).pipe(Effect.provide(useCases.pipe(Layer.provideMerge(memory), Layer.provideMerge(NodeCrypto.layer))))
)
