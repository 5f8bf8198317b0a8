import { localDateOf } from "../days/Zone.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"
import type { SavedPlace } from "../model/Place.ts"
import type { Thing } from "../model/Thing.ts"
import type { Reminder } from "../model/Reminder.ts"
import { advance } from "../recurrence/Recurrence.ts"
import { summarize } from "../recurrence/ReminderSummary.ts"

/** A reminder as shown on the requested member of a family of live linked copies. */
export interface ReminderView {
  readonly reminder: Reminder
  /** The member that was asked for, which may be a live linked copy. */
  readonly thing: Thing
  /** The place of a place reminder; null for a time reminder. */
  readonly place: SavedPlace | null
  /** One sentence in English, in the owner's zone. */
  readonly summary: string
  /** The owner's zone. */
  readonly zone: string
}

/** A repeating reminder that comes again in a range, although its time is before it. */
export interface ReminderComingAgain extends ReminderView {
  /** The first one in the range. */
  readonly occurrence: EpochMillis
}

/** As the reminder is when that occurrence is its next, for showing it: what can be completed is the current one. */
export const atOccurrence = ({ occurrence, ...view }: ReminderComingAgain): ReminderView => {
  const { reminder } = view
  return reminder.trigger._tag === "Place"
    ? view
    : { ...view, reminder: { ...reminder, trigger: advance(reminder.trigger, occurrence) } }
}

/** Whether its time is over; a whole day is when it has ended. */
export const isOver = (trigger: Reminder["trigger"], zone: string, now: EpochMillis): boolean =>
  trigger._tag === "Time" &&
  (trigger.allDay ? localDateOf(zone, trigger.at) < localDateOf(zone, now) : trigger.at < now)

/** `zone` is the owner's; `places` has that of a place reminder, by id. */
export const viewReminder = (
  reminder: Reminder,
  thing: Thing,
  zone: string,
  places: ReadonlyMap<string, SavedPlace>
): ReminderView => {
  const place = reminder.trigger._tag === "Place" ? (places.get(reminder.trigger.placeId) ?? null) : null
  return { reminder, thing, place, summary: summarize(reminder.trigger, zone, place), zone }
}
