import { Schema, SchemaTransformation } from "effect"
import { formatTime } from "../days/IsoTime.ts"
import { type Reminder, repeats, type TimeTrigger, type Weekday, weekdays } from "../model/Reminder.ts"
import type { ReminderView } from "../reminders/ReminderView.ts"
import * as Fields from "./Fields.ts"
import { TimeJson } from "./TimeJson.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"

const NullOr = Schema.NullOr
const optionalKey = Schema.optionalKey

/** The contract's Reminder, with `place` and `summary` (docs/decisions.md#reminders); `at` is null where `place` is not. */
export const ReminderJson = Schema.Struct({
  id: Schema.String,
  thing_id: Schema.String,
  list_id: Schema.String,
  text: Schema.String,
  at: NullOr(TimeJson),
  all_day: Schema.Boolean,
  repeat: Schema.Literals([...repeats, "custom"]),
  every: Schema.Int,
  repeat_until: NullOr(TimeJson),
  days: Schema.Array(Schema.Literals(weekdays)),
  end: NullOr(TimeJson),
  duration_minutes: NullOr(Schema.Int),
  alert_minutes: NullOr(Schema.Int),
  second_alert_minutes: NullOr(Schema.Int),
  color: Schema.String,
  place: NullOr(
    Schema.Struct({ id: Schema.String, name: Schema.String, trigger: Schema.Literals(["arrive", "leave"]) })
  ),
  summary: Schema.String
})
export type ReminderJson = typeof ReminderJson.Type

export const reminderJson = ({ place, reminder, summary, thing }: ReminderView): ReminderJson => ({
  id: reminder.id,
  thing_id: thing.id,
  list_id: thing.listId,
  text: thing.text,
  ...reminderFields(reminder),
  place:
    reminder.trigger._tag === "Place"
      ? { id: reminder.trigger.placeId, name: place?.name ?? "", trigger: reminder.trigger.on }
      : null,
  summary
})

/** The fields of the reminder's own, without the place. */
export const reminderFields = ({ alertMinutes, color, secondAlertMinutes, trigger }: Reminder) => ({
  ...(trigger._tag === "Time" ? timeJson(trigger) : noTime),
  alert_minutes: alertMinutes,
  second_alert_minutes: secondAlertMinutes,
  color
})

const timeJson = ({ allDay, at, durationMinutes, end, rule }: TimeTrigger) => ({
  at: formatTime(at),
  all_day: allDay,
  repeat: rule.repeat,
  every: rule.every,
  repeat_until: rule.until === null ? null : formatTime(rule.until),
  days: rule.days,
  end: end === null ? null : formatTime(end),
  duration_minutes: durationMinutes
})

const noTime = {
  at: null,
  all_day: false,
  repeat: "none",
  every: 1,
  repeat_until: null,
  days: [],
  end: null,
  duration_minutes: null
} as const

/** `GET /things/{id}/reminder/occurrences`: the current one and the next ones. */
export const OccurrencesJson = Schema.Struct({ occurrences: Schema.Array(TimeJson) })

export const occurrencesJson = (occurrences: ReadonlyArray<EpochMillis>): typeof OccurrencesJson.Type => ({
  occurrences: occurrences.map(formatTime)
})

/** `POST /reminders/preview`. */
export const PreviewJson = Schema.Struct({ occurrences: Schema.Array(TimeJson), summary: Schema.String })

export const previewJson = (preview: {
  readonly occurrences: ReadonlyArray<EpochMillis>
  readonly summary: string
}): typeof PreviewJson.Type => ({ ...occurrencesJson(preview.occurrences), summary: preview.summary })

export const Minutes = Schema.Int.check(
  Schema.isBetween({ minimum: 0, maximum: 525_600 }, { expected: "an integer from 0 to 525,600" })
)

/** A color as written, stored as `#rrggbb`; empty clears it. */
export const Color: Schema.Codec<string> = Schema.String.check(
  Schema.makeFilter((value: string) => /^(?:#(?:[0-9a-f]{3}|[0-9a-f]{6}))?$/i.test(value), {
    expected: "a colour as #rgb or #rrggbb, or empty"
  })
).pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({ decode: sixDigits, encode: (color: string) => color })
  )
)

function sixDigits(color: string): string {
  const lower = color.toLowerCase()
  return lower.length === 4 ? `#${[...lower.slice(1)].map((digit) => digit + digit).join("")}` : lower
}

const weekdayNumber = (value: string | number): number => {
  const text = String(value).toLowerCase()
  return /^[0-6]$/.test(text) ? Number(text) : weekdays.findIndex((day) => text === day || text === day.slice(0, 3))
}

export const Day: Schema.Codec<Weekday, string | number> = Schema.Union([Schema.String, Schema.Finite])
  .annotate({ expected: "a weekday" })
  .check(
    Schema.makeFilter((value: string | number) => weekdayNumber(value) >= 0, {
      expected: "a weekday: sunday to saturday, its first three letters, or 0 to 6 (0 = Sunday)"
    })
  )
  .pipe(
    Schema.decodeTo(
      Schema.Literals(weekdays),
      SchemaTransformation.transform({
        decode: (value: string | number): Weekday => weekdays[weekdayNumber(value)]!,
        encode: (day: Weekday): string | number => day
      })
    )
  )

/**
 * `PUT /things/{id}/reminder`. Null means "none", as in reads; omitted fields take their defaults. `ReminderDraft`
 * checks combinations of fields.
 */
export const SetReminderInput = Schema.Struct({
  at: Fields.TimeText,
  allDay: optionalKey(Schema.Boolean),
  durationMinutes: optionalKey(NullOr(Minutes)),
  end: optionalKey(NullOr(Fields.TimeText)),
  repeat: optionalKey(Schema.Literals(repeats)),
  every: optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 999 }, { expected: "an integer from 1 to 999" }))
  ),
  repeatUntil: optionalKey(NullOr(Fields.TimeText)),
  days: optionalKey(Schema.Array(Day).check(Schema.isMaxLength(100, { expected: "an array of at most 100 weekdays" }))),
  alertMinutes: optionalKey(NullOr(Minutes)),
  secondAlertMinutes: optionalKey(NullOr(Minutes)),
  color: optionalKey(Color),
  ...Fields.ignored("id", "thing_id", "list_id", "text", "place", "summary")
}).pipe(
  Schema.encodeKeys({
    allDay: "all_day",
    durationMinutes: "duration_minutes",
    repeatUntil: "repeat_until",
    alertMinutes: "alert_minutes",
    secondAlertMinutes: "second_alert_minutes"
  })
)
export type SetReminderInput = typeof SetReminderInput.Type
