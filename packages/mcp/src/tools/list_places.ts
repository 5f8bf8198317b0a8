import { Effect, Schema } from "effect"
import { PlaceJson, placeJson } from "@lists-and-things/domain/json/PlaceJson"
import { Places } from "@lists-and-things/domain/places/Places"
import { fitting } from "../results/Fitting.ts"
import { defineTool, hints } from "../Tool.ts"

export const listPlaces = defineTool({
  name: "list_places",
  title: "List places",
  description: "Returns the saved places, ordered by name. set_reminder takes one as place.",
  scope: "read:things",
  hints: hints.reads,
  input: Schema.Struct({}),
  output: Schema.Struct({ places: Schema.Array(PlaceJson) }),
  handler: Effect.fnUntraced(function* () {
    const places = yield* Places
    return { places: yield* fitting((yield* places.list).map(placeJson), "places") }
  })
})
