import { Effect } from "effect"
import { occurrencesJson, previewJson, reminderJson } from "@lists-and-things/domain/json/ReminderJson"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { type Operations, serve } from "./Serve.ts"

/** See docs/contract.md#reminders. */
const operations = Effect.gen(function* () {
  const reminders = yield* Reminders
  return {
    setReminder: ({ params, payload }) =>
      Effect.map(reminders.set(params.id, payload), (view) => ({ reminder: reminderJson(view) })),
    removeReminder: ({ params }) => Effect.as(reminders.remove(params.id), { success: true }),
    listReminders: () => Effect.map(reminders.upcoming, (views) => ({ reminders: views.map(reminderJson) })),
    listOccurrences: ({ params, query }) =>
      Effect.map(reminders.occurrences(params.id, query.count ?? 10), occurrencesJson),
    previewReminder: ({ payload }) => Effect.map(reminders.preview(payload), previewJson)
  } satisfies Operations<"reminders">
})

export const layer = serve("reminders", operations)
