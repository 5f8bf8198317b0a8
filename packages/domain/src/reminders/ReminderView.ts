import type { SavedPlace } from "../model/Place.ts"
import type { Thing } from "../model/Thing.ts"
import type { Reminder } from "../model/Reminder.ts"
import { summarize } from "../recurrence/ReminderSummary.ts"

/** A reminder as shown on the requested member of a family of live linked copies. */
export interface ReminderView {
  readonly reminder: Reminder
  readonly thing: Thing
  /** The place of a place reminder; null for a time reminder. */
  readonly place: SavedPlace | null
  /** One sentence in English, in the owner's zone. */
  readonly summary: string
}

export const viewReminder = (
  reminder: Reminder,
  thing: Thing,
  zone: string,
  places: ReadonlyMap<string, SavedPlace>
): ReminderView => {
  const place = reminder.trigger._tag === "Place" ? (places.get(reminder.trigger.placeId) ?? null) : null
  return { reminder, thing, place, summary: summarize(reminder.trigger, zone, place) }
}
