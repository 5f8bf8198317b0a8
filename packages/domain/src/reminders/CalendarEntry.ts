import { instantToWall, msPerDay, wallOf } from "../days/Zone.ts"
import { truncate } from "../text/Characters.ts"
import { plainText } from "../markdown/TextMarkup.ts"
import type { Thing } from "../model/Thing.ts"
import { nextOccurrence } from "../recurrence/Recurrence.ts"
import type { Reminder, RepeatRule, TimeTrigger } from "../model/Reminder.ts"
import { addMillis, type EpochMillis } from "../model/EpochMillis.ts"

/** One calendar event, independent of the output format. */
export interface CalendarEntry {
  /** Stable as long as the thing has a reminder. */
  readonly uid: string
  readonly thingId: string
  /** A single line without markup. */
  readonly title: string
  /** Truncated to 10,000 characters and `…`. */
  readonly note: string
  /** Local midnight when `allDay`. */
  readonly start: EpochMillis
  /** Null when there is none. */
  readonly end: EpochMillis | null
  readonly allDay: boolean
  /** Null for a single event. */
  readonly recurrence: CalendarRule | null
  /** Minutes before `start`, without duplicates; empty for no advance notice. */
  readonly alerts: ReadonlyArray<number>
  readonly color: string
  readonly created: EpochMillis
}

/**
 * An RFC 5545 rule (section 3.3.10) with the same occurrences as ours from `start` on. Avoids `BYSETPOS`, which
 * calendar programs implement incorrectly.
 */
export interface CalendarRule {
  readonly rule: RepeatRule
  /** Days of the month, -1 being the last; empty means the day of `start`. */
  readonly monthDays: ReadonlyArray<number>
  /** 1-based; empty means any. */
  readonly months: ReadonlyArray<number>
}

/** Maximum characters of a note in a calendar. */
const noteLength = 10_000

/** The calendar entries of a time reminder, in the owner's zone. */
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
      end: span === null ? null : addMillis(event.start, span),
      recurrence: event.recurrence
    }))
  )
}

/** The part of one of our rules that a single iCalendar rule can express. */
interface Part {
  readonly suffix: string
  readonly recurrence: CalendarRule
  /** Whether this part covers occurrences in this month (1-based). */
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
  // Day 30 skips February by itself; some programs implement BYMONTH with an interval incorrectly.
  const others = part([day], day === 30 ? [] : [1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  return [
    { ...others, has: (month) => month !== 2 },
    { suffix: "-february", recurrence: februaries(rule), has: (month) => month === 2 }
  ]
}

/** A rule every n months hits February at a fixed interval of years. */
const februaries = (rule: RepeatRule): CalendarRule => {
  const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b))
  const years = rule.every / gcd(rule.every, 12)
  return { rule: { ...rule, repeat: "yearly", every: years }, monthDays: [-1], months: [2] }
}

interface Event {
  readonly suffix: string
  readonly start: EpochMillis
  readonly recurrence: CalendarRule | null
}

/** A first occurrence that a gap shifts becomes an event of its own; otherwise the rule would keep the shifted hour. */
const eventsOf = ({ has, recurrence, suffix }: Part, trigger: TimeTrigger, zone: string): ReadonlyArray<Event> => {
  const isShifted = (at: EpochMillis) => timeOfDay(instantToWall(zone, at)) !== timeOfDay(wallOf(trigger.first))
  const events: Array<Event> = []
  let at: EpochMillis | undefined = trigger.at
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
