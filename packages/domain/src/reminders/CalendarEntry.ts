import { instantToWall, msPerDay, wallOf } from "../days/Zone.ts"
import { truncate } from "../text/Characters.ts"
import { plainText } from "../markdown/TextMarkup.ts"
import type { Thing } from "../model/Thing.ts"
import { nextOccurrence } from "../recurrence/Recurrence.ts"
import type { Reminder, RepeatRule, TimeTrigger } from "../model/Reminder.ts"

/** One event of a calendar, whatever format it is written in. */
export interface CalendarEntry {
  /** Stable for as long as the thing has a reminder. */
  readonly uid: string
  readonly thingId: string
  /** One line without markup. */
  readonly title: string
  /** At most 10,000 characters, and `…` where there are more. */
  readonly note: string
  /** Epoch milliseconds; local midnight when `allDay`. */
  readonly start: number
  /** Epoch milliseconds; null when there is none. */
  readonly end: number | null
  readonly allDay: boolean
  /** Null when it happens once. */
  readonly recurrence: CalendarRule | null
  /** Minutes before `start`, each once; none for no advance notice. */
  readonly alerts: ReadonlyArray<number>
  readonly color: string
  /** Epoch milliseconds. */
  readonly created: number
}

/**
 * A rule in the terms of RFC 5545, section 3.3.10, that means what ours means from `start` on. It does without
 * `BYSETPOS`, which calendar programs get wrong.
 */
export interface CalendarRule {
  readonly rule: RepeatRule
  /** Days of the month, -1 being the last; empty = as `start`. */
  readonly monthDays: ReadonlyArray<number>
  /** From 1; empty = any. */
  readonly months: ReadonlyArray<number>
}

/** Characters of a note that a calendar program gets. */
const noteLength = 10_000

/** A time reminder as calendar entries in the owner's zone. */
export const calendarEntries = (reminder: Reminder, thing: Thing, zone: string): ReadonlyArray<CalendarEntry> => {
  const { trigger } = reminder
  if (trigger._tag === "Place" || thing.completed || thing.canceled) return []
  const once: CalendarEntry = {
    uid: reminder.id,
    thingId: thing.id,
    title: plainText(thing.text, thing.code).replace(/\s+/g, " ").trim(),
    note: truncate(thing.note, noteLength),
    start: trigger.at,
    end: trigger.end,
    allDay: trigger.allDay,
    recurrence: null,
    alerts: [...new Set([reminder.alertMinutes, reminder.secondAlertMinutes])].filter((minutes) => minutes > 0),
    color: reminder.color,
    created: reminder.created
  }
  if (trigger.rule.repeat === "none") return [once]
  const span = trigger.end === null ? null : trigger.end - trigger.at
  return partsOf(trigger).flatMap((part) =>
    eventsOf(part, trigger, zone).map((event) => ({
      ...once,
      uid: `${reminder.id}${event.suffix}`,
      start: event.start,
      end: span === null ? null : event.start + span,
      recurrence: event.recurrence
    }))
  )
}

/** What one rule of iCalendar can say of ours. */
interface Part {
  readonly suffix: string
  readonly recurrence: CalendarRule
  /** Whether an occurrence in this month (from 1) is said by this part. */
  readonly has: (month: number) => boolean
}

const partsOf = ({ first, rule }: TimeTrigger): ReadonlyArray<Part> => {
  const date = new Date(wallOf(first))
  const day = date.getUTCDate()
  const part = (monthDays: ReadonlyArray<number>, months: ReadonlyArray<number>): Part => ({
    suffix: "",
    recurrence: { rule, monthDays, months },
    has: () => true
  })
  if (rule.repeat === "yearly" && date.getUTCMonth() === 1 && day === 29) return [part([-1], [2])]
  if (rule.repeat !== "monthly" || day < 29) return [part([], [])]
  if (day === 31) return [part([-1], [])]
  // The 30th skips February by itself, and BYMONTH with an interval is what some programs get wrong.
  const others = part([day], day === 30 ? [] : [1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  return [
    { ...others, has: (month) => month !== 2 },
    { suffix: "-february", recurrence: februaries(rule), has: (month) => month === 2 }
  ]
}

/** Every so many months meet February every so many years. */
const februaries = (rule: RepeatRule): CalendarRule => {
  const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b))
  const years = rule.every / gcd(rule.every, 12)
  return { rule: { ...rule, repeat: "yearly", every: years }, monthDays: [-1], months: [2] }
}

interface Event {
  readonly suffix: string
  readonly start: number
  readonly recurrence: CalendarRule | null
}

/** A rule whose first occurrence the clock shifts would keep the shifted hour for ever: that one stands alone. */
const eventsOf = ({ has, recurrence, suffix }: Part, trigger: TimeTrigger, zone: string): ReadonlyArray<Event> => {
  const isShifted = (at: number) => timeOfDay(instantToWall(zone, at)) !== timeOfDay(wallOf(trigger.first))
  const events: Array<Event> = []
  let at: number | undefined = trigger.at
  for (let steps = 0; at !== undefined && steps < 40; steps++) {
    const month = new Date(instantToWall(zone, at)).getUTCMonth() + 1
    const fits = has(month)
    if (fits && !isShifted(at)) return [...events, { suffix, start: at, recurrence }]
    if (fits) events.push({ suffix: `${suffix}-shifted-${events.length + 1}`, start: at, recurrence: null })
    at = nextOccurrence(trigger, zone, at)
  }
  return events
}

const timeOfDay = (wall: number): number => ((wall % msPerDay) + msPerDay) % msPerDay
