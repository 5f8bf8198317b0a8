import { Schema } from "effect"
import { truncate } from "@lists-and-things/domain/text/Characters"
import { ReminderJson, reminderJson } from "@lists-and-things/domain/json/ReminderJson"
import type { ReminderView } from "@lists-and-things/domain/reminders/ReminderView"
import type { SavedPlace } from "@lists-and-things/domain/model/Place"

const optionalKey = Schema.optionalKey

const { id, thing_id, list_id, text, at, all_day, repeat, days, place, summary } = ReminderJson.fields

/** Characters of the thing's text shown with its reminder. */
const maxText = 280

/** The contract's Reminder without details that are null, empty or default. Exactly one of `at` and `place` is null. */
export const CompactReminder = Schema.Struct({
  id,
  thing_id,
  list_id,
  text,
  at,
  all_day,
  repeat,
  every: optionalKey(Schema.Int),
  repeat_until: optionalKey(Schema.String),
  days: optionalKey(days),
  end: optionalKey(Schema.String),
  duration_minutes: optionalKey(Schema.Int),
  alert_minutes: optionalKey(Schema.Int),
  second_alert_minutes: optionalKey(Schema.Int),
  color: optionalKey(Schema.String),
  place,
  summary
})
export type CompactReminder = typeof CompactReminder.Type

/** A reminder in a tool's result: compact, or the contract's Reminder. Details of its rule are not listed here. */
export const ReminderResult = Schema.StructWithRest(
  Schema.Struct({ id, thing_id, list_id, text, at, repeat, place, summary }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)

const always: ReadonlySet<string> = new Set([
  "id",
  "thing_id",
  "list_id",
  "text",
  "at",
  "all_day",
  "repeat",
  "place",
  "summary"
])
const defaults: Partial<ReminderJson> = { every: 1 }

export const compactReminder = (view: ReminderView): CompactReminder => {
  const whole = reminderJson(view)
  const entries = Object.entries({ ...whole, text: truncate(whole.text, maxText) }).filter(
    ([key, value]) => always.has(key) || !(isNothing(value) || defaults[key as keyof ReminderJson] === value)
  )
  return Object.fromEntries(entries) as unknown as CompactReminder
}

const isNothing = (value: unknown): boolean =>
  value === null || value === false || value === 0 || value === "" || (Array.isArray(value) && value.length === 0)

/** Warns that a place without coordinates cannot trigger reminders yet. */
export const withoutCoordinates = (place: SavedPlace | null): { readonly warning?: string } =>
  place !== null && place.latitude === null
    ? {
        warning: `The coordinates of '${place.name}' are not known, so its reminders cannot fire until they are: call save_place with latitude and longitude.`
      }
    : {}
