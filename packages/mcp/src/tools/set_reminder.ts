import { Effect, Schema } from "effect"
import { InvalidInput } from "@lists-and-things/domain/model/Errors"
import * as Fields from "@lists-and-things/domain/json/Fields"
import { Radius } from "@lists-and-things/domain/json/PlaceJson"
import { exampleIds, optional } from "@lists-and-things/domain/json/Described"
import { Color, Day, Every, Minutes } from "@lists-and-things/domain/json/ReminderJson"
import { placeTransitions, repeats } from "@lists-and-things/domain/model/Reminder"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { idLike, ThingId, time } from "../Arguments.ts"
import { fullReminder, ReminderResult, withoutCoordinates } from "../results/ReminderResult.ts"
import { defineTool, hints } from "../Tool.ts"

const optionalKey = Schema.optionalKey
const minutes = (hint: string) => optionalKey(Minutes.annotate({ hint, examples: [30] }))

const atTime = {
  at: optionalKey(time("ISO 8601; without an offset, in the owner's time zone.")),
  allDay: optionalKey(Schema.Boolean),
  durationMinutes: minutes("Not with end."),
  end: optionalKey(time("With an offset if at has one, else without.", "2026-11-23T09:30")),
  repeat: optionalKey(
    Schema.Literals(repeats).annotate({
      hint: 'weekly repeats on the weekday of at; with every 2, every other week. monthly repeats on the date of at: "first Monday of the month" is not possible.',
      examples: ["weekly"]
    })
  ),
  every: optionalKey(Every.annotate({ hint: "Interval in units of repeat; not with days." })),
  repeatUntil: optionalKey(time("Last possible time, inclusive.", "2027-03-01")),
  days: optionalKey(Schema.Array(Day).annotate({ hint: "Weekdays; makes it weekly.", examples: [["monday"]] })),
  alertMinutes: minutes("Minutes of advance notice; 0 = none."),
  secondAlertMinutes: minutes("Minutes of a second notice; 0 = none."),
  color: optional(Color, "As #rrggbb, or empty.", "#3366cc")
}

export const setReminder = defineTool({
  name: "set_reminder",
  title: "Set a reminder",
  description:
    "Sets the reminder of a thing. A thing has one reminder, and this replaces all of it: to change a repeating one, give repeat and the other fields again. Give at for a time, or place and trigger for arriving at or leaving a saved place; never both.",
  scope: "write:things",
  operation: "setReminder",
  hints: hints.replaces,
  input: Schema.Struct({
    thingId: ThingId,
    id: optionalKey(idLike(exampleIds.reminder, "id of the reminder you read, to continue its series.")),
    ...atTime,
    place: optionalKey(Fields.Name.annotate({ hint: "Name or id of a saved place.", examples: ["Home"] })),
    trigger: optionalKey(Schema.Literals(placeTransitions)),
    radiusMeters: optionalKey(Radius.annotate({ hint: "Default: the place's own.", examples: [150] }))
  }).pipe(
    Schema.encodeKeys({
      thingId: "thing_id",
      allDay: "all_day",
      durationMinutes: "duration_minutes",
      repeatUntil: "repeat_until",
      alertMinutes: "alert_minutes",
      secondAlertMinutes: "second_alert_minutes",
      radiusMeters: "radius_m"
    })
  ),
  output: Schema.Struct({ reminder: ReminderResult, warning: optionalKey(Schema.String) }),
  handler: Effect.fnUntraced(function* ({ thingId, id, place, trigger, radiusMeters, at, ...timing }) {
    const reminders = yield* Reminders
    if (at === undefined && place === undefined) {
      return yield* new InvalidInput({
        field: "at",
        reason: "or place is required: at for a time, or place with trigger for arriving at or leaving a saved place",
        example: '"at": "2026-11-23T09:00"'
      })
    }
    if (at !== undefined && place !== undefined) {
      return yield* new InvalidInput({
        field: "at",
        reason: "and place exclude each other: leave out at, or place and trigger",
        example: '"at": "2026-11-23T09:00"'
      })
    }
    if (at !== undefined) {
      if (trigger !== undefined || radiusMeters !== undefined) return yield* onlyWith("place", "trigger and radius_m")
      return {
        reminder: fullReminder(yield* reminders.set(thingId, { at, ...timing, ...(id !== undefined && { id }) }))
      }
    }
    if (Object.keys(timing).length > 0) return yield* onlyWith("at", "the fields of a time reminder")
    if (trigger === undefined)
      return yield* new InvalidInput({
        field: "trigger",
        reason: "must be arrive or leave",
        example: '"place": "Home", "trigger": "arrive"'
      })
    const view = yield* reminders.setAtPlace(thingId, { place: place!, trigger, radiusMeters })
    return { reminder: fullReminder(view), ...withoutCoordinates(view.place) }
  })
})

const onlyWith = (field: string, others: string) =>
  new InvalidInput({
    field,
    reason: `is required with ${others}; leave them out otherwise`,
    example: field === "at" ? '"at": "2026-11-23T09:00"' : '"place": "Home", "trigger": "arrive"'
  })
