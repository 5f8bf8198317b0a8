import { Schema } from "effect"
import type { SavedPlace } from "../model/Place.ts"
import { inFigures } from "../text/Figures.ts"
import * as Fields from "./Fields.ts"

const NullOr = Schema.NullOr
const optionalKey = Schema.optionalKey

/** A saved place (docs/decisions.md#reminders); the coordinates are both null until they are known. */
export const PlaceJson = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  address: Schema.String,
  latitude: NullOr(Schema.Finite),
  longitude: NullOr(Schema.Finite),
  radius_m: Schema.Finite
})
export type PlaceJson = typeof PlaceJson.Type

export const placeJson = (place: SavedPlace): PlaceJson => ({
  id: place.id,
  name: place.name,
  address: place.address,
  latitude: place.latitude,
  longitude: place.longitude,
  radius_m: place.radiusMeters
})

const between = (minimum: number, maximum: number, unit: string) =>
  Schema.Finite.check(
    Schema.isBetween(
      { minimum, maximum },
      { expected: `a number from ${inFigures(minimum)} to ${inFigures(maximum)} ${unit}` }
    )
  )

export const Radius = between(1, 100_000, "metres")

/** `save_place`: saves, or updates the place of that name. */
export const SavePlaceInput = Schema.Struct({
  name: Fields.Title,
  address: optionalKey(Fields.Name),
  latitude: optionalKey(between(-90, 90, "degrees")),
  longitude: optionalKey(between(-180, 180, "degrees")),
  radiusMeters: optionalKey(Radius)
}).pipe(Schema.encodeKeys({ radiusMeters: "radius_m" }))
export type SavePlaceInput = typeof SavePlaceInput.Type
