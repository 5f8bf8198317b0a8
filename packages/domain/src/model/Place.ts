import type { AccountId, PlaceId } from "./Ids.ts"

/** A saved place; names are unique per owner ignoring case (docs/decisions.md#reminders). */
export interface SavedPlace {
  readonly id: PlaceId
  readonly owner: AccountId
  readonly name: string
  /** Empty where only the coordinates are known. */
  readonly address: string
  /** Degrees, WGS 84; both null until they are known. */
  readonly latitude: number | null
  readonly longitude: number | null
  /** How near counts as there, for reminders that name no radius of their own. */
  readonly radiusMeters: number
}
