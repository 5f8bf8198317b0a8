import { wallText } from "@lists-and-things/domain/days/Zone"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { type OffsetChange, type YearlyChange, zoneChanges } from "./ZoneChanges.ts"

/**
 * The VTIMEZONE of a zone from the year of an instant on, from the application's own zone rules, so that calendar
 * programs compute the same times as the service. Earlier times have the offset at the beginning of that year.
 */
export const zoneComponent = (zone: string, from: EpochMillis, now: EpochMillis): string => {
  const [firstYear, thisYear] = [from, now].map((ms) => new Date(ms).getUTCFullYear()) as [number, number]
  const { before, single, yearly } = zoneChanges(zone, firstYear, thisYear)
  const observances = [
    observance({ wall: longAgo, before, after: before }),
    ...single.map((change) => observance(change)),
    ...yearly.map((change) => observance(change.start, [`RRULE:FREQ=YEARLY;${dayText(change)}`]))
  ]
  return ["BEGIN:VTIMEZONE", `TZID:${zone}`, ...observances, "END:VTIMEZONE"].join("\r\n")
}

/** 1601-01-01T00:00. */
const longAgo = Date.UTC(1601, 0, 1)

const observance = ({ after, before, wall }: OffsetChange, rule: ReadonlyArray<string> = []): string => {
  const kind = after > before ? "DAYLIGHT" : "STANDARD"
  return [
    `BEGIN:${kind}`,
    `DTSTART:${basicForm(wall)}`,
    ...rule,
    `TZOFFSETFROM:${offsetText(before)}`,
    `TZOFFSETTO:${offsetText(after)}`,
    `END:${kind}`
  ].join("\r\n")
}

const weekdays = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"]

/** As "the second Sunday" or "the last Sunday" if possible: not every program supports BYMONTHDAY with BYDAY. */
const dayText = ({ firstDay, lastDay, month, weekday }: YearlyChange): string => {
  const isWeek = lastDay - firstDay === 6
  // 2001 is no leap year. February is excluded, since its last day has another number in leap years.
  const isLast = month !== 2 && lastDay === new Date(Date.UTC(2001, month, 0)).getUTCDate()
  const nth = isWeek && isLast ? "-1" : isWeek && firstDay % 7 === 1 ? String((firstDay + 6) / 7) : undefined
  const days = Array.from({ length: lastDay - firstDay + 1 }, (_, index) => firstDay + index)
  return [
    `BYMONTH=${month}`,
    ...(nth === undefined ? [`BYMONTHDAY=${days.join(",")}`] : []),
    `BYDAY=${nth ?? ""}${weekdays[weekday]}`
  ].join(";")
}

const basicForm = (wall: number): string => wallText(wall).slice(0, 19).replace(/[-:]/g, "")

const offsetText = (offset: number): string => {
  const seconds = Math.round(Math.abs(offset) / 1000)
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const digits = parts.map((part) => String(part).padStart(2, "0"))
  return `${offset < 0 ? "-" : "+"}${digits[0]}${digits[1]}${parts[2] === 0 ? "" : digits[2]}`
}
