import { Effect, Schema } from "effect"
import { thingJson } from "@lists-and-things/domain/json/ThingJson"
import { truncate } from "@lists-and-things/domain/text/Characters"
import { Things } from "@lists-and-things/domain/things/Things"
import { ThingId } from "../Arguments.ts"
import { maxNote, ThingResult } from "../results/ThingResult.ts"
import { NextPage } from "../results/ListResult.ts"
import { fullReminder, ReminderResult } from "../results/ReminderResult.ts"
import { defineTool, hints } from "../Tool.ts"

export const getThing = defineTool({
  name: "get_thing",
  title: "Get a thing",
  description: "Returns a thing with every field, its whole text and note, and its reminder or null.",
  scope: "read:things",
  hints: hints.reads,
  readsWithAdmission: true,
  input: Schema.Struct({ thingId: ThingId }).pipe(Schema.encodeKeys({ thingId: "thing_id" })),
  output: Schema.Struct({ thing: ThingResult, reminder: Schema.NullOr(ReminderResult), next_page: NextPage }),
  handler: Effect.fnUntraced(function* ({ thingId }) {
    const things = yield* Things
    const { reminder, thing } = yield* things.get(thingId)
    const json = thingJson(thing)
    const note = truncate(json.note, maxNote)
    return {
      thing: { ...json, note },
      reminder: reminder === null ? null : fullReminder(reminder),
      ...(note !== json.note && { next_page: `Call fetch with {"id":"${thing.id}"} for the whole note, in pages.` })
    }
  })
})
