import { Effect, Schema } from "effect"
import { Things } from "@lists-and-things/domain/things/Things"
import { ThingId } from "../Arguments.ts"
import { defineTool, hints } from "../Tool.ts"

export const deleteThing = defineTool({
  name: "delete_thing",
  title: "Delete a thing",
  description: "Deletes a thing for good. To tick it off, use update_thing with completed.",
  scope: "write:things",
  operation: "deleteThing",
  hints: hints.replaces,
  input: Schema.Struct({ thingId: ThingId }).pipe(Schema.encodeKeys({ thingId: "thing_id" })),
  output: Schema.Struct({ success: Schema.Boolean }),
  handler: Effect.fnUntraced(function* ({ thingId }) {
    const things = yield* Things
    yield* things.remove(thingId)
    return { success: true }
  })
})
