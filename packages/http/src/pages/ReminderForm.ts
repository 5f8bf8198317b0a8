import { instantToWall, localDateOf, wallText } from "@lists-and-things/domain/days/Zone"
import type { Account } from "@lists-and-things/domain/model/Account"
import { repeats, type Reminder, type TimeTrigger, weekdays } from "@lists-and-things/domain/model/Reminder"
import { type Html, html } from "./Html.ts"
import { clockTime } from "./Times.ts"
import { textIn } from "./FormActions.ts"
import { dot } from "./Icons.ts"

const repeatNames = { none: "Never", daily: "Days", weekly: "Weeks", monthly: "Months", yearly: "Years" } as const

const lengths: ReadonlyArray<readonly [minutes: number, name: string]> = [
  [0, "None"],
  [5, "5 minutes"],
  [10, "10 minutes"],
  [15, "15 minutes"],
  [30, "30 minutes"],
  [45, "45 minutes"],
  [60, "1 hour"],
  [90, "1½ hours"],
  [120, "2 hours"],
  [240, "4 hours"],
  [1_440, "1 day"],
  [10_080, "1 week"]
]

/** A choice of minutes; another number that is set already is one of the choices. */
export const minutesChoice = (id: string, label: string, chosen: number): Html => {
  const known = lengths.some(([minutes]) => minutes === chosen)
  const all = known ? lengths : [...lengths, [chosen, `${chosen.toLocaleString("en-US")} minutes`] as const]
  return html`<p class="field"><label for="${id}">${label}</label><select id="${id}" name="${id}">${all.map(
    ([minutes, name]) => html`<option value="${minutes}"${minutes === chosen ? html` selected` : ""}>${name}</option>`
  )}</select></p>`
}

const colors: ReadonlyArray<readonly [color: string, name: string]> = [
  ["", "None"],
  ["#d94f4f", "Red"],
  ["#e07b39", "Orange"],
  ["#c9a227", "Yellow"],
  ["#6a9f3d", "Green"],
  ["#2f9e79", "Teal"],
  ["#2b8fb3", "Blue"],
  ["#6b5bd2", "Violet"],
  ["#c9479b", "Pink"],
  ["#5b7083", "Grey"]
]

/** Colors to choose from; another one that is set already is one of them. */
export const colorChoice = (name: string, legend: string, chosen: string): Html => {
  const all = colors.some(([color]) => color === chosen) ? colors : [...colors, [chosen, chosen] as const]
  return html`<fieldset><legend>${legend}</legend><div class="swatches">${all.map(
    ([color, label]) =>
      html`<label class="check"><input type="radio" name="${name}" value="${color}"${color === chosen ? html` checked` : ""} /><span>${color === "" ? "" : html`${dot(color)} `}${label}</span></label>`
  )}</div></fieldset>`
}

/** What the form of a thing without a reminder begins with. */
const fresh = (account: Account) => ({
  alertMinutes: account.defaultAlertMinutes,
  secondAlertMinutes: 0,
  color: account.defaultReminderColor
})

/** Sets a time, and how it repeats. */
export const reminderForm = (
  path: string,
  hidden: Html,
  account: Account,
  today: string,
  reminder: Reminder | undefined
): Html => {
  const zone = account.timezone
  const { alertMinutes, color, secondAlertMinutes } = reminder ?? fresh(account)
  const time = reminder?.trigger._tag === "Time" ? reminder.trigger : undefined
  const rule = time?.rule ?? { repeat: "none", every: 1, days: [], until: null }
  const { days, every, repeat, until } = rule
  const exact = exactFields(time, zone)
  return html`<form method="post" action="${path}">
    ${hidden}${exact}
    <div class="pair">
      <p class="field"><label for="day">Day</label><input id="day" name="day" type="date" required value="${time === undefined ? today : localDateOf(zone, time.at)}" /></p>
      <p class="field"><label for="time">Time</label><input id="time" name="time" type="time" value="${time === undefined || time.allDay ? "" : clockTime(time.at, zone)}" aria-describedby="time-hint" /><span class="hint" id="time-hint">Empty: all day.</span></p>
    </div>
    <div class="pair">
      <p class="field"><label for="repeat">Repeats every</label><select id="repeat" name="repeat">${repeats.map(
        (each) => html`<option value="${each}"${each === repeat ? html` selected` : ""}>${repeatNames[each]}</option>`
      )}</select></p>
      <p class="field"><label for="every">How many of them</label><input id="every" name="every" type="number" min="1" max="999" value="${every}" /></p>
      <p class="field"><label for="until">Until</label><input id="until" name="until" type="date" value="${until === null ? "" : localDateOf(zone, until)}" aria-describedby="until-hint" /><span class="hint" id="until-hint">Empty: for ever.</span></p>
    </div>
    <fieldset>
      <legend>On weekdays</legend>
      <div class="weekdays">${weekdays.map(
        (day) =>
          html`<label class="check"><input type="checkbox" name="days" value="${day}"${days.includes(day) ? html` checked` : ""} /><span>${day.slice(0, 1).toUpperCase()}${day.slice(1, 3)}</span></label>`
      )}</div>
      <p class="hint">Chosen days make it weekly.</p>
    </fieldset>
    <details>
      <summary>Length, alerts and color</summary>
      <div class="pair">
        ${minutesChoice("duration", "Length", time === undefined ? account.defaultReminderMinutes : (time.durationMinutes ?? 0))}
        ${minutesChoice("alert", "Alert before", alertMinutes)} ${minutesChoice("second_alert", "Second alert", secondAlertMinutes)}
      </div>
      ${colorChoice("color", "Color", color)}
    </details>
    <button>${reminder === undefined ? "Set the reminder" : "Change the reminder"}</button>
  </form>`
}

/** What the fields of a browser cannot hold of a time: seconds, and the last moment of repeating. */
const exactFields = (time: TimeTrigger | undefined, zone: string): Html => {
  if (time === undefined) return html``
  const { until } = time.rule
  const [at, last] = [
    wallText(instantToWall(zone, time.at)),
    until === null ? "" : wallText(instantToWall(zone, until))
  ]
  return html`<input type="hidden" name="exact_at" value="${at}" /><input type="hidden" name="exact_until" value="${last}" />`
}

/** The exact time that was there where the form still says the same, else what the form says. */
const unlessSame = (typed: string, exact: string): string => (typed !== "" && exact.startsWith(typed) ? exact : typed)

/** What the form says, as a request of the API would say it. */
export const reminderInput = (fields: URLSearchParams): Record<string, unknown> => {
  const text = (name: string) => textIn(fields, name).trim()
  const number = (name: string) => (/^\d{1,9}$/.test(text(name)) ? Number(text(name)) : text(name))
  const allDay = text("time") === ""
  const days = fields.getAll("days")
  const until = text("until")
  return {
    at: allDay ? text("day") : unlessSame(`${text("day")}T${text("time")}`, text("exact_at")),
    all_day: allDay,
    repeat: text("repeat"),
    ...(days.length > 0 ? { days } : {}),
    ...(text("repeat") === "none" || (days.length > 0 && text("every") === "1") ? {} : { every: number("every") }),
    ...(until === ""
      ? {}
      : { repeat_until: until === text("exact_until").slice(0, 10) ? text("exact_until") : `${until}T23:59:59.999` }),
    ...(allDay ? {} : { duration_minutes: number("duration") }),
    alert_minutes: number("alert"),
    second_alert_minutes: number("second_alert"),
    color: text("color")
  }
}
