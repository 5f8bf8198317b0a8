import { Schema } from "effect"
import type { Account } from "../model/Account.ts"
import { listSorts } from "../model/List.ts"
import { Count, described } from "./Described.ts"
import { thingTypes } from "../model/Thing.ts"

/** An account with its settings (docs/decisions.md#accounts-and-keys). */
export const AccountJson = Schema.Struct({
  id: described(Schema.String, "Opaque."),
  email: described(Schema.String, "The address that the owner signs in with."),
  name: described(Schema.String, "The owner's name; may be empty."),
  timezone: described(Schema.String, "The IANA name of the time zone of day lists and reminders."),
  default_thing_type: described(Schema.Literals(thingTypes), "The type of a new thing that is given none."),
  default_list_sort: described(Schema.Literals(listSorts), "The sort of a new list that is given none."),
  default_reminder_minutes: described(Count, "The duration of a reminder that is given none; 0 means no end."),
  default_alert_minutes: described(Count, "The advance notice of a reminder that is given none; 0 means none."),
  default_reminder_color: described(Schema.String, "The color of a reminder that is given none: `#rrggbb`, or empty."),
  repeat_moves_to_day: described(
    Schema.Boolean,
    "Whether a completed repeating thing moves to the day list of its next date (true) or stays in its list (false)."
  ),
  all_day_at: described(Schema.String, "`HH:MM` in the account's time zone: when webhooks announce all-day reminders.")
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
  repeat_moves_to_day: account.repeatMovesToDay,
  all_day_at: account.allDayAt
})
