import {
  clampToStorable,
  isStorableInstant,
  localToInstant,
  type LocalDateTime,
  startOfDay,
  utcDate,
  wallOfLocal
} from "./Zone.ts"
import { EpochMillis, msPerDay, msPerMinute } from "../model/EpochMillis.ts"

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

/** A month or a day that does not exist is counted into another month. */
const isDate = (year: number, month: number, day: number): boolean =>
  year >= 1 && new Date(utcDate(year, month, day)).getUTCMonth() === month - 1

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
  const ms = EpochMillis(wallOfLocal(local) - ahead * msPerMinute)
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
/** The characters up to `T`, as codes. */
let dayCodes: ReadonlyArray<number> = []
let formatted = Number.NaN
let formattedText = ""

/**
 * Formats a time for output: ISO 8601, UTC, milliseconds, `Z`. Caches the date part and the last time, since an answer
 * has thousands of times, mostly of one day, and `updated` mostly is `created`.
 */
export const formatTime = (ms: EpochMillis): string => {
  if (ms !== formatted) formattedText = textOf(ms)
  formatted = ms
  return formattedText
}

export const formatTimeOrNull = (ms: EpochMillis | null): string | null => (ms === null ? null : formatTime(ms))

const colon = 58
const [point, utc] = [46, 90]
/** The codes of the last digit, and of the one before it. */
const ones = (value: number): number => 48 + (value % 10)
const tens = (value: number): number => 48 + (Math.floor(value / 10) % 10)

/** Built in one step: `JSON.stringify` takes more than twice as long for objects whose strings were concatenated. */
const textOf = (ms: EpochMillis): string => {
  const day = Math.floor(ms / msPerDay)
  if (day !== formattedDay) {
    dayCodes = [...new Date(day * msPerDay).toISOString().slice(0, -13)].map((character) => character.charCodeAt(0))
    formattedDay = day
  }
  // Before the year 1 or after 9999.
  if (dayCodes.length !== 11) return new Date(ms).toISOString()
  const millis = ms - day * msPerDay
  const seconds = Math.floor(millis / 1000)
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  const [second, minute] = [seconds % 60, minutes % 60]
  return String.fromCharCode(
    dayCodes[0]!,
    dayCodes[1]!,
    dayCodes[2]!,
    dayCodes[3]!,
    dayCodes[4]!,
    dayCodes[5]!,
    dayCodes[6]!,
    dayCodes[7]!,
    dayCodes[8]!,
    dayCodes[9]!,
    dayCodes[10]!,
    tens(hours),
    ones(hours),
    colon,
    tens(minute),
    ones(minute),
    colon,
    tens(second),
    ones(second),
    point,
    48 + Math.floor((millis % 1000) / 100),
    tens(millis),
    ones(millis),
    utc
  )
}

/** The last moment of a date, as a naive time: for a last day that is meant inclusively. */
export const endOfDay = (date: string): string => `${date}T23:59:59.999`

/** The time of a text that `parseIsoTime` accepts; dies on any other. */
export const instantOf = (text: string, zone: string): EpochMillis => {
  const time = parseIsoTime(text)
  if (time === undefined) throw new Error("instantOf: the text was not checked")
  return toInstant(time, zone)
}
