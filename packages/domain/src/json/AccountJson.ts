import { Schema } from "effect"
import type { Account } from "../model/Account.ts"
import { listSorts } from "../model/List.ts"
import { Count, described } from "./Described.ts"
import { thingTypes } from "../model/Thing.ts"

/** An account with its settings (docs/decisions.md#accounts-and-keys). */
export const AccountJson = Schema.Struct({
  id: described(Schema.String, "Opaque."),
  email: described(Schema.String, "With which its owner signs in."),
  name: described(Schema.String, "May be empty."),
  timezone: described(Schema.String, "IANA name: the clock of day lists and reminders."),
  default_thing_type: described(Schema.Literals(thingTypes), "Of a new thing that names none."),
  default_list_sort: described(Schema.Literals(listSorts), "Of a new list that names none."),
  default_reminder_minutes: described(Count, "Duration of a reminder that names none; 0 is without an end."),
  default_alert_minutes: described(Count, "Notice of a reminder that names none; 0 is none."),
  default_reminder_color: described(Schema.String, "`#rrggbb`, or empty."),
  repeat_moves_to_day: described(
    Schema.Boolean,
    "Whether a repeating thing that was completed moves to the day list of its next date, or stays in its list."
  ),
  all_day_at: described(
    Schema.String,
    "`HH:MM` on the owner's clock: when reminders of a whole day are due, for webhooks."
  )
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
