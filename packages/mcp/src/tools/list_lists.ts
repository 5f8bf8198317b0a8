import { Effect, Schema } from "effect"
import { ListJson } from "@lists-and-things/domain/json/ListJson"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { pageSize } from "@lists-and-things/domain/things/Things"
import { Page } from "../Arguments.ts"
import { NextPage, notifyPageBeyondEnd, shownList } from "../results/ListResult.ts"
import { defineTool, hints } from "../Tool.ts"

export const listLists = defineTool({
  name: "list_lists",
  title: "List lists",
  description:
    "Returns the lists that are not archived, most recently changed first, 50 per page. To find one by name, use search.",
  scope: "read:lists",
  hints: hints.reads,
  readsWithAdmission: true,
  input: Schema.Struct({ page: Schema.optionalKey(Page) }),
  output: Schema.Struct({
    lists: Schema.Array(ListJson),
    page: Schema.Int,
    page_size: Schema.Int,
    has_more: Schema.Boolean,
    next_page: NextPage
  }),
  handler: Effect.fnUntraced(function* ({ page = 0 }) {
    const lists = yield* Lists
    const { items, hasMore } = yield* lists.page(page)
    yield* notifyPageBeyondEnd(page, items)
    return {
      lists: yield* Effect.forEach(items, shownList),
      page,
      page_size: pageSize,
      has_more: hasMore,
      ...(hasMore ? { next_page: `Call list_lists with page ${page + 1}.` } : {})
    }
  })
})
