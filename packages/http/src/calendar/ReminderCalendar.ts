import { createHash } from "node:crypto"
import { TZDate } from "@date-fns/tz"
import type { CalendarEntry, CalendarRule } from "@lists-and-things/domain/reminders/CalendarEntry"
import type { Calendar } from "@lists-and-things/domain/reminders/CalendarFeed"
import { instantToWall, isShownAgain, localDateOf, maxInstant } from "@lists-and-things/domain/days/Zone"
import type { Steps } from "@lists-and-things/domain/scheduling/Yielding"
import ical, { foldLines, ICalAlarmType, type ICalCalendar, ICalEvent } from "ical-generator"
import { zoneComponent } from "./ZoneComponent.ts"
import {
  addMillis,
  earlierOf,
  epoch,
  type EpochMillis,
  laterOf,
  msPerDay
} from "@lists-and-things/domain/model/EpochMillis"

const lastLine = "END:VCALENDAR"
/** The largest number of iCalendar (RFC 5545, section 3.3.8). */
const maxInteger = 2_147_483_647

export interface CalendarText {
  readonly text: string
  /** Its entity tag, a hash. */
  readonly tag: string
}

/**
 * The reminders as iCalendar (RFC 5545): times as wall times of the owner with their zone, all-day reminders as dates.
 * Yields once per entry.
 */
export function* reminderCalendar(calendar: Calendar, siteUrl: string, now: EpochMillis): Steps<CalendarText> {
  const { entries, zone } = calendar
  const made = ical({
    name: "Lists and Things",
    prodId: { company: "Lists and Things", product: "Reminders", language: "EN" },
    ttl: 900
  })
  const parts: Array<string> = []
  const hash = createHash("sha256")
  const add = (part: string) => {
    parts.push(part)
    hash.update(part)
  }
  add(foldLines(made.toString().slice(0, -lastLine.length)))
  const [earliest] = entries
  if (earliest !== undefined) {
    const from = laterOf(addMillis(earlierOf(earliest.start, now), -366 * msPerDay), epoch)
    add(foldLines(`${zoneComponent(zone, from, now)}\r\n`))
  }
  for (const entry of entries) {
    yield
    const event = eventOf(entry, zone, siteUrl, made).toString()
    add(foldLines(withWholeYears(withExactEnd(event, entry, zone))))
  }
  add(`${lastLine}\r\n`)
  return { text: parts.join(""), tag: `"${hash.digest("base64url").slice(0, 22)}"` }
}

/**
 * Text that iCalendar may hold: without the control characters that RFC 5545 (section 3.1) excludes, and with LF as the
 * only line end, which is escaped. Programs take other line ends for the end of a content line.
 */
const readable = (text: string): string =>
  text.replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, "\n").replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "\ufffd")

const eventOf = (entry: CalendarEntry, zone: string, siteUrl: string, calendar: ICalCalendar): ICalEvent => {
  const title = readable(entry.title)
  const start = withinYears(entry.start, zone)
  const end = entry.end === null ? null : withinYears(entry.end, zone)
  const event = new ICalEvent(
    {
      id: `${entry.uid}@lists-and-things`,
      // Programs replace an event that they have only by one with a higher sequence.
      stamp: new Date(entry.revised),
      lastModified: new Date(entry.revised),
      sequence: Math.min(Math.max(0, Math.floor((entry.revised - entry.created) / 1000)), maxInteger),
      start: new TZDate(start, zone),
      end: end === null || end <= start ? null : new TZDate(end, zone),
      allDay: entry.allDay,
      timezone: isShownAgain(zone, start) ? null : zone,
      summary: title,
      description: entry.note === "" ? null : readable(entry.note),
      url: `${siteUrl}/things/${entry.thingId}`,
      repeating: entry.recurrence === null ? null : ruleText(entry.recurrence, entry, zone)
    },
    calendar
  )
  if (entry.color !== "") event.x("X-APPLE-CALENDAR-COLOR", entry.color)
  for (const minutes of entry.alerts)
    event.createAlarm({ type: ICalAlarmType.display, triggerBefore: minutes * 60, description: title })
  return event
}

/**
 * Writes the end in UTC if its wall time occurs twice and this is the second occurrence: programs read a wall time as
 * the first. `eventOf` does so for the start.
 */
const withExactEnd = (event: string, { end }: CalendarEntry, zone: string): string =>
  end === null || !isShownAgain(zone, end) ? event : event.replace(/^DTEND;[^\r\n]*$/m, `DTEND:${inUtc(end)}`)

/**
 * The time, at most the end of the year 9999 on the owner's clock, which may be hours ahead: a year has four digits.
 */
const withinYears = (at: EpochMillis, zone: string): EpochMillis =>
  addMillis(at, -Math.max(0, instantToWall(zone, at) - maxInstant))

/** Pads years to four digits, as RFC 5545 requires: the generator writes the year 800 as `800`. */
const withWholeYears = (event: string): string =>
  event.replaceAll(/^(DT(?:START|END)[^:\r\n]*:)(\d{5,7})(?=[T\r\n])/gm, (_, name: string, date: string) => {
    return name + date.padStart(8, "0")
  })

const frequencies = { none: "", daily: "DAILY", weekly: "WEEKLY", monthly: "MONTHLY", yearly: "YEARLY" } as const

const ruleText = ({ monthDays, months, rule }: CalendarRule, entry: CalendarEntry, zone: string): string =>
  [
    `FREQ=${frequencies[rule.repeat]}`,
    rule.every === 1 ? "" : `INTERVAL=${rule.every}`,
    rule.days.length === 0 ? "" : `BYDAY=${rule.days.map((day) => day.slice(0, 2).toUpperCase()).join(",")};WKST=SU`,
    months.length === 0 ? "" : `BYMONTH=${months.join(",")}`,
    monthDays.length === 0 ? "" : `BYMONTHDAY=${monthDays.join(",")}`,
    rule.until === null ? "" : `UNTIL=${untilText(rule.until, entry.allDay, zone)}`
  ]
    .filter((part) => part !== "")
    .join(";")

/** A date for all-day entries, a UTC time for all others. */
const untilText = (until: EpochMillis, allDay: boolean, zone: string): string =>
  allDay ? localDateOf(zone, until).replaceAll("-", "") : inUtc(until)

const inUtc = (at: EpochMillis): string => `${new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`
