import { Context } from "effect"
import type { AccountId, PlaceId } from "../model/Ids.ts"
import type { SavedPlace } from "../model/Place.ts"
import type { Stored } from "./Storage.ts"

/** Saved places, to which reminders refer (docs/decisions.md#reminders). */
export class PlaceStore extends Context.Service<
  PlaceStore,
  {
    /** Undefined for an unknown id, malformed ones included. */
    readonly get: (owner: AccountId, id: string) => Stored<SavedPlace | undefined>
    /** Those that exist, in no particular order. */
    readonly getMany: (owner: AccountId, ids: ReadonlyArray<PlaceId>) => Stored<ReadonlyArray<SavedPlace>>
    /** Names are compared by `TextFold.titleKey`. */
    readonly byName: (owner: AccountId, name: string) => Stored<SavedPlace | undefined>
    /** By name (`TextFold.collate`), then id. */
    readonly all: (owner: AccountId) => Stored<ReadonlyArray<SavedPlace>>
    /** How many there are. */
    readonly count: (owner: AccountId) => Stored<number>
    /** Inserts, or replaces the place with the same id. */
    readonly put: (place: SavedPlace) => Stored<void>
    /** Removes its reminders as well. True when it existed. */
    readonly remove: (owner: AccountId, id: string) => Stored<boolean>
  }
>()("@lists-and-things/domain/ports/PlaceStore") {}
