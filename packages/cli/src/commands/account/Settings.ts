import type { AccountPatch } from "@lists-and-things/domain/caller/AccountSettings"
import type { Input } from "../../Input.ts"

/** The settings that the command line names. */
export const settingsOf = (input: Input): AccountPatch => {
  const given = {
    email: input.option("email"),
    name: input.option("name"),
    timezone: input.option("timezone"),
    defaultThingType: input.option("default-thing-type"),
    defaultListSort: input.option("default-list-sort"),
    defaultReminderMinutes: input.whole("default-reminder-minutes"),
    defaultAlertMinutes: input.whole("default-alert-minutes"),
    defaultReminderColor: input.option("default-reminder-color"),
    repeatMovesToDay: input.truth("repeat-moves-to-day")
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}
