import { Effect, Schema } from "effect"
import { PlaceJson, placeJson, SavePlaceInput } from "@lists-and-things/domain/json/PlaceJson"
import { Places } from "@lists-and-things/domain/places/Places"
import { withoutCoordinates } from "../results/ReminderResult.ts"
import { defineTool, hints } from "../Tool.ts"

export const savePlace = defineTool({
  name: "save_place",
  title: "Save a place",
  description:
    "Saves a place by its name, or updates the one of that name; what is left out stays, but another address needs its own coordinates. Give latitude and longitude together when you know them. radius_m is 150 by default.",
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
