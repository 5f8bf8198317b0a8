import { Effect, Schema } from "effect"
import { Caller } from "@lists-and-things/domain/model/Caller"
import * as Fields from "@lists-and-things/domain/json/Fields"
import { ListJson } from "@lists-and-things/domain/json/ListJson"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { pageOf, pagingArguments, pagingKeys, pagingResult, shownList } from "../results/ListResult.ts"
import { defineTool, hints } from "../Tool.ts"

export const getToday = defineTool({
  name: "get_today",
  title: "Get a day list",
  description: "The day list of a date, made when there is none, with its things and reminders.",
  scope: "read:lists",
  operation: "getToday",
  hints: hints.ensures,
  input: Schema.Struct({
    date: Schema.optionalKey(
      Fields.Name.annotate({ hint: "today (default), yesterday, tomorrow or an ISO date in the owner's zone." })
    ),
    ...pagingArguments
  }).pipe(Schema.encodeKeys(pagingKeys)),
  output: Schema.Struct({ list: ListJson, date: Schema.String, timezone: Schema.String, ...pagingResult }),
  handler: Effect.fnUntraced(function* ({ date, ...paging }) {
    const lists = yield* Lists
    const { account } = yield* Caller
    const view = yield* lists.day(date)
    return {
      list: yield* shownList(view.list),
      date: view.date,
      timezone: account.timezone,
      ...pageOf(view, paging, "get_today", { date: view.date })
    }
  })
})
