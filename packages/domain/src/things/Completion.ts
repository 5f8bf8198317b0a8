import type { Reminder, TimeTrigger } from "../model/Reminder.ts"
import { advance, nextOccurrence } from "../recurrence/Recurrence.ts"

/** What completing or canceling a thing does to its reminder (docs/contract.md#states-and-transitions). */
export type Completion =
  | { readonly _tag: "Plain" }
  | { readonly _tag: "RemovesReminder" }
  | { readonly _tag: "Repeats"; readonly reminder: Reminder; readonly nextAt: number }

/**
 * Decides by the reminder alone. The next occurrence is the first one after both the current one and `now`
 * (epoch milliseconds); a rule with nothing left behaves like a one-off.
 */
export const decideCompletion = (reminder: Reminder | undefined, zone: string, now: number): Completion => {
  if (reminder === undefined) return { _tag: "Plain" }
  if (reminder.trigger._tag === "Place") return { _tag: "RemovesReminder" }
  const trigger: TimeTrigger = reminder.trigger
  const nextAt = nextOccurrence(trigger, zone, Math.max(trigger.at, now))
  return nextAt === undefined
    ? { _tag: "RemovesReminder" }
    : { _tag: "Repeats", nextAt, reminder: { ...reminder, trigger: advance(trigger, zone, nextAt) } }
}
