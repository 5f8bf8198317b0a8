import {
  clampToStorable,
  isStorableInstant,
  localToInstant,
  type LocalDateTime,
  msPerDay,
  msPerMinute,
  startOfDay,
  utcDate,
  wallOf
} from "./Zone.ts"
import { EpochMillis } from "../model/EpochMillis.ts"

/**
 * A time as a client wrote it (docs/decisions.md#times): an instant, a time on the owner's wall clock, or a whole day
 * there.
 */
export type IsoTime =
  | { readonly _tag: "Instant"; readonly ms: EpochMillis }
  | { readonly _tag: "Local"; readonly local: LocalDateTime }
  | { readonly _tag: "Date"; readonly date: string }

const datePart = String.raw`(\d{4})-(\d{2})-(\d{2})`
const timePart = String.raw`T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?`
const zonePart = String.raw`(Z|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)`
const form = new RegExp(`^${datePart}(?:${timePart}${zonePart}?)?$`, "i")

const isDate = (year: number, month: number, day: number): boolean => {
  const date = new Date(utcDate(year, month, day))
  return year >= 1 && month >= 1 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

/**
 * Parses ISO 8601 in its extended form, years 0001 to 9999; fractions of a second are truncated to milliseconds.
 * Undefined for anything else, including dates that do not exist and instants outside those years.
 */
export const parseIsoTime = (text: string): IsoTime | undefined => {
  const match = form.exec(text)
  if (match === null) return undefined
  const [, year, month, day, hour, minute, second = "0", fraction = "", offset, sign, offsetHour, offsetMinute] = match
  if (!isDate(Number(year), Number(month), Number(day))) return undefined
  const date = text.slice(0, 10)
  if (hour === undefined) return { _tag: "Date", date }
  const millisecond = Number(fraction.padEnd(3, "0").slice(0, 3))
  const local = { date, hour: Number(hour), minute: Number(minute), second: Number(second), millisecond }
  if (offset === undefined) return { _tag: "Local", local }
  const ahead = (Number(offsetHour ?? 0) * 60 + Number(offsetMinute ?? 0)) * (sign === "-" ? -1 : 1)
  const wall = wallOf(date) + (local.hour * 60 + local.minute) * msPerMinute + local.second * 1000 + millisecond
  const ms = EpochMillis(wall - ahead * msPerMinute)
  return isStorableInstant(ms) ? { _tag: "Instant", ms } : undefined
}

/** Naive times and dates are read in `zone`. Clamped to the years 0001 to 9999 (UTC). */
export const toInstant = (time: IsoTime, zone: string): EpochMillis => {
  switch (time._tag) {
    case "Instant":
      return time.ms
    case "Local":
      return clampToStorable(localToInstant(zone, time.local))
    case "Date":
      return clampToStorable(startOfDay(zone, time.date))
  }
}

let formattedDay = Number.NaN
let dayText = ""

const padded = (value: number, digits: 2 | 3): string => String(value).padStart(digits, "0")

/**
 * Formats a time for output: ISO 8601, UTC, milliseconds, `Z`. Caches the date part, since an answer has thousands of
 * times, mostly of one day.
 */
export const formatTime = (ms: EpochMillis): string => {
  const day = Math.floor(ms / msPerDay)
  if (day !== formattedDay) {
    dayText = new Date(ms).toISOString().slice(0, -13)
    formattedDay = day
  }
  const rest = ms - day * msPerDay
  const minutes = Math.floor(rest / msPerMinute)
  const millis = rest % msPerMinute
  const time = `${padded(Math.floor(minutes / 60), 2)}:${padded(minutes % 60, 2)}:${padded(Math.floor(millis / 1000), 2)}`
  return `${dayText}${time}.${padded(millis % 1000, 3)}Z`
}

/** The time of a text that `parseIsoTime` accepts; dies on any other. */
export const instantOf = (text: string, zone: string): EpochMillis => {
  const time = parseIsoTime(text)
  if (time === undefined) throw new Error("instantOf: the text was not checked")
  return toInstant(time, zone)
}
