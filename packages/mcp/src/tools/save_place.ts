import { Effect, Schema } from "effect"
import { PlaceJson, placeJson, SavePlaceInput } from "@lists-and-things/domain/json/PlaceJson"
import { Places } from "@lists-and-things/domain/places/Places"
import { withoutCoordinates } from "../results/ReminderResult.ts"
import { defineTool, hints } from "../Tool.ts"

export const savePlace = defineTool({
  name: "save_place",
  title: "Save a place",
  description:
    "Saves a place, or updates the place with the same name. Fields left out stay as they are, but a new address without coordinates drops the old ones. Give latitude and longitude together if you know them. radius_m defaults to 150.",
  scope: "write:things",
  operation: "savePlace",
  hints: hints.ensures,
  input: SavePlaceInput,
  output: Schema.Struct({ place: PlaceJson, created: Schema.Boolean, warning: Schema.optionalKey(Schema.String) }),
  handler: Effect.fnUntraced(function* (input) {
    const places = yield* Places
    const { place, created } = yield* places.save(input)
    return { place: placeJson(place), created, ...withoutCoordinates(place) }
  })
})
