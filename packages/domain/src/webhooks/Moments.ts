import { instantToWall, timeOfDay, wallToInstant } from "../days/Zone.ts"
import type { Account } from "../model/Account.ts"
import { addMillis, earlierOf, type EpochMillis, msPerDay, msPerMinute } from "../model/EpochMillis.ts"
import type { TimeTrigger } from "../model/Reminder.ts"
import type { TimeReminder } from "../ports/ReminderStore.ts"
import { nextOccurrence } from "../recurrence/Recurrence.ts"

/** What a moment announces: an occurrence itself, or one of its alerts. */
export type Alert = null | "first" | "second"

/** An occurrence that a moment announces. */
export interface Announcement {
  readonly alert: Alert
  /** When the occurrence is due, which for an alert is later. */
  readonly dueAt: EpochMillis
}

/** On whose clock reminders are due. */
export interface OwnerClock {
  readonly zone: string
  /** `HH:MM`: when all-day reminders are due. */
  readonly allDayAt: string
}

export const clockOf = ({ allDayAt, timezone }: Account): OwnerClock => ({ zone: timezone, allDayAt })

/** The first moment strictly after `after` at which a reminder or an alert of it is due; undefined when none is left. */
export const nextMoment = (reminder: TimeReminder, clock: OwnerClock, after: EpochMillis): EpochMillis | undefined => {
  const moments = leads(reminder).flatMap(({ lead }) => {
    const dueAt = nextDue(reminder.trigger, clock, addMillis(after, lead))
    return dueAt === undefined ? [] : [addMillis(dueAt, -lead)]
  })
  return moments.length === 0 ? undefined : moments.reduce(earlierOf)
}

/** What is announced at exactly this moment, the occurrence itself first; nothing when it is none of the reminder. */
export const announcementsAt = (
  reminder: TimeReminder,
  clock: OwnerClock,
  moment: EpochMillis
): ReadonlyArray<Announcement> =>
  leads(reminder).flatMap(({ alert, lead }) => {
    const due = addMillis(moment, lead)
    return nextDue(reminder.trigger, clock, addMillis(due, -1)) === due ? [{ alert, dueAt: due }] : []
  })

const leads = ({ alertMinutes, secondAlertMinutes }: TimeReminder) => [
  { alert: null, lead: 0 },
  ...(alertMinutes > 0 ? [{ alert: "first" as const, lead: alertMinutes * msPerMinute }] : []),
  ...(secondAlertMinutes > 0 ? [{ alert: "second" as const, lead: secondAlertMinutes * msPerMinute }] : [])
]

/** A day list's midnight and the time at which its all-day reminders are due are less than this apart. */
const maxAfterMidnight = 2 * msPerDay

/** The first time strictly after `after` at which an occurrence is due; the current occurrence is the earliest one. */
const nextDue = (trigger: TimeTrigger, clock: OwnerClock, after: EpochMillis): EpochMillis | undefined => {
  if (!trigger.allDay) return firstAfter(trigger, clock.zone, after)
  let at = firstAfter(trigger, clock.zone, addMillis(after, -maxAfterMidnight))
  while (at !== undefined) {
    const due = dueOnDay(clock, at)
    if (due > after) return due
    at = nextOccurrence(trigger, clock.zone, at)
  }
  return undefined
}

const firstAfter = (trigger: TimeTrigger, zone: string, after: EpochMillis): EpochMillis | undefined =>
  trigger.at > after ? trigger.at : nextOccurrence(trigger, zone, after)

const dueOnDay = ({ allDayAt, zone }: OwnerClock, midnight: EpochMillis): EpochMillis => {
  const wall = instantToWall(zone, midnight)
  const [hour, minute] = allDayAt.split(":").map(Number)
  return wallToInstant(zone, wall - timeOfDay(wall) + (hour! * 60 + minute!) * msPerMinute)
}
