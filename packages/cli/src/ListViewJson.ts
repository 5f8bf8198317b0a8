import type { Account } from "@lists-and-things/domain/model/Account"
import { todayIn } from "@lists-and-things/domain/days/Day"
import { listJson } from "@lists-and-things/domain/json/ListJson"
import { reminderJson } from "@lists-and-things/domain/json/ReminderJson"
import { thingJson } from "@lists-and-things/domain/json/ThingJson"
import type { ListView } from "@lists-and-things/domain/lists/Lists"
import type { List } from "@lists-and-things/domain/model/List"
import { Clock, Effect } from "effect"

/** The current date in the account's time zone; the day list of that date is `today`. */
export const listJsonOf = (account: Account, list: List) =>
  Effect.map(Clock.currentTimeMillis, (now) => listJson(list, todayIn(account.timezone, now)))

/** The body of `GET /lists/{id}`. */
export const listViewJson = (account: Account, view: ListView) =>
  Effect.map(listJsonOf(account, view.list), (list) => ({
    list,
    things: view.things.map((thing) => thingJson(thing)),
    reminders: view.reminders.map(reminderJson)
  }))
