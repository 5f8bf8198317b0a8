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
    "One thing at the end of a list; of today's day list when none is named. For several, use create_things.",
  scope: "write:things",
  operation: "createThing",
  hints: hints.adds,
  input: Schema.Struct({
    ...newThing,
    ...target,
    text: Fields.Text.annotate({
      hint: "Empty beside clone_of, url, photos or list_ref, if you like.",
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
