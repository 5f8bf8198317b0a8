import { Schema } from "effect"
import type { Account } from "../model/Account.ts"
import { listSorts } from "../model/List.ts"
import { thingTypes } from "../model/Thing.ts"

/** An account with its settings (docs/decisions.md#accounts-and-keys). */
export const AccountJson = Schema.Struct({
  id: Schema.String,
  email: Schema.String,
  name: Schema.String,
  timezone: Schema.String,
  default_thing_type: Schema.Literals(thingTypes),
  default_list_sort: Schema.Literals(listSorts),
  default_reminder_minutes: Schema.Int,
  default_alert_minutes: Schema.Int,
  default_reminder_color: Schema.String,
  repeat_moves_to_day: Schema.Boolean
})
export type AccountJson = typeof AccountJson.Type

export const accountJson = (account: Account): AccountJson => ({
  id: account.id,
  email: account.email,
  name: account.name,
  timezone: account.timezone,
  default_thing_type: account.defaultThingType,
  default_list_sort: account.defaultListSort,
  default_reminder_minutes: account.defaultReminderMinutes,
  default_alert_minutes: account.defaultAlertMinutes,
  default_reminder_color: account.defaultReminderColor,
  repeat_moves_to_day: account.repeatMovesToDay
})
