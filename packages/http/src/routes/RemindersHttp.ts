import { Effect } from "effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import {
  occurrencesJson,
  previewJson,
  reminderJson,
  SetReminderInput
} from "@lists-and-things/domain/json/ReminderJson"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { Api } from "../api/Api.ts"
import { answer, makeWrites } from "./Answer.ts"

/** Contract, "Reminders". */
export const layer = HttpApiBuilder.group(
  Api,
  "reminders",
  Effect.fnUntraced(function* (handlers) {
    const reminders = yield* Reminders
    const writes = yield* makeWrites
    const set = writes.withBody(SetReminderInput)
    const preview = writes.withBody(SetReminderInput)

    return handlers
      .handleRaw("setReminder", ({ params, request }) =>
        set(request, (input) =>
          Effect.map(reminders.set(params.id, input), (view) => ({ reminder: reminderJson(view) }))
        )
      )
      .handleRaw("removeReminder", ({ params, request }) =>
        writes.withoutBody(request, Effect.as(reminders.remove(params.id), { success: true }))
      )
      .handleRaw("listReminders", () => answer(reminders.upcoming, (views) => ({ reminders: views.map(reminderJson) })))
      .handleRaw("listOccurrences", ({ params, query }) =>
        answer(reminders.occurrences(params.id, query.count ?? 10), occurrencesJson)
      )
      .handleRaw("previewReminder", ({ request }) =>
        preview(request, (input) => Effect.map(reminders.preview(input), previewJson))
      )
  })
)
