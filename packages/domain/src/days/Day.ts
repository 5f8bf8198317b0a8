import { Effect } from "effect"
import { parseIsoTime } from "./IsoTime.ts"
import { monthNames } from "./Months.ts"
import { addDays, clampToStorable, dateOfWall, instantToWall, localDateOf } from "./Zone.ts"
import { Caller } from "../model/Caller.ts"
import { currentTime, type EpochMillis } from "../model/EpochMillis.ts"
import { editsWithin } from "../text/Nearest.ts"

const words: ReadonlyMap<string, number> = new Map([
  ["yesterday", -1],
  ["today", 0],
  ["tomorrow", 1]
])

/** The days that have a word. */
export const dayWords = [...words.keys()]

/** The calendar date, `YYYY-MM-DD`, in a zone at this moment. */
export const todayIn = (zone: string, now: EpochMillis): string => localDateOf(zone, now)

/** The current date in the caller's time zone, which decides whether a day list is today's. */
export const callersToday: Effect.Effect<string, never, Caller> = Effect.flatMap(Caller, ({ account }) =>
  Effect.map(currentTime, (now) => todayIn(account.timezone, now))
)

/**
 * The calendar date that a `date` names (docs/decisions.md#lists-and-day-lists): a day word in lower case, an ISO date,
 * or an ISO date-time, whose date in the owner's zone counts. Undefined for anything else.
 */
export const parseDay = (text: string, zone: string, now: EpochMillis): string | undefined => {
  const days = words.get(text)
  if (days !== undefined) return addDays(todayIn(zone, now), days)
  const time = parseIsoTime(text)
  if (time === undefined) return undefined
  if (time._tag === "Date") return time.date
  if (time._tag === "Local") return time.local.date
  const wall = instantToWall(zone, time.ms)
  return clampToStorable(wall) === wall ? dateOfWall(wall) : undefined
}

/** Whether `parseDay` can read a text, whatever the zone; of times at the ends of the calendar it depends on the zone. */
export const namesDay = (text: string): boolean => words.has(text) || parseIsoTime(text) !== undefined

/** Whether a list name means a day list: a day word or a plain ISO date. */
export const isDayWord = (text: string): boolean => {
  const trimmed = text.trim()
  return words.has(trimmed) || parseIsoTime(trimmed)?._tag === "Date"
}

const weekday = /^(?:(?:next|this|last|on) )?(?:mon|tues|wednes|thurs|fri|satur|sun)day$/
const otherDate = /^\d{1,4}[./-]\d{1,2}[./-]\d{0,4}(?:[t ]\d{1,2}:.*)?$/

const dayOfMonth = /^(?:\d{1,2}(?:st|nd|rd|th|\.)? ([a-z]{3,9})|([a-z]{3,9})\.? \d{1,2}(?:st|nd|rd|th)?)(?:,? \d{4})?$/

const namesMonth = (word: string): boolean => monthNames.some((month) => month.toLowerCase().startsWith(word))

/** Whether a list name that names no day is likely to mean one: a weekday, a misspelt day word, a date in another form or with a time. */
export const resemblesDay = (text: string): boolean => {
  const name = text.trim().toLowerCase()
  const isNearly = (word: string) => editsWithin(name, word, word.length > 5 ? 2 : 1) !== undefined
  const [, afterNumber, beforeNumber] = dayOfMonth.exec(name) ?? []
  const month = afterNumber ?? beforeNumber
  const isDayOfMonth = month !== undefined && namesMonth(month)
  return isDayOfMonth || weekday.test(name) || otherDate.test(name) || dayWords.some(isNearly)
}

/** What is said where a name resembles a day. */
export const daysAreNamed = "A day is named today, tomorrow, yesterday or by its date, such as 2026-11-24."
