import { Schema } from "effect"
import type { SavedPlace } from "../model/Place.ts"
import { inFigures } from "../text/Wording.ts"
import { described, optional } from "./Described.ts"
import * as Fields from "./Fields.ts"

const NullOr = Schema.NullOr

/** A saved place (docs/decisions.md#reminders); the coordinates are both null until they are known. */
export const PlaceJson = Schema.Struct({
  id: described(Schema.String, "Opaque."),
  name: described(Schema.String, "Unique in the account, ignoring case."),
  address: described(Schema.String, "The address as it was given; empty if none was."),
  latitude: described(NullOr(Schema.Finite), "Degrees; null until it is known."),
  longitude: described(NullOr(Schema.Finite), "Degrees; null until it is known."),
  radius_m: described(Schema.Finite, "The radius in metres around it that counts as being there.")
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
  name: described(Fields.Title, "The name of the place; a place with this name is updated.", "Home"),
  address: optional(Fields.Name, "Looked up for coordinates if these are not given.", "Stephansplatz 1, Vienna"),
  latitude: optional(between(-90, 90, "degrees"), "Together with `longitude`.", 48.2085),
  longitude: optional(between(-180, 180, "degrees"), "Together with `latitude`.", 16.3731),
  radiusMeters: optional(Radius, "The radius in metres around it that counts as being there. Default: 150.", 200)
}).pipe(Schema.encodeKeys({ radiusMeters: "radius_m" }))
export type SavePlaceInput = typeof SavePlaceInput.Type
