import { Effect, Schema } from "effect"
import { outcomeFields, RepeatingReminderJson, updatedThingJson } from "@lists-and-things/domain/json/ThingJson"
import { localMoment } from "@lists-and-things/domain/days/LocalText"
import { Caller } from "@lists-and-things/domain/model/Caller"
import { Things } from "@lists-and-things/domain/things/Things"
import { changedThing, ifUpdated, ThingId, time, unlessUpdated } from "../Arguments.ts"
import { notifyMarkers } from "../results/Markers.ts"
import { CompactThing, compactThing } from "../results/ThingResult.ts"
import { defineTool, hints } from "../Tool.ts"

const outcome = {
  ...outcomeFields,
  repeating_reminder: Schema.optionalKey(
    Schema.Struct({ ...RepeatingReminderJson.fields, next_at_local: Schema.String })
  )
}

export const updateThing = defineTool({
  name: "update_thing",
  title: "Update a thing",
  description:
    "Edits, completes, cancels, reopens or moves (list_id or list) a thing, but not things nested under it. text, note, tags and photos replace the old value: if you saw a text or note that ends with …, first read it whole with get_thing or fetch. Completing a repeating thing leaves a completed copy and moves the thing to its next occurrence. Completing a thing removes a one-off reminder.",
  scope: "write:things",
  operation: "updateThing",
  dryRun: true,
  hints: hints.changes,
  input: Schema.Struct({
    thingId: ThingId,
    ...changedThing,
    occurrence: Schema.optionalKey(
      time("The reminder's at as you saw it. Nothing is changed if the reminder has moved on, so a retry is safe.")
    ),
    ifUpdated
  }).pipe(Schema.encodeKeys({ thingId: "thing_id", listRef: "list_ref", listId: "list_id", ifUpdated: "if_updated" })),
  output: Schema.Struct({ thing: CompactThing, ...outcome }),
  handler: Effect.fnUntraced(function* ({ ifUpdated, thingId, ...patch }) {
    const things = yield* Things
    const updated = yield* unlessUpdated(
      { kind: "thing", id: thingId, isRemoval: false },
      ifUpdated
    )(things.update(thingId, patch))
    yield* notifyMarkers([{ text: patch.text, code: updated.thing.code }], () => "text")
    const { repeating_reminder, ...json } = updatedThingJson(updated)
    const { repeating } = updated
    const { account } = yield* Caller
    return {
      ...json,
      thing: compactThing(updated.thing),
      ...(repeating !== undefined &&
        repeating_reminder !== undefined && {
          repeating_reminder: {
            ...repeating_reminder,
            next_at_local: localMoment(account.timezone, repeating.reminder, repeating.nextAt)
          }
        })
    }
  })
})
