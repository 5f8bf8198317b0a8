import { Effect, Layer } from "effect"
import type { SavedPlace } from "@lists-and-things/domain/model/Place"
import { PlaceStore } from "@lists-and-things/domain/ports/PlaceStore"
import { collate, titleKey } from "@lists-and-things/domain/text/TextFold"
import { Database } from "../Database.ts"
import { byId } from "@lists-and-things/domain/model/Ids"
import { removeOfPlace } from "./ReminderStore.ts"

const make = (database: Database["Service"]): PlaceStore["Service"] => ({
  get: (owner, id) => database.read(owner, (data) => data.places.get(id)),
  getMany: (owner, ids) =>
    database.read(owner, (data) => [...new Set(ids)].flatMap((id) => data.places.get(id) ?? []), []),
  byName: (owner, name) =>
    database.read(owner, (data) => data.places.values().find((place) => titleKey(place.name) === titleKey(name))),
  all: (owner) => database.read(owner, (data) => [...data.places.values()].toSorted(byName), []),
  count: (owner) => database.read(owner, (data) => data.places.size, 0),
  put: (place) => database.write(place.owner, (data) => data.places.set(place.id, place)),
  remove: (owner, id) =>
    database.write(
      owner,
      (data) => {
        if (!data.places.delete(id)) return false
        removeOfPlace(data, id)
        return true
      },
      false
    )
})

const byName = (a: SavedPlace, b: SavedPlace): number => collate(a.name, b.name) || byId(a, b)

export const placeStoreLayer = Layer.effect(PlaceStore, Effect.map(Database, make))
