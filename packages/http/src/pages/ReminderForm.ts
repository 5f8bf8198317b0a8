import { Result } from "effect"
import { endOfDay, formatTime } from "@lists-and-things/domain/days/IsoTime"
import { instantToWall, localDateOf, wallText } from "@lists-and-things/domain/days/Zone"
import type { Account } from "@lists-and-things/domain/model/Account"
import { caps } from "@lists-and-things/domain/model/Caps"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { repeats, type Reminder, type TimeTrigger, weekdays } from "@lists-and-things/domain/model/Reminder"
import { isSame } from "@lists-and-things/domain/model/Operation"
import { reminderFields, type SetReminderInput } from "@lists-and-things/domain/json/ReminderJson"
import { inFigures } from "@lists-and-things/domain/text/Wording"
import { draftReminder } from "@lists-and-things/domain/reminders/ReminderDraft"
import { type Html, html } from "./Html.ts"
import { clockTime } from "./Times.ts"
import { described, type FieldProblem, type Options, select, wrongHtml, wrongId } from "./FormFields.ts"
import { textIn } from "./FormActions.ts"
import { dot } from "./Icons.ts"
import { digestOf, seenIn, seenInput } from "./EditConflicts.ts"

const repeatNames = { none: "Never", daily: "Daily", weekly: "Weekly", monthly: "Monthly", yearly: "Yearly" } as const

const repeatOptions = repeats.map((each) => [each, repeatNames[each]] as const)

const lengths: Options<number> = [
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

export const minutesName = (minutes: number): string =>
  lengths.find(([each]) => each === minutes)?.[1] ?? `${inFigures(minutes)} minutes`

/** A choice of minutes; includes the present number if it is another one. */
export const minutesChoice = (id: string, label: string, chosen: number): Html => {
  const known = lengths.some(([minutes]) => minutes === chosen)
  const all = known ? lengths : [...lengths, [chosen, minutesName(chosen)] as const]
  return html`<p class="field"><label for="${id}">${label}</label>${select(id, all, chosen)}</p>`
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

export const colorName = (color: string): string => colors.find(([each]) => each === color)?.[1] ?? color

/** A choice of colors; includes the present color if it is another one. */
export const colorChoice = (name: string, legend: string, chosen: string): Html => {
  const all = colors.some(([color]) => color === chosen) ? colors : [...colors, [chosen, chosen] as const]
  return html`<fieldset><legend>${legend}</legend><div class="swatches">${all.map(
    ([color, label]) =>
      html`<label class="check"><input type="radio" name="${name}" value="${color}"${color === chosen ? html` checked` : ""} /><span>${color === "" ? "" : html`${dot(color)} `}${label}</span></label>`
  )}</div></fieldset>`
}

/** Initial values for a thing without a reminder. */
const fresh = (account: Account) => ({
  alertMinutes: account.defaultAlertMinutes,
  secondAlertMinutes: 0,
  color: account.defaultReminderColor
})

/** The fields of the form as a browser sends them. */
interface Values {
  readonly day: string
  readonly time: string
  readonly repeat: string
  readonly every: string
  readonly until: string
  readonly days: ReadonlyArray<string>
  readonly duration: string
  readonly alert: string
  readonly second_alert: string
  readonly color: string
}

/** A reminder, if any, and what its form needs to show it. */
interface Stored {
  readonly account: Account
  /** Today's date in the owner's zone. */
  readonly today: string
  readonly reminder: Reminder | undefined
}

const storedValues = ({ account, reminder, today }: Stored): Values => {
  const zone = account.timezone
  const { alertMinutes, color, secondAlertMinutes } = reminder ?? fresh(account)
  const time = reminder?.trigger._tag === "Time" ? reminder.trigger : undefined
  const { days, every, repeat, until } = time?.rule ?? { repeat: "none", every: 1, days: [], until: null }
  return {
    day: time === undefined ? today : localDateOf(zone, time.at),
    time: time === undefined || time.allDay ? "" : clockTime(time.at, zone),
    repeat,
    every: String(every),
    until: until === null ? "" : localDateOf(zone, until),
    days,
    duration: String(time === undefined ? account.defaultReminderMinutes : (time.durationMinutes ?? 0)),
    alert: String(alertMinutes ?? 0),
    second_alert: String(secondAlertMinutes ?? 0),
    color
  }
}

const typedValues = (fields: URLSearchParams): Values => {
  const text = (name: string) => textIn(fields, name).trim()
  return {
    day: text("day"),
    time: text("time"),
    repeat: text("repeat"),
    every: text("every"),
    until: text("until"),
    days: weekdays.filter((day) => fields.getAll("days").includes(day)),
    duration: text("duration"),
    alert: text("alert"),
    second_alert: text("second_alert"),
    color: text("color")
  }
}

/** The digest of the reminder that a form was made from; it changes when the reminder changes, also by a completion. */
const digestOfReminder = (reminder: Reminder | undefined): string =>
  digestOf(reminder === undefined ? "" : JSON.stringify([reminder.id, reminderFields(reminder)]))

/**
 * Whether a form, with its request, would change a reminder that was changed elsewhere since the form was shown. One
 * that is sent again, because its answer was lost, changes nothing.
 */
export const isStaleReminder = (
  fields: URLSearchParams,
  input: SetReminderInput,
  { account, reminder }: Pick<Stored, "account" | "reminder">
): boolean => {
  if ([null, digestOfReminder(reminder)].includes(seenIn(fields, "reminder"))) return false
  const draft = draftReminder(input, account, reminder)
  return Result.isFailure(draft) || !isSame(draft.success, reminder)
}

/** The time zone on whose clock the form showed its time, where that is another one now; a day alone is the same in both. */
export const staleZoneIn = (fields: URLSearchParams, { timezone }: Account): string | undefined => {
  const shown = textIn(fields, "zone")
  return shown === "" || shown === timezone || textIn(fields, "time") === "" ? undefined : shown
}

/** A form of a reminder that was refused. */
export interface RefusedReminder {
  readonly typed: URLSearchParams
  /** Whether it was changed elsewhere meanwhile; false for a person who has seen that and saves again. */
  readonly isStale: boolean
  readonly problem?: FieldProblem
}

/** The field of the form for a field of the request, such as `repeat_until` or `days[1]`. */
export const reminderField = (field: string): string => {
  const name = field.split("[", 1)[0]!
  return name === "at" ? "day" : name === "repeat_until" ? "until" : name
}

/** The form that sets a time and its repetition; after a refusal it shows what was typed. */
export const reminderForm = (path: string, hidden: Html, stored: Stored, refused?: RefusedReminder): Html => {
  const { account, reminder } = stored
  const values = refused === undefined ? storedValues(stored) : typedValues(refused.typed)
  const time = reminder?.trigger._tag === "Time" ? reminder.trigger : undefined
  const now = digestOfReminder(reminder)
  const seen = refused?.isStale === false ? (seenIn(refused.typed, "reminder") ?? now) : now
  const problem = refused?.problem
  const save = reminder === undefined ? "Set the reminder" : "Change the reminder"
  return html`<form method="post" action="${path}">
    ${hidden}<input type="hidden" name="zone" value="${account.timezone}" />${exactFields(reminder?.id, time, account.timezone)}${seenInput("reminder", seen)}
    <div class="pair">
      <p class="field"><label for="day">Day</label><input id="day" name="day" type="date" required value="${values.day}"${described("day", problem)} />${wrongHtml("day", problem)}</p>
      <p class="field"><label for="time">Time</label><input id="time" name="time" type="time" value="${values.time}" aria-describedby="time-hint" /><span class="hint" id="time-hint">Leave empty for all day. In the time zone ${account.timezone}.</span></p>
    </div>
    <div class="pair">
      <p class="field"><label for="repeat">Repeats</label>${select<string>("repeat", repeatOptions, values.repeat)}</p>
      <p class="field"><label for="every">Interval</label><input id="every" name="every" type="number" min="1" max="${caps.every}" value="${values.every}"${described("every", problem, "every-hint")} /><span class="hint" id="every-hint">2 means every second time.</span>${wrongHtml("every", problem)}</p>
      <p class="field"><label for="until">Until</label><input id="until" name="until" type="date" value="${values.until}"${described("until", problem, "until-hint")} /><span class="hint" id="until-hint">Leave empty to repeat forever.</span>${wrongHtml("until", problem)}</p>
    </div>
    <fieldset${problem?.field === "days" ? html` aria-describedby="${wrongId}"` : ""}>
      <legend>On weekdays</legend>
      <div class="weekdays">${weekdays.map(
        (day) =>
          html`<label class="check"><input type="checkbox" name="days" value="${day}"${values.days.includes(day) ? html` checked` : ""} /><span>${day.slice(0, 1).toUpperCase()}${day.slice(1, 3)}</span></label>`
      )}</div>
      <p class="hint">Choosing days makes it weekly.</p>
      ${wrongHtml("days", problem)}
    </fieldset>
    <details>
      <summary>Duration, alerts and color</summary>
      <div class="fields">
        <div class="pair">
          ${minutesChoice("duration", "Duration", minutesIn(values.duration))}
          ${minutesChoice("alert", "Alert before", minutesIn(values.alert))} ${minutesChoice("second_alert", "Second alert", minutesIn(values.second_alert))}
        </div>
        ${colorChoice("color", "Color", values.color)}
      </div>
    </details>
    ${
      refused?.isStale === true
        ? html`<p class="buttons"><button>Save my version</button><a class="button quiet" href="${path.replace(/\/reminder$/, "")}">Keep the saved version</a></p>`
        : html`<button>${save}</button>`
    }
  </form>`
}

/** The number of minutes that was sent; 0 if it is not a number. */
export const minutesIn = (text: string): number => (/^\d{1,9}$/.test(text) ? Number(text) : 0)

/**
 * Hidden fields for what a browser's fields cannot hold of a time: the reminder's id, seconds, and which of two
 * instants with one wall time is meant.
 */
const exactFields = (id: string | undefined, time: TimeTrigger | undefined, zone: string): Html => {
  if (time === undefined) return html``
  const { until } = time.rule
  return html`<input type="hidden" name="id" value="${id}" />${exactField("at", time.at, zone)}${until === null ? "" : exactField("until", until, zone)}`
}

/** A field with an instant and the wall time that the form shows for it. */
const exactField = (name: ExactTime, at: EpochMillis, zone: string): Html =>
  html`<input type="hidden" name="exact_${name}" value="${wallText(instantToWall(zone, at))} ${formatTime(at)}" />`

type ExactTime = "at" | "until"

/** The exact instant if the form still shows its wall time, which is not empty; else undefined. */
const exactIn = (fields: URLSearchParams, name: ExactTime, typed: string): string | undefined => {
  const [shown = "", at] = textIn(fields, `exact_${name}`).split(" ", 2)
  return shown.startsWith(typed) ? at : undefined
}

/** The fields of the form as a request of the API. */
export const reminderInput = (fields: URLSearchParams): Record<string, unknown> => {
  const text = (name: string) => textIn(fields, name).trim()
  const number = (name: string) => (/^\d{1,9}$/.test(text(name)) ? Number(text(name)) : text(name))
  const allDay = text("time") === ""
  const days = fields.getAll("days")
  const until = text("until")
  const typed = `${text("day")}T${text("time")}`
  return {
    ...(text("id") === "" ? {} : { id: text("id") }),
    at: allDay ? text("day") : (exactIn(fields, "at", typed) ?? typed),
    all_day: allDay,
    repeat: text("repeat"),
    ...(days.length > 0 ? { days } : {}),
    ...((days.length > 0 ? text("every") === "1" : text("repeat") === "none") ? {} : { every: number("every") }),
    ...(until === "" ? {} : { repeat_until: exactIn(fields, "until", until) ?? endOfDay(until) }),
    ...(allDay ? {} : { duration_minutes: number("duration") }),
    alert_minutes: number("alert"),
    second_alert_minutes: number("second_alert"),
    color: text("color")
  }
}
