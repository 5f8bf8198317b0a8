import { NodeCrypto } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { layer as memory } from "@lists-and-things/storage-memory/MemoryStorage"
import { asOwner } from "@lists-and-things/testing/AsOwner"
import { Effect, Layer } from "effect"
import { maxPlaces, Places } from "../../src/places/Places.ts"
import { PlaceStore } from "../../src/ports/PlaceStore.ts"
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
