import { Schema, SchemaAST } from "effect"
import { localMoment } from "@lists-and-things/domain/days/LocalText"
import { truncate } from "@lists-and-things/domain/text/Characters"
import { quoted } from "@lists-and-things/domain/text/Quoted"
import { ReminderJson, reminderJson } from "@lists-and-things/domain/json/ReminderJson"
import type { ReminderView } from "@lists-and-things/domain/reminders/ReminderView"
import type { SavedPlace } from "@lists-and-things/domain/model/Place"

const optionalKey = Schema.optionalKey

const { id, thing_id, list_id, text, at, all_day, repeat, days, place, summary } = ReminderJson.fields

/** `at` on the owner's clock; absent for a reminder at a place. */
const atLocal = optionalKey(Schema.String)

/** The contract's Reminder without details that are null, empty or default. Exactly one of `at` and `place` is null. */
export const CompactReminder = Schema.Struct({
  id,
  thing_id,
  list_id,
  text,
  at,
  at_local: atLocal,
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
  Schema.Struct({ id, thing_id, list_id, text, at, at_local: atLocal, repeat, place, summary }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)

/** Fields of a compact reminder that are there even if null, empty or default. */
const always: ReadonlySet<string> = new Set(
  Object.entries(CompactReminder.fields).flatMap(([name, { ast }]) => (SchemaAST.isOptional(ast) ? [] : [name]))
)
const defaults: Partial<ReminderJson> = { every: 1 }

/** The contract's Reminder, with its time on the owner's clock. */
export const fullReminder = (view: ReminderView) => ({ ...reminderJson(view), ...localOf(view) })

const localOf = ({ reminder, zone }: ReminderView): { readonly at_local?: string } =>
  reminder.trigger._tag === "Time" ? { at_local: localMoment(zone, reminder, reminder.trigger.at) } : {}

/** The thing's text is cut to `maxText` characters. */
export const compactReminder = (view: ReminderView, maxText: number): CompactReminder => {
  const whole = fullReminder(view)
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
        warning: `The coordinates of ${quoted(place.name)} are not known, so its reminders cannot fire until they are: call save_place with latitude and longitude.`
      }
    : {}
