import { isDayWord, todayIn } from "@lists-and-things/domain/days/Day"
import { isIdForm } from "@lists-and-things/domain/model/Ids"
import { Lists, type ListView } from "@lists-and-things/domain/lists/Lists"
import { onBehalfOf } from "./Owner.ts"
import type { Account } from "@lists-and-things/domain/model/Account"
import { listJson } from "@lists-and-things/domain/json/ListJson"
import { reminderJson } from "@lists-and-things/domain/json/ReminderJson"
import { thingJson } from "@lists-and-things/domain/json/ThingJson"
import type { List } from "@lists-and-things/domain/model/List"
import type { ListState } from "@lists-and-things/domain/targets/ListTarget"
import { Effect } from "effect"
import { currentTime } from "@lists-and-things/domain/model/EpochMillis"

/**
 * Resolves a list by id, day word or title; `archived` prefers archived lists among equal titles. Creates a day list
 * that does not exist yet.
 */
export const viewList = (account: Account, ref: string, state?: ListState) =>
  Effect.gen(function* () {
    const lists = yield* Lists
    if (isIdForm(ref)) return yield* lists.view(ref)
    if (isDayWord(ref)) return (yield* lists.day(ref.trim())) as ListView
    return yield* lists.view((yield* lists.byName(ref, state)).id)
  }).pipe(onBehalfOf(account))

/** The list reference of a write. */
export const targetOf = (ref: string): { readonly listId: string } | { readonly list: string } =>
  isIdForm(ref) ? { listId: ref } : { list: ref }

/** A list as the API shows it; `today` is true for the day list of the current date in the account's zone. */
export const listJsonOf = (account: Account, list: List) =>
  Effect.map(currentTime, (now) => listJson(list, todayIn(account.timezone, now)))

/** The body of `GET /lists/{id}`. */
export const listViewJson = (account: Account, view: ListView) =>
  Effect.map(listJsonOf(account, view.list), (list) => ({
    list,
    things: view.things.map((thing) => thingJson(thing)),
    reminders: view.reminders.map(reminderJson)
  }))
