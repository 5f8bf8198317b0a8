import { Effect, Schema } from "effect"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { ThingId } from "../Arguments.ts"
import { defineTool, hints } from "../Tool.ts"

export const removeReminder = defineTool({
  name: "remove_reminder",
  title: "Remove a reminder",
  description: "Removes the reminder of a thing; the thing stays.",
  scope: "write:things",
  operation: "removeReminder",
  hints: hints.replaces,
  input: Schema.Struct({ thingId: ThingId }).pipe(Schema.encodeKeys({ thingId: "thing_id" })),
  output: Schema.Struct({ success: Schema.Boolean }),
  handler: Effect.fnUntraced(function* ({ thingId }) {
    const reminders = yield* Reminders
    yield* reminders.remove(thingId)
    return { success: true }
  })
})
