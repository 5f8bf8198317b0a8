import { instantToWall, timeOfDay, weekdayOf } from "@lists-and-things/domain/days/Zone"
import { EpochMillis, msPerDay } from "@lists-and-things/domain/model/EpochMillis"

/** A change of a zone's offset from UTC, in milliseconds. */
export interface OffsetChange {
  /** The wall time of the change on the clock before it. */
  readonly wall: number
  readonly before: number
  readonly after: number
}

/**
 * A yearly change, on the given weekday within a range of days of a month; none in a year in which that range does not
 * contain the weekday.
 */
export interface YearlyChange {
  /** From 1. */
  readonly month: number
  /** From 0, Sunday. */
  readonly weekday: number
  /** A range of at most seven days of the month; `lastDay` is inclusive. */
  readonly firstDay: number
  readonly lastDay: number
  /** Its first occurrence. */
  readonly start: OffsetChange
}

export interface ZoneChanges {
  /** The offset at the beginning of the first year. */
  readonly before: number
  /** The irregular changes from the first year on, in order. */
  readonly single: ReadonlyArray<OffsetChange>
  /** The yearly changes after those; none if the offset no longer changes. */
  readonly yearly: ReadonlyArray<YearlyChange>
}

/** Years after which each date has fallen on each weekday. */
const cycleYears = 28

/** The most years of irregular changes. The longest known period is that of Morocco, until 2087. */
const maxIrregularYears = 200

/**
 * All changes of a zone's offset from January 1 of a year on, by the application's own zone rules. Before `thisYear`, a
 * zone may have kept its offset for decades and changed it later, so more years are compared.
 */
export const zoneChanges = (zone: string, firstYear: number, thisYear: number): ZoneChanges => {
  const offsetAt = offsetsOf(zone)
  const changesIn = (year: number) => changesInYear(zone, year)
  const comparedFrom = (year: number) => yearsFrom(year, Math.max(thisYear - year, 0) + cycleYears)
  let year = firstYear
  while (year < firstYear + maxIrregularYears && !isRegular(changesIn, comparedFrom(year))) year++
  return {
    before: offsetAt(Date.UTC(firstYear, 0)),
    single: yearsFrom(firstYear, year - firstYear).flatMap(changesIn),
    yearly: yearlyOf(comparedFrom(year).flatMap(changesIn))
  }
}

const yearsFrom = (first: number, count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, index) => first + index)

type ChangesIn = (year: number) => ReadonlyArray<OffsetChange>

/** Whether the yearly changes, as derived from these years, are exactly the changes of each of them. */
const isRegular = (changesIn: ChangesIn, years: ReadonlyArray<number>): boolean => {
  const yearly = yearlyOf(years.flatMap(changesIn))
  return years.every((year) => {
    const expected = yearly.flatMap((change) => changeOf(change, year)).toSorted((a, b) => a.wall - b.wall)
    return JSON.stringify(expected) === JSON.stringify(changesIn(year))
  })
}

const changeOf = ({ firstDay, lastDay, month, start, weekday }: YearlyChange, year: number): Array<OffsetChange> => {
  const found: Array<OffsetChange> = []
  for (let day = firstDay; day <= lastDay; day++) {
    const date = Date.UTC(year, month - 1, day)
    if (weekdayOf(date) === weekday) found.push({ ...start, wall: date + timeOfDay(start.wall) })
  }
  return found
}

const yearlyOf = (changes: ReadonlyArray<OffsetChange>): ReadonlyArray<YearlyChange> => {
  const found = new Map<string, YearlyChange>()
  for (const change of changes) {
    const date = new Date(change.wall)
    const [month, day, weekday] = [date.getUTCMonth() + 1, date.getUTCDate(), weekdayOf(change.wall)]
    const key = [month, weekday, timeOfDay(change.wall), change.before, change.after].join()
    const of = found.get(key) ?? { month, weekday, firstDay: day, lastDay: day, start: change }
    found.set(key, { ...of, firstDay: Math.min(of.firstDay, day), lastDay: Math.max(of.lastDay, day) })
  }
  return [...found.values()]
}

const offsetsOf =
  (zone: string) =>
  (ms: number): number =>
    instantToWall(zone, EpochMillis(ms)) - ms

const rememberedYears = 10_000
/** Changes by zone and year: computing them takes up to a millisecond. */
const remembered = new Map<string, ReadonlyArray<OffsetChange>>()

const changesInYear = (zone: string, year: number): ReadonlyArray<OffsetChange> => {
  const key = `${zone} ${year}`
  const known = remembered.get(key)
  if (known !== undefined) return known
  const found = offsetChanges(offsetsOf(zone), Date.UTC(year, 0), Date.UTC(year + 1, 0))
  if (remembered.size >= rememberedYears) remembered.clear()
  remembered.set(key, found)
  return found
}

/** Search step: no zone changes its offset and back within five days; Gaza does within seven, in 2040. */
const stepMillis = 5 * msPerDay

const offsetChanges = (offsetAt: (ms: number) => number, from: number, to: number): ReadonlyArray<OffsetChange> => {
  const found: Array<OffsetChange> = []
  for (let low = from; low < to; low += stepMillis) {
    const high = Math.min(low + stepMillis, to)
    const [before, after] = [offsetAt(low), offsetAt(high)]
    if (before !== after) found.push({ wall: changeBetween(offsetAt, low, high) + before, before, after })
  }
  return found
}

/** The first instant of the new offset, to the second. */
const changeBetween = (offsetAt: (ms: number) => number, low: number, high: number): number => {
  const before = offsetAt(low)
  let [still, already] = [Math.floor(low / 1000), Math.ceil(high / 1000)]
  while (already - still > 1) {
    const middle = Math.floor((still + already) / 2)
    if (offsetAt(middle * 1000) === before) still = middle
    else already = middle
  }
  return already * 1000
}
