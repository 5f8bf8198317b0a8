import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { SetReminderInput } from "@lists-and-things/domain/json/ReminderJson"
import { Authentication, operation } from "./Operation.ts"
import * as Answers from "./Answers.ts"
import * as Errors from "./Errors.ts"
import * as Examples from "./Examples.ts"
import * as Parameters from "./Parameters.ts"

const params = Parameters.thingInPath
const Input = SetReminderInput.annotate({ identifier: "SetReminderInput" })

const setReminder = HttpApiEndpoint.put("setReminder", "/things/:id/reminder", {
  params,
  payload: Input,
  query: Parameters.dryRun,
  success: Answers.OneReminder,
  error: Errors.changingOne
}).annotateMerge(
  operation({
    scope: "write:things",
    readsWithAdmission: true,
    summary: "Set or replace a thing's reminder",
    description:
      "Replaces the whole reminder: a field that is left out takes its default. An `at` without an offset is read in the account's time zone. `duration_minutes` cannot be combined with `end` or `all_day`, nor `every` with `days`. `days` makes the reminder weekly. `repeat_until` must be after `at`.",
    resource: "thing",
    taggedBy: "entity",
    conditional: "thing",
    example: () => ({ request: Examples.newReminder, response: { reminder: Examples.reminder() } })
  })
)

const removeReminder = HttpApiEndpoint.delete("removeReminder", "/things/:id/reminder", {
  params,
  query: Parameters.dryRun,
  success: Answers.Success,
  error: Errors.removing
}).annotateMerge(
  operation({
    scope: "write:things",
    readsWithAdmission: true,
    summary: "Remove a thing's reminder",
    description: "Idempotent: if the thing or its reminder does not exist, the request succeeds and changes nothing.",
    taggedBy: "entity",
    conditional: "thing",
    example: () => ({ response: { success: true } })
  })
)

const listReminders = HttpApiEndpoint.get("listReminders", "/reminders", {
  success: Answers.Reminders,
  error: Errors.reading
}).annotateMerge(
  operation({
    scope: "read:things",
    summary: "List upcoming reminders",
    description:
      "Returns up to 50 reminders: the future ones, soonest first, then the overdue ones of open things, most recent first.",
    example: () => ({ response: { reminders: [Examples.reminder()] } })
  })
)

const listOccurrences = HttpApiEndpoint.get("listOccurrences", "/things/:id/reminder/occurrences", {
  params,
  query: Parameters.count,
  success: Answers.Occurrences,
  error: Errors.readingOne
}).annotateMerge(
  operation({
    scope: "read:things",
    summary: "List the next occurrences of a thing's reminder",
    description:
      "Returns the current occurrence and those that follow. A reminder that does not repeat has one occurrence. 404 if the thing has no reminder.",
    resource: "thing",
    example: () => ({ response: Examples.occurrences(2) })
  })
)

const previewReminder = HttpApiEndpoint.post("previewReminder", "/reminders/preview", {
  payload: Input,
  success: Answers.Preview,
  error: Errors.writing
}).annotateMerge(
  operation({
    scope: "read:things",
    summary: "Preview a reminder",
    description: "Checks a reminder, and returns it in words with its next occurrences. Stores nothing.",
    example: () => ({ request: Examples.newReminder, response: Examples.preview(10) })
  })
)

export const RemindersApi = HttpApiGroup.make("reminders")
  .add(setReminder, removeReminder, listReminders, listOccurrences, previewReminder)
  .middleware(Authentication)
  .annotateMerge(OpenApi.annotations({ title: "Reminders", description: "A thing has at most one reminder." }))
