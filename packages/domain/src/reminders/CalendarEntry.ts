import { instantToWall, isShownAgain, timeOfDay, wallOf } from "../days/Zone.ts"
import { truncate } from "../text/Characters.ts"
import { collapsed } from "../text/Quoted.ts"
import { plainText } from "../markdown/TextMarkup.ts"
import { isOpen, type Thing } from "../model/Thing.ts"
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
  /** `#rrggbb` or empty. */
  readonly color: string
  readonly created: EpochMillis
  /** The last change of its list: rises with every change of the thing and of its reminder. */
  readonly revised: EpochMillis
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

/** The calendar entries of a time reminder, in the owner's zone; `revised` is when the thing's list changed last. */
export const calendarEntries = (
  reminder: Reminder,
  thing: Thing,
  zone: string,
  revised: EpochMillis
): ReadonlyArray<CalendarEntry> => {
  const { trigger } = reminder
  if (trigger._tag === "Place" || !isOpen(thing)) return []
  const once: CalendarEntry = {
    uid: reminder.id,
    thingId: thing.id,
    title: collapsed(plainText(thing.text, thing.code)),
    note: truncate(thing.note, noteLength),
    start: trigger.at,
    end: trigger.end,
    allDay: trigger.allDay,
    recurrence: null,
    alerts: [...new Set([reminder.alertMinutes, reminder.secondAlertMinutes])].filter((minutes) => minutes > 0),
    color: reminder.color,
    created: reminder.created,
    revised
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
  const [month, day] = [date.getUTCMonth() + 1, date.getUTCDate()]
  if (rule.repeat === "yearly" && month === 2 && day === 29) return [whole(rule, [-1], [2])]
  if (rule.repeat !== "monthly" || day < 29) return [whole(rule)]
  if (day === 31) return [whole(rule, [-1])]
  // Day 30 skips February by itself.
  if (day === 30) return [besideFebruary(rule, [30]), february(rule)]
  const months = monthsOf(rule.every, month)
  if (!months.includes(2)) return [whole(rule, [29])]
  const others = months.filter((each) => each !== 2)
  if (rule.every === 1) return [besideFebruary(rule, [29], others), february(rule)]
  return [...others.map((each) => oneMonth(rule, each)), february(rule)]
}

const whole = (rule: RepeatRule, monthDays: ReadonlyArray<number> = [], months: ReadonlyArray<number> = []): Part => ({
  suffix: "",
  recurrence: { rule, monthDays, months },
  has: () => true
})

const besideFebruary = (...of: Parameters<typeof whole>): Part => ({ ...whole(...of), has: (month) => month !== 2 })

const february = (rule: RepeatRule): Part => ({
  suffix: "-february",
  recurrence: yearlyIn(2, -1, rule),
  has: (month) => month === 2
})

const oneMonth = (rule: RepeatRule, month: number): Part => ({
  suffix: `-month-${month}`,
  recurrence: yearlyIn(month, 29, rule),
  has: (each) => each === month
})

/** The months that a rule every n months comes to, from the month of its first occurrence. */
const monthsOf = (every: number, first: number): ReadonlyArray<number> =>
  [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].filter((month) => (month - first) % divisor(every, 12) === 0)

/** The greatest number that divides both. */
const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b))

/**
 * One month of a rule every n months, which comes to it at a fixed interval of years. Calendar programs, ical.js among
 * them, ignore an interval of months beside `BYMONTH`.
 */
const yearlyIn = (month: number, monthDay: number, rule: RepeatRule): CalendarRule => ({
  rule: { ...rule, repeat: "yearly", every: rule.every / divisor(rule.every, 12) },
  monthDays: [monthDay],
  months: [month]
})

interface Event {
  readonly suffix: string
  readonly start: EpochMillis
  readonly recurrence: CalendarRule | null
}

/**
 * A first occurrence that a gap shifts becomes an event of its own; otherwise the rule would keep the shifted hour. So
 * does one whose wall time the clock shows for the second time: those that follow are where it is shown first.
 */
const eventsOf = ({ has, recurrence, suffix }: Part, trigger: TimeTrigger, zone: string): ReadonlyArray<Event> => {
  const isShifted = (at: EpochMillis) =>
    timeOfDay(instantToWall(zone, at)) !== timeOfDay(wallOf(trigger.first)) || isShownAgain(zone, at)
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
