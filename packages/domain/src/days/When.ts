import { weekdayNamed } from "../model/Reminder.ts"
import { EpochMillis, msPerHour, msPerMinute } from "../model/EpochMillis.ts"
import { dayWords, parseDay, todayIn } from "./Day.ts"
import { parseIsoTime, toInstant } from "./IsoTime.ts"
import { addMonths, monthNames } from "./Months.ts"
import { addDays, dateOfWall, instantsOfWall, isStorableInstant, wallOf, weekdayOf } from "./Zone.ts"

/** Puts a `T` in place of the blank of a time such as `2026-11-22 09:00`; other texts are only trimmed. */
export const withT = (text: string): string => text.trim().replace(/^(\d{4}-\d{2}-\d{2}) (?=\d)/, "$1T")

const clock = /^(?:at )?([01]?\d|2[0-3]):([0-5]\d)$/
const wholeHour = /^at ([01]?\d|2[0-3])$/
const twelveHourClock = /^(?:at )?(0?[1-9]|1[0-2])(?::([0-5]\d))? ?([ap])m$/
const noon = /^(?:at )?noon$/
const fromNow = /^in (an?|[1-9]\d{0,3}) (minute|hour|day|week|month|year)s?$/
const dayFirst = /^(?:the )?(\d{1,2})(?:st|nd|rd|th)?\.?(?: of)? ([a-z]{3,9})\.?,?(?: (\d{4}))?$/
const monthFirst = /^([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,?(?: (\d{4}))?$/
const partOfDay = /^(?:(tonight)|(\S+) (morning|afternoon|evening|night))$/
const nextDay = /^(?:on )?next (\S+)$/

/** The longest form: `on the 24th of december 2026 at 6:30 pm`. */
const maxWords = 9

/**
 * The ISO 8601 time that a person means, on the clock of `zone`; undefined for any other text
 * (docs/decisions.md#reminders). Accepts ISO 8601; a day, a time of day, or both in either order (`tomorrow 9:00`, `9am
 * on saturday`, `2026-11-28 at 18:30`, `in 2 days at 9`); and a number of minutes or hours from now, truncated to the
 * minute. A weekday is the coming one, never today; `24 december` is the next one and may be today; a time without a
 * day is its next occurrence, also within an hour that the clock shows twice. A day alone is returned as a date.
 */
export const readWhen = (text: string, zone: string, now: EpochMillis): string | undefined => {
  const iso = withT(text)
  if (parseIsoTime(iso) !== undefined) return iso
  const words = wordsOf(text)
  const phrase = words.join(" ")
  if (words.length > maxWords) return undefined
  const day = dayOf(phrase, zone, now)
  if (day !== undefined) return day
  const time = timeOf(phrase)
  if (time !== undefined) return comingTime(time, zone, now)
  return momentFromNow(phrase, now) ?? dayAndTime(words, zone, now)
}

/**
 * Why a text that sounds like a time is ambiguous, with what to write instead: people mean different days by it, or it
 * names only a part of a day. Undefined for texts that `readWhen` accepts, and for texts that are not times at all.
 */
export const whyUnclear = (text: string, zone: string, now: EpochMillis): string | undefined => {
  const words = wordsOf(text)
  if (words.length > maxWords) return undefined
  const unclear = (part: string) => unclearDay(part, zone, now)
  return unclear(words.join(" ")) ?? parted(words, unclear)?.day
}

/** Words in lower case. */
export const wordsOf = (text: string): ReadonlyArray<string> => text.trim().toLowerCase().split(/\s+/)

const unclearDay = (phrase: string, zone: string, now: EpochMillis): string | undefined => {
  const [, name] = nextDay.exec(phrase) ?? []
  if (name === undefined) return unclearTime(phrase, zone, now)
  const [coming, monday] = [comingWeekday(name, zone, now), comingWeekday("monday", zone, now)!]
  if (coming !== undefined)
    return `'next ${name}' can be ${coming} or ${addDays(coming, 7)}: say '${name}' for the first, or the date`
  return name === "week" ? `'next week' is no day: say 'monday' for ${monday}, or another day or date` : undefined
}

const hours = { morning: "9:00", afternoon: "15:00", evening: "19:00", night: "21:00" } as const

const unclearTime = (phrase: string, zone: string, now: EpochMillis): string | undefined => {
  const [, tonight, named, part] = partOfDay.exec(phrase) ?? []
  const day = tonight !== undefined || named === "this" ? "today" : named
  if (day === undefined || dayOf(day, zone, now) === undefined) return undefined
  return withoutTime(phrase, day, part ?? "night")
}

/** What to say in place of a phrase that has only a part of its day, such as `evening`. */
export const withoutTime = (phrase: string, day: string, part: string): string =>
  `'${phrase}' is no time: say one, such as '${day} ${hours[part as keyof typeof hours]}'`

const dayAndTime = (words: ReadonlyArray<string>, zone: string, now: EpochMillis): string | undefined => {
  const found = parted(words, (part) => dayOf(part, zone, now))
  return found && onDay(found.day, found.time, zone, now)
}

/** A time of day on a date. If the clock shows it twice, the second moment as soon as the first one is over. */
const onDay = (date: string, time: string, zone: string, now: EpochMillis): string => {
  const text = `${date}T${time}`
  const [first, second] = instantsOfWall(zone, wallOf(text))
  return second !== undefined && first! <= now && second > now ? new Date(second).toISOString() : text
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
  const coming = onDay(today, time, zone, now)
  return toInstant(parseIsoTime(coming)!, zone) > now ? coming : `${addDays(today, 1)}T${time}`
}

const momentFromNow = (phrase: string, now: EpochMillis): string | undefined => {
  const { count, unit } = spanOf(phrase) ?? {}
  if (count === undefined || (unit !== "minute" && unit !== "hour")) return undefined
  const at = now + count * (unit === "hour" ? msPerHour : msPerMinute)
  return new Date(at - (at % msPerMinute)).toISOString()
}

const spanOf = (phrase: string): { readonly count: number; readonly unit: string } | undefined => {
  const [, count, unit] = fromNow.exec(phrase) ?? []
  return count === undefined || unit === undefined
    ? undefined
    : { count: count.startsWith("a") ? 1 : Number(count), unit }
}

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
  const span = spanOf(phrase)
  if (span !== undefined) return dayAfter(todayIn(zone, now), span)
  if (dayWords.includes(phrase)) return parseDay(phrase, zone, now)
  const name = phrase.startsWith("on ") ? phrase.slice(3) : phrase
  if (parseIsoTime(name)?._tag === "Date") return name
  return comingWeekday(name, zone, now) ?? namedDate(name, zone, now)
}

/** A month later is the same day, or the last one of a shorter month; undefined after the last year. */
const dayAfter = (date: string, { count, unit }: { readonly count: number; readonly unit: string }) => {
  if (unit === "day" || unit === "week") return addDays(date, count * (unit === "week" ? 7 : 1))
  if (unit !== "month" && unit !== "year") return undefined
  const wall = addMonths(wallOf(date), count * (unit === "year" ? 12 : 1))
  return isStorableInstant(EpochMillis(wall)) ? dateOfWall(wall) : undefined
}

/** Years within which every date occurs again: February 29 can be missing from two leap years in a row. */
const maxYears = 8

/** A day with the name of its month; without a year the coming one, which may be today. */
const namedDate = (name: string, zone: string, now: EpochMillis): string | undefined => {
  const [, dayOfMonth, monthAfter, yearOfDay] = dayFirst.exec(name) ?? []
  const [, monthBefore, dayAfter, yearOfMonth] = monthFirst.exec(name) ?? []
  const [day, month, year] = [dayOfMonth ?? dayAfter, monthNumber(monthAfter ?? monthBefore), yearOfDay ?? yearOfMonth]
  if (day === undefined || month === undefined) return undefined
  const dateIn = (yearText: string) => {
    const date = `${yearText.padStart(4, "0")}-${month}-${day.padStart(2, "0")}`
    return parseIsoTime(date) === undefined ? undefined : date
  }
  if (year !== undefined) return dateIn(year)
  const today = todayIn(zone, now)
  const first = Number(today.slice(0, 4))
  return Array.from({ length: maxYears + 1 }, (_, ahead) => dateIn(String(first + ahead))).find(
    (date) => date !== undefined && date >= today
  )
}

/** `02` of `february`, `feb` and `febr`. */
const monthNumber = (name: string | undefined): string | undefined => {
  if (name === undefined) return undefined
  const month = monthNames.findIndex((each) => each.toLowerCase().startsWith(name))
  return month === -1 ? undefined : String(month + 1).padStart(2, "0")
}

/** The coming day of this name, never today. */
const comingWeekday = (name: string, zone: string, now: EpochMillis): string | undefined => {
  const weekday = weekdayNamed(name)
  if (weekday === -1) return undefined
  const today = todayIn(zone, now)
  const ahead = (weekday - weekdayOf(wallOf(today)) + 6) % 7
  return addDays(today, ahead + 1)
}
