import { Effect } from "effect"
import { occurrencesJson, previewJson, reminderJson } from "@lists-and-things/domain/json/ReminderJson"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { EntityTags } from "@lists-and-things/domain/preconditions/EntityTags"
import { Tagged } from "./Conditional.ts"
import { type Operations, serve } from "./Serve.ts"

/** See docs/contract.md#reminders. */
const operations = Effect.gen(function* () {
  const reminders = yield* Reminders
  const tags = yield* EntityTags
  return {
    setReminder: ({ params, payload }) =>
      Effect.gen(function* () {
        const reminder = yield* reminders.set(params.id, payload)
        const { tag } = yield* tags.ofView({ thing: reminder.thing, reminder })
        return new Tagged({ reminder: reminderJson(reminder) }, tag)
      }),
    removeReminder: ({ params }) =>
      Effect.gen(function* () {
        const thing = yield* reminders.remove(params.id)
        return new Tagged({ success: true }, thing === undefined ? undefined : yield* tags.ofThing(thing, null))
      }),
    listReminders: () => Effect.map(reminders.upcoming, (views) => ({ reminders: views.map(reminderJson) })),
    listOccurrences: ({ params, query }) =>
      Effect.map(reminders.occurrences(params.id, query.count ?? 10), occurrencesJson),
    previewReminder: ({ payload }) => Effect.map(reminders.preview(payload), previewJson)
  } satisfies Operations<"reminders">
})

export const layer = serve("reminders", operations)
