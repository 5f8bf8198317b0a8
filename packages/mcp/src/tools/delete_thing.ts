import { Effect, Schema } from "effect"
import { Things } from "@lists-and-things/domain/things/Things"
import { ifUpdated, ThingId, unlessUpdated } from "../Arguments.ts"
import { defineTool, hints } from "../Tool.ts"

export const deleteThing = defineTool({
  name: "delete_thing",
  title: "Delete a thing",
  description:
    "Permanently deletes a thing; things nested under it stay. To complete it, use update_thing with completed.",
  scope: "write:things",
  operation: "deleteThing",
  dryRun: true,
  hints: hints.replaces,
  input: Schema.Struct({ thingId: ThingId, ifUpdated }).pipe(
    Schema.encodeKeys({ thingId: "thing_id", ifUpdated: "if_updated" })
  ),
  output: Schema.Struct({ success: Schema.Boolean }),
  handler: Effect.fnUntraced(function* ({ ifUpdated, thingId }) {
    const things = yield* Things
    yield* unlessUpdated({ kind: "thing", id: thingId, isRemoval: true }, ifUpdated)(things.remove(thingId))
    return { success: true }
  })
})
