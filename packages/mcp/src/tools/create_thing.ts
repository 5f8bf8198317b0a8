import { Effect, Schema } from "effect"
import * as Fields from "@lists-and-things/domain/json/Fields"
import { Things } from "@lists-and-things/domain/things/Things"
import { thingKeys } from "@lists-and-things/domain/json/ThingInput"
import { newThing, target } from "../Arguments.ts"
import { notifyMarkers } from "../results/Markers.ts"
import { CompactThing, compactThing } from "../results/ThingResult.ts"
import { defineTool, hints } from "../Tool.ts"

export const createThing = defineTool({
  name: "create_thing",
  title: "Create a thing",
  description:
    "Adds one thing to the end of a list, or of today's day list if none is named. For several, use create_things.",
  scope: "write:things",
  operation: "createThing",
  hints: hints.adds,
  input: Schema.Struct({
    ...newThing,
    ...target,
    text: Fields.Text.annotate({
      hint: "May be empty if clone_of, url, photos or list_ref is given.",
      examples: ["Oat milk"]
    })
  }).pipe(Schema.encodeKeys(thingKeys)),
  output: Schema.Struct({ thing: CompactThing }),
  handler: Effect.fnUntraced(function* (input) {
    const things = yield* Things
    const thing = yield* things.create(input)
    yield* notifyMarkers([input], () => "text")
    return { thing: compactThing(thing) }
  })
})
