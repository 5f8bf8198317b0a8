import type { AccountPatch } from "@lists-and-things/domain/caller/AccountSettings"
import type { Account } from "@lists-and-things/domain/model/Account"
import { type ListSort, listSorts } from "@lists-and-things/domain/model/List"
import { type ThingType, thingTypes } from "@lists-and-things/domain/model/Thing"
import { textIn } from "./FormActions.ts"
import { type Html, html } from "./Html.ts"
import { sortName } from "./ListEdit.ts"
import { colorChoice, colorName, minutesChoice, minutesIn, minutesName } from "./ReminderForm.ts"
import {
  editedIn,
  type RefusedEdit,
  saveButtons,
  seenInput,
  staleText,
  type Stored,
  valuesOf
} from "./EditConflicts.ts"
import { hiddenCsrf, select } from "./FormFields.ts"
import { typeName } from "./ThingEdit.ts"

/** The settings by their fields. */
const settings = {
  name: { of: "name", label: "Name" },
  timezone: { of: "timezone", label: "Time zone" },
  default_thing_type: { of: "defaultThingType", label: "Type of new things" },
  default_list_sort: { of: "defaultListSort", label: "Order of new lists" },
  default_reminder_minutes: { of: "defaultReminderMinutes", label: "Duration of reminders" },
  default_alert_minutes: { of: "defaultAlertMinutes", label: "Alert before reminders" },
  default_reminder_color: { of: "defaultReminderColor", label: "Color of reminders" },
  all_day_at: { of: "allDayAt", label: "Time of all-day reminders" },
  repeat_moves_to_day: {
    of: "repeatMovesToDay",
    label: "Move a completed repeating thing to the list of its next day"
  }
} as const
export type SettingField = keyof typeof settings
const settingFields = Object.keys(settings) as ReadonlyArray<SettingField>

/** Labels of the settings in the form. */
export const settingLabels: Readonly<Record<string, string>> = Object.fromEntries(
  settingFields.map((field) => [field, settings[field].label])
)

/** The settings as the form shows them. */
const shownOf = (account: Account): Stored<SettingField> =>
  Object.fromEntries(settingFields.map((field) => [field, String(account[settings[field].of])])) as Record<
    SettingField,
    string
  >

/** Adds the checkbox, which browsers omit unless it is ticked. */
const withBox = (fields: URLSearchParams): URLSearchParams => {
  const sent = new URLSearchParams(fields)
  sent.set("repeat_moves_to_day", String(fields.has("repeat_moves_to_day")))
  return sent
}

const valueOf = (field: SettingField, text: string): string | number | boolean => {
  if (field === "repeat_moves_to_day") return text === "true"
  if (field === "default_reminder_minutes" || field === "default_alert_minutes")
    return /^\d+$/.test(text) ? Number(text) : Number.NaN
  return text
}

/**
 * The settings that were changed in the form; `stale` are those that were also changed elsewhere since it was shown.
 */
export const settingsEditOf = (
  fields: URLSearchParams,
  account: Account
): { readonly patch: AccountPatch; readonly stale: ReadonlyArray<SettingField> } => {
  const sent = withBox(fields)
  const { edited, stale } = editedIn(sent, shownOf(account))
  const patch = Object.fromEntries(
    edited.map((field) => [settings[field].of, valueOf(field, textIn(sent, field))])
  ) as AccountPatch
  return { patch, stale }
}

export const staleSettings = (stale: ReadonlyArray<SettingField>): string =>
  staleText(
    stale.map((field) => `setting “${settings[field].label}”`),
    "account"
  )

/** Zones by region, including the present one even if the list does not have its name. */
const zoneSelect = (chosen: string): Html => {
  const known = Intl.supportedValuesOf("timeZone")
  const zones = ["UTC", ...known, ...(known.includes(chosen) || chosen === "UTC" ? [] : [chosen])]
  const regions = Map.groupBy(zones, (zone) => (zone.includes("/") ? zone.slice(0, zone.indexOf("/")) : "Other"))
  const option = (zone: string) => html`<option${zone === chosen ? html` selected` : ""}>${zone}</option>`
  return html`<select id="timezone" name="timezone" autocomplete="off">${[...regions].map(
    ([region, of]) => html`<optgroup label="${region}">${of.map(option)}</optgroup>`
  )}</select>`
}

/** The name of a value in the form. */
const nameOf = (field: SettingField, value: string): string => {
  switch (field) {
    case "default_thing_type":
      return typeName(value as ThingType)
    case "default_list_sort":
      return sortName(value as ListSort)
    case "default_reminder_minutes":
    case "default_alert_minutes":
      return minutesName(Number(value))
    case "default_reminder_color":
      return colorName(value)
    case "repeat_moves_to_day":
      return value === "true" ? "Yes" : "No"
    default:
      return value
  }
}

/** The form with an account's zone and defaults; after a conflicting change elsewhere, also with what is saved now. */
export const settingsForm = (account: Account, csrf: string, given?: RefusedEdit<SettingField>): Html => {
  const refused = given === undefined ? undefined : { ...given, typed: withBox(given.typed) }
  const stored = shownOf(account)
  const { saved, seen, value } = valuesOf(stored, refused)
  const minutes = (field: SettingField) => minutesIn(value(field))
  const kept = (field: SettingField): Html => {
    const now = saved(field)
    return now === undefined
      ? html``
      : html`<p class="field"><label for="saved-${field}">${settings[field].label}, as currently saved</label><input id="saved-${field}" readonly value="${nameOf(field, now)}" /></p>`
  }
  const field = (name: SettingField, input: Html): Html =>
    html`<p class="field"><label for="${name}">${settings[name].label}</label>${input}</p>${kept(name)}`
  const text = (name: SettingField, type: string): Html =>
    field(name, html`<input id="${name}" name="${name}" type="${type}" value="${value(name)}" />`)
  const choice = <A extends string>(name: SettingField, values: ReadonlyArray<A>): Html =>
    field(
      name,
      select<string>(
        name,
        values.map((each) => [each, nameOf(name, each)]),
        value(name)
      )
    )
  const duration = (name: SettingField): Html =>
    html`${minutesChoice(name, settings[name].label, minutes(name))}${kept(name)}`
  return html`<form class="card" method="post" action="/account/settings">
      ${hiddenCsrf(csrf)}${settingFields.map((name) => seenInput(name, seen(name)))}
      <div class="pair">${text("name", "text")} ${field("timezone", zoneSelect(value("timezone")))}</div>
      <div class="pair">${choice("default_thing_type", thingTypes)} ${choice("default_list_sort", listSorts)}</div>
      <div class="pair">${duration("default_reminder_minutes")} ${duration("default_alert_minutes")}</div>
      <div class="pair">
        ${colorChoice("default_reminder_color", settings.default_reminder_color.label, value("default_reminder_color"))}${kept("default_reminder_color")}
        ${text("all_day_at", "time")}
      </div>
      <label class="check"
        ><input type="checkbox" name="repeat_moves_to_day" ${value("repeat_moves_to_day") === "true" ? html` checked` : ""} /><span
          >${settings.repeat_moves_to_day.label}</span
        ></label
      >
      ${kept("repeat_moves_to_day")}
      ${saveButtons("/account", stored, refused)}
    </form>`
}
