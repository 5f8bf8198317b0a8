import { truncateTo } from "../text/Characters.ts"
import { inOneLine } from "../text/Quoted.ts"
import { enumerated } from "../text/Wording.ts"
import { monthNames } from "../days/Months.ts"
import { dayText, weekdayName } from "../days/LocalText.ts"
import { dateOfWall, instantToWall, startOfDay, timeOfDay, wallOf, wallText, weekdayOf } from "../days/Zone.ts"
import { msPerDay } from "../model/EpochMillis.ts"
import type { SavedPlace } from "../model/Place.ts"
import { type PlaceTrigger, type RepeatRule, type TimeTrigger, type Weekday, weekdays } from "../model/Reminder.ts"

/** Characters of the name of a place, with the ellipsis. */
const maxNameLength = 80

const units = { daily: "day", weekly: "week", monthly: "month", yearly: "year" } as const

/** When a reminder fires, in plain English: "every 2 weeks on Tuesday at 09:00, Europe/Berlin, until 2027-03-01". */
export const summarize = (trigger: TimeTrigger | PlaceTrigger, zone: string, place: SavedPlace | null = null): string =>
  inWords(trigger, zone, place, `, ${zone}`)

/** `summarize` without the name of the zone, for a reader who is in that zone. */
export const summarizeInZone = (trigger: TimeTrigger | PlaceTrigger, zone: string, place: SavedPlace | null): string =>
  inWords(trigger, zone, place, "")

const inWords = (
  trigger: TimeTrigger | PlaceTrigger,
  zone: string,
  place: SavedPlace | null,
  zoneNamed: string
): string => {
  if (trigger._tag === "Place")
    return `${trigger.on === "arrive" ? "on arriving at" : "on leaving"} ${place === null ? "a place" : truncateTo(inOneLine(place.name), maxNameLength)}`
  const { repeat } = trigger.rule
  const wall = repeat === "none" ? instantToWall(zone, trigger.at) : wallOf(trigger.first)
  const when =
    repeat === "none"
      ? `once on ${dayText(dateOfWall(wall))}`
      : `${everyText(trigger.rule)}${onText(trigger.rule, wall)}`
  const time = trigger.allDay ? ", all day" : ` at ${clock(wall)}`
  return `${when}${time}${zoneNamed}${repeat === "none" ? "" : untilText(trigger.rule, zone)}`
}

/** "every 2 weeks"; nothing where it does not repeat. */
const everyText = ({ every, repeat }: RepeatRule): string => {
  if (repeat === "none") return ""
  return every === 1 ? `every ${units[repeat]}` : `every ${every} ${units[repeat]}s`
}

/** `everyText` with the weekdays where these are several, for a reader who sees the next occurrence beside it. */
export const everyDayText = (rule: RepeatRule): string =>
  rule.days.length > 1 ? `${everyText(rule)} on ${dayNames(rule.days)}` : everyText(rule)

/** Names the day within the unit, taken from the first occurrence where the rule does not specify it. */
const onText = (rule: RepeatRule, wall: number): string => {
  const date = new Date(wall)
  const day = date.getUTCDate()
  switch (rule.repeat) {
    case "none":
    case "daily":
      return ""
    case "weekly":
      return ` on ${dayNames(rule.days.length === 0 ? [weekdays[weekdayOf(wall)]!] : rule.days)}`
    case "monthly":
      return ` on the ${ordinal(day)}${day > 28 ? " (or the last day of a shorter month)" : ""}`
    case "yearly": {
      const leap = day === 29 && date.getUTCMonth() === 1
      return ` on ${monthNames[date.getUTCMonth()]} ${day}${leap ? " (February 28 in common years)" : ""}`
    }
  }
}

const dayNames = (days: ReadonlyArray<Weekday>): string => {
  if (days.length === 7) return "every day of the week"
  return enumerated(days.map(weekdayName))
}

const ordinal = (day: number): string => {
  const teens = day > 10 && day < 14
  const suffix = teens ? "th" : (["th", "st", "nd", "rd"][day % 10] ?? "th")
  return `${day}${suffix}`
}

/** `09:00`, with seconds unless they are zero. */
const clock = (wall: number): string => {
  const text = wallText(wall).slice(11, 19)
  return text.endsWith(":00") ? text.slice(0, 5) : text
}

/** 23:59:59, in milliseconds. */
const lastSecond = msPerDay - 1_000

const untilText = (rule: RepeatRule, zone: string): string => {
  if (rule.until === null) return ""
  const wall = instantToWall(zone, rule.until)
  const day = dateOfWall(wall)
  if (timeOfDay(wall) >= lastSecond) return `, until the end of ${day}`
  return `, until ${day}${rule.until === startOfDay(zone, day) ? "" : ` ${clock(wall)}`}`
}
