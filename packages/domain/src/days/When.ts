import { weekdays } from "../model/Reminder.ts"
import { type EpochMillis } from "../model/EpochMillis.ts"
import { dayWords, parseDay, todayIn } from "./Day.ts"
import { parseIsoTime, toInstant } from "./IsoTime.ts"
import { addDays, wallOf, weekdayOf } from "./Zone.ts"

/** An ISO 8601 time that was written with a blank in place of its T: `2026-11-22 09:00`. */
export const withT = (text: string): string => text.trim().replace(/^(\d{4}-\d{2}-\d{2}) (?=\d)/, "$1T")

const clock = /^(?:at )?([01]?\d|2[0-3]):([0-5]\d)$/
const twelveHourClock = /^(?:at )?(0?[1-9]|1[0-2])(?::([0-5]\d))? ?([ap])m$/

/**
 * The ISO 8601 time that a person means, on the clock of `zone`; undefined for what is no time. It is one already, or a
 * day, a time of day, or both: `tomorrow 9:00`, `saturday at 18:30`, `2026-11-28 09:00`, `7:15`, `9am`. A weekday is
 * the coming one, never today; a time without a day is the next one. A day alone is a date.
 */
export const readWhen = (text: string, zone: string, now: EpochMillis): string | undefined => {
  const iso = withT(text)
  if (parseIsoTime(iso) !== undefined) return iso
  const words = text.trim().toLowerCase().split(/\s+/)
  const day = dayOf(words[0] ?? "", zone, now)
  const time = timeOf(words.slice(day === undefined ? 0 : 1).join(" "))
  if (day !== undefined && words.length === 1) return day
  if (time === undefined) return undefined
  if (day !== undefined) return `${day}T${time}`
  const today = todayIn(zone, now)
  const isOver = toInstant(parseIsoTime(`${today}T${time}`)!, zone) <= now
  return `${isOver ? addDays(today, 1) : today}T${time}`
}

const timeOf = (text: string): string | undefined => {
  const [, hour, minute] = clock.exec(text) ?? ofTwelveHours(text)
  return hour === undefined ? undefined : `${hour.padStart(2, "0")}:${minute}`
}

/** A time of the clock of twelve hours, as a match of `clock`: 12 am is midnight. */
const ofTwelveHours = (text: string): ReadonlyArray<string | undefined> => {
  const [match, hour, minute = "00", half] = twelveHourClock.exec(text) ?? []
  return match === undefined ? [] : [match, String((Number(hour) % 12) + (half === "p" ? 12 : 0)), minute]
}

const dayOf = (word: string, zone: string, now: EpochMillis): string | undefined => {
  if (dayWords.includes(word) || parseIsoTime(word)?._tag === "Date") return parseDay(word, zone, now)
  const weekday = weekdays.findIndex((name) => word === name || word === name.slice(0, 3))
  if (weekday === -1) return undefined
  const today = todayIn(zone, now)
  const ahead = (weekday - weekdayOf(wallOf(today)) + 6) % 7
  return addDays(today, ahead + 1)
}
