import { instantOf } from "../days/IsoTime.ts"
import { type EpochMillis, laterOf } from "../model/EpochMillis.ts"
import type { Reminder, TimeTrigger } from "../model/Reminder.ts"
import { advance, nextOccurrence } from "../recurrence/Recurrence.ts"

/** What completing or canceling a thing does to its reminder (docs/contract.md#states-and-transitions). */
export type Completion =
  | { readonly _tag: "Plain" }
  | { readonly _tag: "RemovesReminder" }
  | { readonly _tag: "Repeats"; readonly reminder: Reminder; readonly nextAt: EpochMillis }

/**
 * Decides by the reminder alone. The next occurrence is the first one after both the current one and `now`;
 * a rule with nothing left behaves like a one-off.
 */
export const decideCompletion = (reminder: Reminder | undefined, zone: string, now: EpochMillis): Completion => {
  if (reminder === undefined) return { _tag: "Plain" }
  if (reminder.trigger._tag === "Place") return { _tag: "RemovesReminder" }
  const trigger: TimeTrigger = reminder.trigger
  const nextAt = nextOccurrence(trigger, zone, laterOf(trigger.at, now))
  return nextAt === undefined
    ? { _tag: "RemovesReminder" }
    : { _tag: "Repeats", nextAt, reminder: { ...reminder, trigger: advance(trigger, nextAt) } }
}

/** Whether the client names any other than the current occurrence, which is not due (docs/decisions.md#completing). */
export const isOtherOccurrence = (occurrence: string, reminder: Reminder | undefined, zone: string): boolean =>
  reminder?.trigger._tag !== "Time" || reminder.trigger.at !== instantOf(occurrence, zone)
