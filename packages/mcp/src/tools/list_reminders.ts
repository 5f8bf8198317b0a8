import { Effect, Schema } from "effect"
import * as Fields from "@lists-and-things/domain/json/Fields"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { withT } from "@lists-and-things/domain/days/When"
import { compactReminder, ReminderResult } from "../results/ReminderResult.ts"
import { defineTool, hints } from "../Tool.ts"

const optionalKey = Schema.optionalKey

export const listReminders = defineTool({
  name: "list_reminders",
  title: "List reminders",
  description:
    "Reminders within a range, soonest first; without one the coming ones and then the overdue ones of open things. Reminders at places come last.",
  scope: "read:things",
  hints: hints.reads,
  input: Schema.Struct({
    from: optionalKey(
      Fields.Name.annotate({ hint: "Date or time in the owner's zone, or today.", examples: ["today"] })
    ),
    to: optionalKey(Fields.Name.annotate({ hint: "Inclusive.", examples: ["2026-11-30"] })),
    includePlace: optionalKey(Schema.Boolean.annotate({ hint: "Default true." })),
    limit: optionalKey(
      Schema.Int.check(
        Schema.isBetween({ minimum: 1, maximum: 200 }, { expected: "an integer from 1 to 200" })
      ).annotate({ hint: "Default 50.", examples: [50] })
    )
  }).pipe(Schema.encodeKeys({ includePlace: "include_place" })),
  output: Schema.Struct({ reminders: Schema.Array(ReminderResult), has_more: Schema.Boolean }),
  handler: Effect.fnUntraced(function* (range) {
    const reminders = yield* Reminders
    const { items, hasMore } = yield* reminders.between({
      ...range,
      from: range.from && withT(range.from),
      to: range.to && withT(range.to)
    })
    return { reminders: items.map(compactReminder), has_more: hasMore }
  })
})
