import { Clock, Effect } from "effect"
import { Caller } from "@lists-and-things/domain/model/Caller"
import { todayIn } from "@lists-and-things/domain/days/Day"
import { ListJson, listJson } from "@lists-and-things/domain/json/ListJson"
import type { List } from "@lists-and-things/domain/model/List"

/** The current date in the owner's time zone. */
export const today: Effect.Effect<string, never, Caller> = Effect.gen(function* () {
  const { account } = yield* Caller
  return todayIn(account.timezone, yield* Clock.currentTimeMillis)
})

/** A list in the form that all tools return. */
export const shownList = (list: List): Effect.Effect<ListJson, never, Caller> =>
  Effect.map(today, (date) => listJson(list, date))
