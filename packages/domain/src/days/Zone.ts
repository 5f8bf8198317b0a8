import { EpochMillis, msPerDay, msPerHour, msPerMinute } from "../model/EpochMillis.ts"

/**
 * Conversion between instants and wall times, using the time zone rules of the application's ICU. A wall time is a plain
 * number: the milliseconds since 1970-01-01T00:00 that a local clock shows, independent of zone. It compares and adds
 * like a number and has no gaps.
 */

export interface LocalDateTime {
  /** `YYYY-MM-DD`, proleptic Gregorian. */
  readonly date: string
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly millisecond: number
}

/** 0001-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z: the range that every adapter can store. */
export const minInstant = EpochMillis(-62_135_596_800_000)
export const maxInstant = EpochMillis(253_402_300_799_999)

export const isStorableInstant = (ms: EpochMillis): boolean => ms >= minInstant && ms <= maxInstant

/** The nearest moment in that range. */
export const clampToStorable = (ms: number): EpochMillis => EpochMillis(Math.min(Math.max(ms, minInstant), maxInstant))

const formatOptions = {
  calendar: "gregory",
  numberingSystem: "latn",
  hourCycle: "h23",
  era: "short",
  year: "numeric",
  month: "numeric",
  day: "numeric",
  hour: "numeric",
  minute: "numeric",
  second: "numeric"
} as const

const formatLimit = 600
const formats = new Map<string, Intl.DateTimeFormat>()

const formatOf = (zone: string): Intl.DateTimeFormat => {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat("en-US", { ...formatOptions, timeZone: zone })
  if (formats.size >= formatLimit) formats.delete(formats.keys().next().value!)
  formats.set(zone, format)
  return format
}

/** Whether this is an IANA name that ICU knows; bare offsets such as `+01:00` are not. */
export const isTimeZone = (name: string): boolean => {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    formatOf(name)
    return true
  } catch {
    return false
  }
}

/** The name of a zone in ICU's spelling, whatever its case. Aliases are not resolved. */
export const zoneSpelling = (name: string): string => {
  const spelled = formatOf(name).resolvedOptions().timeZone
  return spelled.toLowerCase() === name.toLowerCase() ? spelled : name
}

/** Like `Date.UTC`, but years 0 to 99 are taken literally; `month` is 1-based. */
export const utcDate = (year: number, month: number, day: number): number =>
  year >= 100 ? Date.UTC(year, month - 1, day) : new Date(0).setUTCFullYear(year, month - 1, day)

/** Computed with the zone's formatter: some microseconds per call. */
const formattedWall = (zone: string, ms: number): number => {
  const second = Math.floor(ms / 1000) * 1000
  // "12/31/1 BC, 19:03:58": `format` is three times as fast as `formatToParts`.
  const text = formatOf(zone).format(second)
  const [month, day, year, hour, minute, seconds] = text.match(/\d+/g)!.map(Number) as SixNumbers
  const date = utcDate(text.includes("B") ? 1 - year : year, month, day)
  return date + hour * msPerHour + minute * msPerMinute + seconds * 1000 + (ms - second)
}

type SixNumbers = [number, number, number, number, number, number]

/** UTC has no rules to look up, so a command for an account in UTC does not load ICU's tables, which takes 5 ms. */
const formattedOffset = (zone: string, ms: number): number => (zone === "UTC" ? 0 : formattedWall(zone, ms) - ms)

const rememberedDays = 10_000
/** Per zone, the offset by UTC day number; NaN for days on which it changes. */
const offsets = new Map<string, Map<number, number>>()

/**
 * Assumes that an offset which is equal at both ends of a day is constant within it; no zone has ever violated this.
 */
const offsetOn = (zone: string, day: number): number => {
  let known = offsets.get(zone)
  if (known === undefined) {
    if (offsets.size >= formatLimit) offsets.delete(offsets.keys().next().value!)
    offsets.set(zone, (known = new Map()))
  }
  const remembered = known.get(day)
  if (remembered !== undefined) return remembered
  const offset = formattedOffset(zone, day * msPerDay)
  const constant = offset === formattedOffset(zone, (day + 1) * msPerDay) ? offset : Number.NaN
  if (known.size >= rememberedDays) known.clear()
  known.set(day, constant)
  return constant
}

/** The wall time of an instant. */
export const instantToWall = (zone: string, ms: EpochMillis): number => {
  const offset = offsetOn(zone, Math.floor(ms / msPerDay))
  return Number.isNaN(offset) ? formattedWall(zone, ms) : ms + offset
}

/** The offsets of a day before and after a wall time: different where the clock changes in between. */
const offsetsAround = (zone: string, wall: number): readonly [before: number, after: number] => {
  const offsetAt = (ms: number): number => instantToWall(zone, EpochMillis(ms)) - ms
  return [offsetAt(wall - msPerDay), offsetAt(wall + msPerDay)]
}

/** When the clock shows a wall time, the earlier instant first: never in a gap, twice in an overlap. */
export const instantsOfWall = (zone: string, wall: number): ReadonlyArray<EpochMillis> =>
  [...new Set(offsetsAround(zone, wall))]
    .map((offset) => EpochMillis(wall - offset))
    .filter((ms) => instantToWall(zone, ms) === wall)
    .toSorted((a, b) => a - b)

/**
 * The instant of a wall time: a time in a gap moves forward by the gap, an ambiguous time means the earlier instant.
 */
export const wallToInstant = (zone: string, wall: number): EpochMillis => {
  const [before, after] = offsetsAround(zone, wall)
  const usual = EpochMillis(wall - before)
  if (before === after && instantToWall(zone, usual) === wall) return usual
  return instantsOfWall(zone, wall)[0] ?? usual
}

/** Whether the clock has shown the same before: of two instants with one wall time the later. */
export const isShownAgain = (zone: string, ms: EpochMillis): boolean =>
  wallToInstant(zone, instantToWall(zone, ms)) !== ms

/** `YYYY-MM-DD`, in the years 0001 to 9999. */
export const dateOfWall = (wall: number): string => wallText(wall).slice(0, 10)

/** `YYYY-MM-DDTHH:mm:ss.SSS`, of the nearest moment in the years 0001 to 9999: a clock may be hours ahead of them. */
export const wallText = (wall: number): string => new Date(clampToStorable(wall)).toISOString().slice(0, -1)

/** Of a date or a `wallText`; the text is known to be valid. */
export const wallOf = (text: string): number => Date.parse(text.length === 10 ? text : `${text}Z`)

/** The wall time of a date and a time of day. */
export const wallOfLocal = ({ date, hour, millisecond, minute, second }: LocalDateTime): number =>
  wallOf(date) + hour * msPerHour + minute * msPerMinute + second * 1000 + millisecond

/** The weekday of a wall time: 0 = Sunday. */
export const weekdayOf = (wall: number): number => (((Math.floor(wall / msPerDay) + 4) % 7) + 7) % 7

/** Milliseconds since the midnight before a wall time. */
export const timeOfDay = (wall: number): number => wall - Math.floor(wall / msPerDay) * msPerDay

/** As `wallToInstant`, which says what happens to times in a gap and ambiguous ones. */
export const localToInstant = (zone: string, local: LocalDateTime): EpochMillis =>
  wallToInstant(zone, wallOfLocal(local))

export const instantToLocal = (zone: string, ms: EpochMillis): LocalDateTime => {
  const wall = instantToWall(zone, ms)
  const clock = new Date(wall)
  return {
    date: dateOfWall(wall),
    hour: clock.getUTCHours(),
    minute: clock.getUTCMinutes(),
    second: clock.getUTCSeconds(),
    millisecond: clock.getUTCMilliseconds()
  }
}

/** The calendar date, `YYYY-MM-DD`, of an instant. */
export const localDateOf = (zone: string, ms: EpochMillis): string => dateOfWall(instantToWall(zone, ms))

/** Local midnight of a date; if a gap skips midnight, later by the length of the gap. */
export const startOfDay = (zone: string, date: string): EpochMillis => wallToInstant(zone, wallOf(date))

/** The calendar date `days` later (earlier when negative), as far as there are years. */
export const addDays = (date: string, days: number): string => dateOfWall(wallOf(date) + days * msPerDay)
