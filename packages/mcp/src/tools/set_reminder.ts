import { Effect, Schema } from "effect"
import { InvalidInput } from "@lists-and-things/domain/model/Errors"
import * as Fields from "@lists-and-things/domain/json/Fields"
import { Radius } from "@lists-and-things/domain/json/PlaceJson"
import { exampleIds, optional } from "@lists-and-things/domain/json/Described"
import { Color, Day, Every, Minutes } from "@lists-and-things/domain/json/ReminderJson"
import { repeats } from "@lists-and-things/domain/model/Reminder"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { idLike, ThingId, time } from "../Arguments.ts"
import { fullReminder, ReminderResult, withoutCoordinates } from "../results/ReminderResult.ts"
import { defineTool, hints } from "../Tool.ts"

const optionalKey = Schema.optionalKey
const minutes = (hint: string) => optionalKey(Minutes.annotate({ hint, examples: [30] }))

const atTime = {
  at: optionalKey(time("ISO 8601; without an offset in the owner's zone.")),
  allDay: optionalKey(Schema.Boolean),
  durationMinutes: minutes("Not with end."),
  end: optionalKey(time("In the same form as at.", "2026-11-23T09:30")),
  repeat: optionalKey(
    Schema.Literals(repeats).annotate({
      hint: "Every second week is weekly with every 2, on the weekday of at. monthly is on its date: the first Monday of a month cannot repeat.",
      examples: ["weekly"]
    })
  ),
  every: optionalKey(Every.annotate({ hint: "Every so many units of repeat; not with days." })),
  repeatUntil: optionalKey(time("The last possible occurrence.", "2027-03-01")),
  days: optionalKey(Schema.Array(Day).annotate({ hint: "Weekdays; makes it weekly.", examples: [["monday"]] })),
  alertMinutes: minutes("Notice so many minutes before; 0 = none."),
  secondAlertMinutes: minutes("A second notice."),
  color: optional(Color, "As #rrggbb, or empty.", "#3366cc")
}

export const setReminder = defineTool({
  name: "set_reminder",
  title: "Set a reminder",
  description:
    "Sets the one reminder of a thing, and replaces the one before as a whole: to change a repeating one, give repeat and the rest again. Give at for a time, or place and trigger for arriving at or leaving a saved place; never both.",
  scope: "write:things",
  operation: "setReminder",
  hints: hints.replaces,
  input: Schema.Struct({
    thingId: ThingId,
    id: optionalKey(idLike(exampleIds.reminder, "Of the reminder you read: it goes on in its series.")),
    ...atTime,
    place: optionalKey(Fields.Name.annotate({ hint: "Name or id of a saved place.", examples: ["Home"] })),
    trigger: optionalKey(Schema.Literals(["arrive", "leave"])),
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
