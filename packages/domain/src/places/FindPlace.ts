import { Effect } from "effect"
import { NotFound, type StorageUnavailable } from "../Errors.ts"
import type { AccountId } from "../Ids.ts"
import { truncate } from "../json/Characters.ts"
import type { PlaceStore } from "../ports/PlaceStore.ts"
import type { SavedPlace } from "./Place.ts"

/** A saved place by its id or name; `NotFound` tells the names there are. */
export const findPlace = Effect.fnUntraced(function* (
  store: PlaceStore["Service"],
  owner: AccountId,
  idOrName: string
): Effect.fn.Return<SavedPlace, NotFound | StorageUnavailable> {
  const place = (yield* store.get(owner, idOrName)) ?? (yield* store.byName(owner, idOrName))
  if (place !== undefined) return place
  const names = (yield* store.all(owner)).slice(0, 20).map((saved) => `'${truncate(saved.name, 80)}'`)
  const known = names.length === 0 ? "No place is saved yet" : `Saved places: ${names.join(", ")}`
  return yield* new NotFound({
    message: `No saved place has the id or name '${truncate(idOrName, 80)}'. ${known}; save it first (save_place).`
  })
})
