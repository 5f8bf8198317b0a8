import { Effect, Schema } from "effect"
import { Caller } from "@lists-and-things/domain/model/Caller"
import * as Fields from "@lists-and-things/domain/json/Fields"
import { ListJson } from "@lists-and-things/domain/json/ListJson"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { withT } from "@lists-and-things/domain/days/When"
import { pageOf, pagingArguments, pagingKeys, pagingResult, shownList } from "../results/ListResult.ts"
import { defineTool, hints } from "../Tool.ts"

const named = { name: "get_today", title: "Get a day list", scope: "read:lists" } as const

const input = Schema.Struct({
  date: Schema.optionalKey(
    Fields.Name.annotate({
      hint: "today (default), yesterday, tomorrow or an ISO date in the owner's zone.",
      examples: ["tomorrow"]
    })
  ),
  ...pagingArguments
}).pipe(Schema.encodeKeys(pagingKeys))

const dayFields = { date: Schema.String, timezone: Schema.String, ...pagingResult }

export const getToday = defineTool({
  ...named,
  description: "Returns the day list of a date with its things and reminders. Creates the list if it does not exist.",
  operation: "getToday",
  hints: hints.ensures,
  readsWithAdmission: true,
  input,
  output: Schema.Struct({ list: ListJson, ...dayFields }),
  handler: Effect.fnUntraced(function* ({ date, ...paging }) {
    const lists = yield* Lists
    const view = yield* lists.day(wanted(date))
    const { account } = yield* Caller
    const page = yield* pageOf(view, paging, "get_today", { date: view.date })
    return {
      list: yield* shownList(view.list),
      date: view.date,
      timezone: account.timezone,
      ...page
    }
  })
})

/** `get_today` for a server that may change nothing: a day without a list is empty, and no list is made. */
export const readToday = defineTool({
  ...named,
  description: "Returns the day list of a date with its things and reminders; list is null if it does not exist.",
  hints: hints.reads,
  readsWithAdmission: true,
  input,
  output: Schema.Struct({ list: Schema.NullOr(ListJson), ...dayFields }),
  handler: Effect.fnUntraced(function* ({ date, ...paging }) {
    const lists = yield* Lists
    const found = yield* lists.madeDay(wanted(date))
    const { account } = yield* Caller
    const page = yield* pageOf(found.view ?? noThings, paging, "get_today", { date: found.date })
    return {
      list: found.view === undefined ? null : yield* shownList(found.view.list),
      date: found.date,
      timezone: account.timezone,
      ...page
    }
  })
})

const wanted = (date: string | undefined): string | undefined => date && withT(date)

const noThings = { things: [], reminders: [] }
