import type { EpochMillis } from "../model/EpochMillis.ts"
import { type Reminder, type Weekday, weekdays } from "../model/Reminder.ts"
import { instantToLocal, wallOf, weekdayOf } from "./Zone.ts"

/** `Monday`. */
export const weekdayName = (day: Weekday): string => day.charAt(0).toUpperCase() + day.slice(1)

/** A date with its weekday: `Monday 2026-11-23`. */
export const dayText = (date: string): string => `${weekdayName(weekdays[weekdayOf(wallOf(date))]!)} ${date}`

/** A date on the owner's clock: `Monday 2026-11-23`. */
const localDay = (zone: string, at: EpochMillis): string => dayText(instantToLocal(zone, at).date)

/** A time on the owner's clock, to the minute: `Monday 2026-11-23 09:00`. */
export const localTime = (zone: string, at: EpochMillis): string => {
  const { date, hour, minute } = instantToLocal(zone, at)
  return `${dayText(date)} ${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`
}

/** A moment at which a reminder is due: the day alone if it is of a whole day. */
export const localMoment = (zone: string, { trigger }: Reminder, at: EpochMillis): string =>
  trigger._tag === "Time" && trigger.allDay ? localDay(zone, at) : localTime(zone, at)
