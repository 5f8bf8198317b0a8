import { weekdays } from "../model/Reminder.ts"
import { type EpochMillis, msPerHour, msPerMinute } from "../model/EpochMillis.ts"
import { dayWords, parseDay, todayIn } from "./Day.ts"
import { parseIsoTime, toInstant } from "./IsoTime.ts"
import { addDays, wallOf, weekdayOf } from "./Zone.ts"

/** An ISO 8601 time that was written with a blank in place of its T: `2026-11-22 09:00`. */
export const withT = (text: string): string => text.trim().replace(/^(\d{4}-\d{2}-\d{2}) (?=\d)/, "$1T")

const clock = /^(?:at )?([01]?\d|2[0-3]):([0-5]\d)$/
const wholeHour = /^at ([01]?\d|2[0-3])$/
const twelveHourClock = /^(?:at )?(0?[1-9]|1[0-2])(?::([0-5]\d))? ?([ap])m$/
const noon = /^(?:at )?noon$/
const fromNow = /^in (an?|[1-9]\d{0,3}) (minute|hour|day|week)s?$/
const nextDay = /^(?:on )?next (\S+)$/

/** The longest form: `in 2 days at 6:30 pm`. */
const mostWords = 6

/**
 * The ISO 8601 time that a person means, on the clock of `zone`; undefined for what is no time
 * (docs/decisions.md#reminders). It is one already, or a day, a time of day, or both in either order: `tomorrow 9:00`,
 * `9am on saturday`, `2026-11-28 at 18:30`, `in 2 days at 9`; or so many minutes or hours from now, to the minute. A
 * weekday is the coming one, never today; a time without a day is the next one. A day alone is a date.
 */
export const readWhen = (text: string, zone: string, now: EpochMillis): string | undefined => {
  const iso = withT(text)
  if (parseIsoTime(iso) !== undefined) return iso
  const words = wordsOf(text)
  const phrase = words.join(" ")
  if (words.length > mostWords) return undefined
  const day = dayOf(phrase, zone, now)
  if (day !== undefined) return day
  const time = timeOf(phrase)
  if (time !== undefined) return comingTime(time, zone, now)
  return momentFromNow(phrase, now) ?? dayAndTime(words, (part) => dayOf(part, zone, now))
}

/**
 * Why a text that sounds like a time is not read: people mean different days by it. It names them. Undefined where
 * `readWhen` reads the text, and for anything else.
 */
export const whyUnclear = (text: string, zone: string, now: EpochMillis): string | undefined => {
  const words = wordsOf(text)
  if (words.length > mostWords) return undefined
  const unclear = (part: string) => unclearDay(part, zone, now)
  return unclear(words.join(" ")) ?? parted(words, unclear)?.day
}

const wordsOf = (text: string): ReadonlyArray<string> => text.trim().toLowerCase().split(/\s+/)

const unclearDay = (phrase: string, zone: string, now: EpochMillis): string | undefined => {
  const [, name] = nextDay.exec(phrase) ?? []
  if (name === undefined) return undefined
  const [coming, monday] = [comingWeekday(name, zone, now), comingWeekday("monday", zone, now)!]
  if (coming !== undefined)
    return `'next ${name}' can be ${coming} or ${addDays(coming, 7)}: say '${name}' for the first, or the date`
  return name === "week" ? `'next week' is no day: say 'monday' for ${monday}, or another day or date` : undefined
}

const dayAndTime = (words: ReadonlyArray<string>, read: (part: string) => string | undefined): string | undefined => {
  const found = parted(words, read)
  return found && `${found.day}T${found.time}`
}

/** A day and a time of day that the words are, in either order. */
const parted = (words: ReadonlyArray<string>, readDay: (part: string) => string | undefined) => {
  for (let at = 1; at < words.length; at++) {
    const [head, tail] = [words.slice(0, at).join(" "), words.slice(at).join(" ")]
    for (const [dayPart, timePart] of [
      [head, tail],
      [tail, head]
    ] as const) {
      const [day, time] = [readDay(dayPart), timeOf(timePart)]
      if (day !== undefined && time !== undefined) return { day, time }
    }
  }
  return undefined
}

const comingTime = (time: string, zone: string, now: EpochMillis): string => {
  const today = todayIn(zone, now)
  const isOver = toInstant(parseIsoTime(`${today}T${time}`)!, zone) <= now
  return `${isOver ? addDays(today, 1) : today}T${time}`
}

const momentFromNow = (phrase: string, now: EpochMillis): string | undefined => {
  const [, count, unit] = fromNow.exec(phrase) ?? []
  if (count === undefined) return undefined
  const at = now + countOf(count) * (unit === "hour" ? msPerHour : msPerMinute)
  return new Date(at - (at % msPerMinute)).toISOString()
}

const countOf = (text: string): number => (text.startsWith("a") ? 1 : Number(text))

const timeOf = (text: string): string | undefined => {
  if (noon.test(text)) return "12:00"
  const [, hour, minute = "00"] = clock.exec(text) ?? wholeHour.exec(text) ?? ofTwelveHours(text)
  return hour === undefined ? undefined : `${hour.padStart(2, "0")}:${minute}`
}

/** A time of the clock of twelve hours, as a match of `clock`: 12 am is midnight. */
const ofTwelveHours = (text: string): ReadonlyArray<string | undefined> => {
  const [match, hour, minute = "00", half] = twelveHourClock.exec(text) ?? []
  return match === undefined ? [] : [match, String((Number(hour) % 12) + (half === "p" ? 12 : 0)), minute]
}

const dayOf = (phrase: string, zone: string, now: EpochMillis): string | undefined => {
  const [, count, unit] = fromNow.exec(phrase) ?? []
  if (count !== undefined && (unit === "day" || unit === "week"))
    return addDays(todayIn(zone, now), countOf(count) * (unit === "week" ? 7 : 1))
  if (dayWords.includes(phrase)) return parseDay(phrase, zone, now)
  const name = phrase.startsWith("on ") ? phrase.slice(3) : phrase
  return parseIsoTime(name)?._tag === "Date" ? name : comingWeekday(name, zone, now)
}

/** The coming day of this name, never today. */
const comingWeekday = (name: string, zone: string, now: EpochMillis): string | undefined => {
  const weekday = weekdays.findIndex((each) => name === each || name === each.slice(0, 3))
  if (weekday === -1) return undefined
  const today = todayIn(zone, now)
  const ahead = (weekday - weekdayOf(wallOf(today)) + 6) % 7
  return addDays(today, ahead + 1)
}
