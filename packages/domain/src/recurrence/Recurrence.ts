import { addMonths, monthOf } from "../days/Months.ts"
import { instantsOfWall, instantToWall, maxInstant, wallOf, wallToInstant, weekdayOf } from "../days/Zone.ts"
import { type RepeatRule, type TimeTrigger, type Weekday, weekdays } from "../model/Reminder.ts"
import { addMillis, earlierOf, type EpochMillis, laterOf, msPerDay } from "../model/EpochMillis.ts"

/**
 * The occurrences of a reminder on the owner's wall clock (docs/decisions.md#reminders). Each one is computed directly
 * from the first, without iterating: a monthly rule that began on January 31 returns to the 31st after February 28, and
 * a rule from the year 1 costs the same as one from yesterday.
 */

/**
 * The first occurrence strictly after `after`; undefined when none is left up to `until` (inclusive) or before the end
 * of the year 9999 (UTC; on the owner's clock for all-day reminders).
 */
export const nextOccurrence = (trigger: TimeTrigger, zone: string, after: EpochMillis): EpochMillis | undefined => {
  if (isOnceAtTime(trigger)) return trigger.at > after ? trigger.at : undefined
  const first = wallOf(trigger.first)
  // A gap is at most a day, so no wall time earlier than this can be an instant after `after`.
  const earliest = instantToWall(zone, after) - msPerDay
  let index = Math.max(0, firstIndexFrom(trigger.rule, first, earliest))
  for (;;) {
    const wall = wallAt(trigger.rule, first, index)
    if (wall === undefined || (trigger.allDay && wall > maxInstant)) return undefined
    const at = wallToInstant(zone, wall)
    if (at > maxInstant || (trigger.rule.until !== null && at > trigger.rule.until)) return undefined
    if (at > after) return at
    index++
  }
}

/** Whether it is a one-off with a time, whose `first` may be on the clock of a zone that its owner has left. */
export const isOnceAtTime = ({ allDay, rule }: TimeTrigger): boolean => rule.repeat === "none" && !allDay

/** The trigger at another occurrence; its end keeps the same elapsed time. The rule is unchanged. */
export const advance = (trigger: TimeTrigger, nextAt: EpochMillis): TimeTrigger => ({
  ...trigger,
  at: nextAt,
  end: trigger.end === null ? null : earlierOf(addMillis(nextAt, trigger.end - trigger.at), maxInstant)
})

/** The current occurrence, then the next ones after `after`; at most `count`. */
export const occurrencesFrom = (
  trigger: TimeTrigger,
  zone: string,
  after: EpochMillis,
  count: number
): ReadonlyArray<EpochMillis> => {
  const found = [trigger.at]
  while (found.length < count) {
    const next = nextOccurrence(trigger, zone, laterOf(after, found.at(-1)!))
    if (next === undefined) break
    found.push(next)
  }
  return found
}

/** The intended wall time of the current occurrence; differs from what the clock shows where a gap has shifted it. */
export const currentWall = (trigger: TimeTrigger, zone: string): number => {
  const { at, rule } = trigger
  const first = wallOf(trigger.first)
  const wall = wallAt(rule, first, lastIndexUntil(trigger, zone, at))
  return wall !== undefined && wallToInstant(zone, wall) === at ? wall : instantToWall(zone, at)
}

/** What a change of the clock does to an occurrence: its wall time does not exist, or is shown twice. */
export type ClockChange =
  | { readonly _tag: "Skipped"; readonly wall: number }
  | { readonly _tag: "Repeated"; readonly isEarlier: boolean }

/**
 * The clock change at the current occurrence; undefined if its wall time exists exactly once, and for all-day
 * reminders.
 */
export const clockChangeOf = (trigger: TimeTrigger, zone: string): ClockChange | undefined => {
  if (trigger.allDay) return undefined
  const wall = currentWall(trigger, zone)
  const [earlier, later] = instantsOfWall(zone, wall)
  if (earlier === undefined) return { _tag: "Skipped", wall }
  return later === undefined ? undefined : { _tag: "Repeated", isEarlier: trigger.at === earlier }
}

/**
 * The `until` for zone `to` after which the same wall-clock occurrence is the last one as with `until` in `zone`;
 * inclusive.
 */
export const untilIn = (trigger: TimeTrigger, until: EpochMillis, zone: string, to: string): EpochMillis => {
  const first = wallOf(trigger.first)
  const last = lastIndexUntil(trigger, zone, until)
  const [wall, next] = [last, last + 1].map((index) => (index < 0 ? undefined : wallAt(trigger.rule, first, index)))
  const same = wallToInstant(to, instantToWall(zone, until))
  const held = next === undefined ? same : earlierOf(same, addMillis(wallToInstant(to, next), -1))
  return wall === undefined ? held : laterOf(held, wallToInstant(to, wall))
}

/** The index of the last occurrence at or before an instant; -1 when there is none. */
const lastIndexUntil = (trigger: TimeTrigger, zone: string, instant: EpochMillis): number => {
  const first = wallOf(trigger.first)
  const isPast = (index: number) => {
    const wall = wallAt(trigger.rule, first, index)
    return wall !== undefined && wallToInstant(zone, wall) <= instant
  }
  let index = Math.max(0, firstIndexFrom(trigger.rule, first, instantToWall(zone, instant) - msPerDay))
  while (index >= 0 && !isPast(index)) index--
  while (isPast(index + 1)) index++
  return index
}

/** The wall time, moved forward if necessary to the first of these weekdays; `days` is not empty. */
export const firstListedDay = (wall: number, days: ReadonlyArray<Weekday>): number => {
  const ahead = days.map((day) => (weekdays.indexOf(day) - weekdayOf(wall) + 7) % 7)
  return wall + Math.min(...ahead) * msPerDay
}

/** A lower bound for the index of the first occurrence at or after `earliest`. */
const firstIndexFrom = (rule: RepeatRule, first: number, earliest: number): number => {
  const passed = earliest - first
  switch (rule.repeat) {
    case "none":
      return 0
    case "daily":
      return Math.floor(passed / (rule.every * msPerDay))
    case "weekly":
      return Math.floor(passed / (7 * rule.every * msPerDay)) * Math.max(rule.days.length, 1)
    case "monthly":
      return Math.floor((monthOf(earliest) - monthOf(first)) / rule.every)
    case "yearly":
      return Math.floor((monthOf(earliest) - monthOf(first)) / (12 * rule.every))
  }
}

/** The wall time of the occurrence with this 0-based index; undefined past the end of a one-off. */
const wallAt = (rule: RepeatRule, first: number, index: number): number | undefined => {
  switch (rule.repeat) {
    case "none":
      return index === 0 ? first : undefined
    case "daily":
      return first + index * rule.every * msPerDay
    case "weekly":
      return rule.days.length === 0
        ? first + index * 7 * rule.every * msPerDay
        : weekdayAt(first, rule.days, rule.every, index)
    case "monthly":
      return addMonths(first, index * rule.every)
    case "yearly":
      return addMonths(first, index * rule.every * 12)
  }
}

/** Weeks begin on Sunday; days of the first week before the first occurrence are skipped. */
const weekdayAt = (first: number, days: ReadonlyArray<Weekday>, every: number, index: number): number => {
  const start = weekdayOf(first)
  const numbers = days.map((day) => weekdays.indexOf(day)).toSorted((a, b) => a - b)
  const skipped = numbers.filter((day) => day < start).length
  const position = index + skipped
  const week = Math.floor(position / numbers.length) * every
  return first + (week * 7 + numbers[position % numbers.length]! - start) * msPerDay
}
