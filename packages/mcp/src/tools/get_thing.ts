import { Effect, Schema } from "effect"
import { thingViewJson } from "@lists-and-things/domain/json/BulkJson"
import { Things } from "@lists-and-things/domain/things/Things"
import { ThingId } from "../Arguments.ts"
import { ThingResult } from "../results/ThingResult.ts"
import { ReminderResult } from "../results/ReminderResult.ts"
import { defineTool, hints } from "../Tool.ts"

export const getThing = defineTool({
  name: "get_thing",
  title: "Get a thing",
  description: "A thing with every field, its whole text and note, and its reminder or null.",
  scope: "read:things",
  hints: hints.reads,
  input: Schema.Struct({ thingId: ThingId }).pipe(Schema.encodeKeys({ thingId: "thing_id" })),
  output: Schema.Struct({ thing: ThingResult, reminder: Schema.NullOr(ReminderResult) }),
  handler: Effect.fnUntraced(function* ({ thingId }) {
    const things = yield* Things
    return thingViewJson(yield* things.get(thingId))
  })
})
