import { Schema, SchemaTransformation } from "effect"
import { formatTime, formatTimeOrNull } from "../days/IsoTime.ts"
import { caps } from "../model/Caps.ts"
import {
  placeTransitions,
  type Reminder,
  repeats,
  type TimeTrigger,
  type Weekday,
  weekdayNamed,
  weekdays
} from "../model/Reminder.ts"
import type { ReminderView } from "../reminders/ReminderView.ts"
import * as Fields from "./Fields.ts"
import { Count, described, exampleIds, optional, rule, TimeJson } from "./Described.ts"
import { colorPattern, isColor, sixDigits } from "../text/Colors.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"

const NullOr = Schema.NullOr

/** The contract's Reminder, with `place` and `summary` (docs/decisions.md#reminders); `at` is null where `place` is not. */
export const ReminderJson = Schema.Struct({
  id: described(Schema.String, "Opaque."),
  thing_id: described(Schema.String, "The id of the thing that it is on."),
  list_id: described(Schema.String, "The id of the list that holds the thing."),
  text: described(Schema.String, "The thing's text."),
  at: described(NullOr(TimeJson), "When it is due; null for a place reminder."),
  all_day: described(
    Schema.Boolean,
    "Whether it lasts all day: `at` is midnight in the account's time zone, and there is no `end`."
  ),
  repeat: described(Schema.Literals([...repeats, "custom"]), "The unit of repetition; treat `custom` as `none`."),
  every: described(Count, "The interval, in units of `repeat`: 2 with `weekly` is every other week."),
  repeat_until: described(NullOr(TimeJson), "The last time at which it can be due, inclusive; null repeats forever."),
  days: described(Schema.Array(Schema.Literals(weekdays)), "The weekdays of a weekly reminder, in order from Sunday."),
  end: described(NullOr(TimeJson), "When this occurrence ends; null if it has no end."),
  duration_minutes: described(NullOr(Count), "The time from `at` to `end` in minutes; null if there is no end."),
  alert_minutes: described(NullOr(Count), "Minutes before `at` to notify; 0 or null means no advance notice."),
  second_alert_minutes: described(NullOr(Count), "Minutes before `at` of a second notice; 0 or null means none."),
  color: described(Schema.String, "`#rrggbb`; empty if it has no color of its own."),
  place: described(
    NullOr(
      Schema.Struct({
        id: described(Schema.String, "The id of the saved place."),
        name: described(Schema.String, "The name of the place."),
        trigger: described(Schema.Literals(placeTransitions), "Whether it is due on arriving or on leaving.")
      })
    ),
    "The place of a place reminder; null for a reminder at a time."
  ),
  summary: described(Schema.String, "The reminder in words, in the account's time zone.")
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
  repeat_until: formatTimeOrNull(rule.until),
  days: rule.days,
  end: formatTimeOrNull(end),
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
export const OccurrencesJson = Schema.Struct({
  occurrences: described(Schema.Array(TimeJson), "The current occurrence, then those that follow.")
})

export const occurrencesJson = (occurrences: ReadonlyArray<EpochMillis>): typeof OccurrencesJson.Type => ({
  occurrences: occurrences.map(formatTime)
})

/** `POST /reminders/preview`. */
export const PreviewJson = Schema.Struct({
  occurrences: described(Schema.Array(TimeJson), "The first ten occurrences, or all if there are fewer."),
  summary: described(Schema.String, "The reminder in words, in the account's time zone.")
})

export const previewJson = (preview: {
  readonly occurrences: ReadonlyArray<EpochMillis>
  readonly summary: string
}): typeof PreviewJson.Type => ({ ...occurrencesJson(preview.occurrences), summary: preview.summary })

export const Minutes = Fields.integer(0, caps.minutes)

export const Every = Fields.integer(1, caps.every)

/** A color as written, stored as `#rrggbb`; empty clears it. */
export const Color: Schema.Codec<string> = Schema.String.check(
  rule(isColor, "a color as #rgb or #rrggbb, or empty", () => ({ pattern: colorPattern }))
).pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({ decode: sixDigits, encode: (color: string) => color })
  )
)

const weekdayNumber = (value: string | number): number => {
  const text = String(value).toLowerCase()
  return /^[0-6]$/.test(text) ? Number(text) : weekdayNamed(text)
}

/** A weekday as written, in either case: its name, the first three letters, or 0 to 6 from Sunday. */
export const Day: Schema.Codec<Weekday, string | number> = Schema.Union([Schema.String, Schema.Finite])
  .annotate({ expected: "a weekday" })
  .check(
    rule(
      (value: string | number) => weekdayNumber(value) >= 0,
      "a weekday: sunday to saturday, its first three letters, or 0 to 6 (0 = Sunday)"
    )
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

/** A reminder at a time is read with null. A place would be ignored, and the reminder would never be at it. */
const NoPlace = Schema.Unknown.check(
  rule((value: unknown) => value === null, "null, since the tool set_reminder alone sets reminders at places")
)

/**
 * `PUT /things/{id}/reminder`. Null means "none", as in reads; omitted fields take their defaults. `ReminderDraft`
 * checks combinations of fields.
 */
export const SetReminderInput = Schema.Struct({
  at: described(
    Fields.TimeText,
    "ISO 8601. With an offset or `Z` it is an exact time; without one it is in the account's time zone. A plain date makes the reminder all-day, unless `all_day` is false.",
    "2026-11-23T09:00"
  ),
  allDay: optional(
    Schema.Boolean,
    "Whether it lasts all day: the time in `at` is dropped, and there is no `end`.",
    true
  ),
  durationMinutes: optional(
    NullOr(Minutes),
    "The length of an occurrence in minutes; 0 means no end. Default: the account's setting. Cannot be combined with `end` or `all_day`.",
    30
  ),
  end: optional(
    NullOr(Fields.TimeText),
    "When this occurrence ends, in the same form as `at`: both with an offset, or both without. Cannot be combined with `duration_minutes`.",
    "2026-11-23T09:30"
  ),
  repeat: optional(Schema.Literals(repeats), "The unit of repetition. Default: `none`.", "daily"),
  every: optional(Every, "The interval, in units of `repeat`. Default: 1. Cannot be combined with `days`.", 2),
  repeatUntil: optional(
    NullOr(Fields.TimeText),
    "The last time at which it can be due, inclusive; null repeats forever.",
    "2027-03-01"
  ),
  days: optional(
    Schema.Array(Day).check(Schema.isMaxLength(100, { expected: "an array of at most 100 weekdays" })),
    "The weekdays: English names, their first three letters, or 0 to 6 (0 is Sunday). Makes the reminder weekly.",
    ["mon", "thu"]
  ),
  alertMinutes: optional(
    NullOr(Minutes),
    "Minutes before `at` to notify; 0 means no advance notice. Default: the account's setting.",
    10
  ),
  secondAlertMinutes: optional(NullOr(Minutes), "Minutes before `at` of a second notice; 0 means none.", 60),
  color: optional(Color, "`#rgb` or `#rrggbb`; empty for none. Default: the account's setting.", "#3366cc"),
  id: optional(
    Fields.Reference,
    "The id of the reminder that was read, to send it back: its series then continues from its first occurrence, and the body can repeat what reads repeat (`end` beside `duration_minutes`, `every` 1 beside `days`).",
    exampleIds.reminder
  ),
  place: Fields.readOnly(NoPlace, "Reads return it; a write accepts only null."),
  ...Fields.ignored("thing_id", "list_id", "text", "summary")
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
