/// <reference lib="esnext.temporal" />
import { type TimeTrigger, type Weekday, weekdays } from "../../src/model/Reminder.ts"

/**
 * An independent reference: walks day by day through Temporal's calendar and checks each day against the rule.
 * Shares no arithmetic with the product.
 */
export const slowOccurrences = (trigger: TimeTrigger, zone: string, from: string, to: string): Array<number> =>
  slowWalls(trigger, zone, from, to).map((wall) => wall.toZonedDateTime(zone).epochMilliseconds)

/** The same occurrences as wall times, without regard to gaps of the time zone. */
export const slowWalls = (
  trigger: TimeTrigger,
  zone: string,
  from: string,
  to: string
): Array<Temporal.PlainDateTime> => {
  const first = Temporal.PlainDateTime.from(trigger.first)
  const time = first.toPlainTime()
  const start = first.toPlainDate()
  const found: Array<Temporal.PlainDateTime> = []
  let day = Temporal.PlainDate.from(from)
  if (Temporal.PlainDate.compare(day, start) < 0) day = start
  for (; Temporal.PlainDate.compare(day, Temporal.PlainDate.from(to)) <= 0; day = day.add({ days: 1 })) {
    if (!wants(trigger, start, day)) continue
    const wall = day.toPlainDateTime(time)
    if (trigger.rule.until !== null && wall.toZonedDateTime(zone).epochMilliseconds > trigger.rule.until) break
    found.push(wall)
  }
  return found
}

const wants = ({ rule }: TimeTrigger, start: Temporal.PlainDate, day: Temporal.PlainDate): boolean => {
  if (rule.repeat === "daily" && rule.every === 1) return true
  const passed = start.until(day).days
  const months = (day.year - start.year) * 12 + day.month - start.month
  const lastOfMonth = day.day === day.daysInMonth && start.day > day.daysInMonth
  const sameDay = day.day === start.day || lastOfMonth
  switch (rule.repeat) {
    case "none":
      return passed === 0
    case "daily":
      return passed % rule.every === 0
    case "weekly": {
      const name = weekdays[day.dayOfWeek % 7] as Weekday
      if (rule.days.length === 0) return passed % (7 * rule.every) === 0
      const sunday = (date: Temporal.PlainDate) => date.subtract({ days: date.dayOfWeek % 7 })
      return rule.days.includes(name) && (sunday(start).until(sunday(day)).days / 7) % rule.every === 0
    }
    case "monthly":
      return sameDay && months % rule.every === 0
    case "yearly":
      return sameDay && months % (12 * rule.every) === 0
  }
}
