import { Effect } from "effect"
import { NotFound, type StorageUnavailable } from "../model/Errors.ts"
import type { AccountId } from "../model/Ids.ts"
import { isStorable } from "../text/Characters.ts"
import { quoted } from "../text/Quoted.ts"
import { runSteps } from "../scheduling/Yielding.ts"
import { closestTitles } from "./ClosestTitles.ts"
import type { PlaceStore } from "../ports/PlaceStore.ts"
import type { SavedPlace } from "../model/Place.ts"

/** A saved place by id or name; the message of `NotFound` lists the existing names. */
export const findPlace = Effect.fnUntraced(function* (
  store: PlaceStore["Service"],
  owner: AccountId,
  idOrName: string
): Effect.fn.Return<SavedPlace, NotFound | StorageUnavailable> {
  const name = isStorable(idOrName) ? idOrName : ""
  const place = (yield* store.get(owner, name)) ?? (yield* store.byName(owner, name))
  if (place !== undefined) return place
  const saved = (yield* store.all(owner)).map((each) => ({ title: each.name }))
  const closest = yield* runSteps(() => closestTitles(name, saved))
  const names = (closest.length > 0 ? closest : saved.slice(0, 5)).map(({ title }) => quoted(title))
  const known =
    names.length === 0
      ? "No place is saved yet. Call save_place first."
      : `${closest.length > 0 ? "Closest" : "Saved places"}: ${names.join(", ")}. Use one of these, or call save_place first.`
  return yield* new NotFound({
    message: `No saved place has the id or name ${quoted(name)}. ${known}`,
    remedy: "read"
  })
})
