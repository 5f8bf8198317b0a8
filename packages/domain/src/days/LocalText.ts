import type { EpochMillis } from "../model/EpochMillis.ts"
import { instantToLocal } from "./Zone.ts"

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

const dayText = (date: string): string => `${weekdays[new Date(`${date}T00:00:00Z`).getUTCDay()]} ${date}`

/** A date on the owner's clock: `Monday 2026-11-23`. */
export const localDay = (zone: string, at: EpochMillis): string => dayText(instantToLocal(zone, at).date)

/** A time on the owner's clock, to the minute: `Monday 2026-11-23 09:00`. */
export const localTime = (zone: string, at: EpochMillis): string => {
  const { date, hour, minute } = instantToLocal(zone, at)
  return `${dayText(date)} ${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`
}
