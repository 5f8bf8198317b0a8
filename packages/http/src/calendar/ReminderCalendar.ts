import { TZDate } from "@date-fns/tz"
import type { CalendarEntry, CalendarRule } from "@lists-and-things/domain/reminders/CalendarEntry"
import type { Calendar } from "@lists-and-things/domain/reminders/CalendarFeed"
import { localDateOf, msPerDay } from "@lists-and-things/domain/days/Zone"
import ical, { ICalAlarmType } from "ical-generator"
import { zoneComponent } from "./ZoneComponent.ts"

/** How far ahead the calendar carries the changes of the clock. */
const horizonMillis = 15 * 366 * msPerDay
/** 1970-01-01: what is older is shown with the offset that holds then. */
const oldestZoneStart = 0

/** The reminders as iCalendar (RFC 5545): on the owner's wall clock, with its zone, all-day ones as dates. */
export const reminderCalendar = (calendar: Calendar, siteUrl: string, now: number): string => {
  const earliest = calendar.entries[0]?.start ?? now
  const from = Math.max(Math.min(earliest, now) - 366 * msPerDay, oldestZoneStart)
  const made = ical({
    name: "Lists and Things",
    prodId: { company: "Lists and Things", product: "Reminders", language: "EN" },
    ttl: 900,
    timezone: { name: null, generator: (zone) => zoneComponent(zone, from, now + horizonMillis) }
  })
  for (const entry of calendar.entries) {
    const event = made.createEvent({
      id: `${entry.uid}@lists-and-things`,
      stamp: new Date(entry.created),
      start: new TZDate(entry.start, calendar.zone),
      end: entry.end === null ? null : new TZDate(entry.end, calendar.zone),
      allDay: entry.allDay,
      timezone: calendar.zone,
      summary: entry.title,
      description: entry.note === "" ? null : entry.note,
      url: `${siteUrl}/things/${entry.thingId}`,
      repeating: entry.recurrence === null ? null : ruleText(entry.recurrence, entry, calendar.zone)
    })
    if (entry.color !== "") event.x("X-APPLE-CALENDAR-COLOR", entry.color)
    for (const minutes of entry.alerts)
      event.createAlarm({ type: ICalAlarmType.display, triggerBefore: minutes * 60, description: entry.title })
  }
  return made.toString()
}

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

/** A date for all-day entries, else UTC. */
const untilText = (until: number, allDay: boolean, zone: string): string =>
  allDay
    ? localDateOf(zone, until).replaceAll("-", "")
    : `${new Date(until).toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`
