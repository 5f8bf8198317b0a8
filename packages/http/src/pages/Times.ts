import { formatTime } from "@lists-and-things/domain/days/IsoTime"
import { addDays, instantToWall, localDateOf, wallOf, wallText } from "@lists-and-things/domain/days/Zone"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { TimeTrigger } from "@lists-and-things/domain/model/Reminder"
import { advance, clockChangeOf } from "@lists-and-things/domain/recurrence/Recurrence"
import { type Html, html } from "./Html.ts"

/** Creates the format on first use, since the first one loads ICU's tables, which takes 6 ms. */
const format = (options: Intl.DateTimeFormatOptions) => {
  let made: Intl.DateTimeFormat | undefined
  return (date: string): string =>
    (made ??= new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" })).format(wallOf(date))
}

/** `Sunday, 22 November`; dates are `YYYY-MM-DD`. */
const longDay = format({ weekday: "long", day: "numeric", month: "long" })
const shortDay = format({ weekday: "short", day: "numeric", month: "short" })

const withYear = (text: string, date: string, today: string): string =>
  date.slice(0, 4) === today.slice(0, 4) ? text : `${text} ${date.slice(0, 4)}`

/** `Sunday 22 November`, with the year unless it is the present one. */
export const dayTitle = (date: string, today: string): string => withYear(longDay(date), date, today)

/** `Today`, `Tomorrow` or `Yesterday`, else `Sat 28 Nov`. */
export const dayName = (date: string, today: string): string => {
  if (date === today) return "Today"
  if (date === addDays(today, 1)) return "Tomorrow"
  if (date === addDays(today, -1)) return "Yesterday"
  return withYear(shortDay(date), date, today)
}

/** Hours and minutes of an instant in the zone, `09:00`. */
export const clockTime = (at: EpochMillis, zone: string): string => wallText(instantToWall(zone, at)).slice(11, 16)

/** The time of an occurrence in the zone: `Sat 28 Nov, 09:00`, or the day alone. */
export const occurrenceHtml = (
  at: EpochMillis,
  { allDay }: Pick<TimeTrigger, "allDay">,
  zone: string,
  now: EpochMillis
): Html => {
  const day = dayName(localDateOf(zone, at), localDateOf(zone, now))
  return html`<time datetime="${formatTime(at)}">${allDay ? day : `${day}, ${clockTime(at, zone)}`}</time>`
}

/** How a clock change affects an occurrence, in words; nothing on most days. */
export const clockChangeHtml = (at: EpochMillis, trigger: TimeTrigger, zone: string): Html => {
  const change = clockChangeOf(advance(trigger, at), zone)
  if (change === undefined) return html``
  const words =
    change._tag === "Skipped"
      ? `the clocks go forward and skip ${wallText(change.wall).slice(11, 16)}`
      : `the clocks go back and show it twice, this is the ${change.isEarlier ? "first" : "second"}`
  return html` <span class="soft">– ${words}</span>`
}
