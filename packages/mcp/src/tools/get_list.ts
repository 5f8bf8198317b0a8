import { Effect, Schema } from "effect"
import { InvalidInput } from "@lists-and-things/domain/model/Errors"
import { ListJson } from "@lists-and-things/domain/json/ListJson"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { target } from "../Arguments.ts"
import { pageOf, pagingArguments, pagingKeys, pagingResult, shownList } from "../results/ListResult.ts"
import { defineTool, hints } from "../Tool.ts"

export const getList = defineTool({
  name: "get_list",
  title: "Get a list",
  description:
    "Returns a list, its things in display order and their reminders. Give list_id or list, not both. For a day list that may not exist yet, use get_today.",
  scope: "read:lists",
  hints: hints.reads,
  readsWithAdmission: true,
  input: Schema.Struct({ ...target, ...pagingArguments }).pipe(Schema.encodeKeys({ listId: "list_id", ...pagingKeys })),
  output: Schema.Struct({ list: ListJson, ...pagingResult }),
  handler: Effect.fnUntraced(function* ({ listId, list, ...paging }) {
    const lists = yield* Lists
    if ((listId === undefined) === (list === undefined)) {
      return yield* new InvalidInput({
        field: "",
        reason: "Give exactly one of list_id and list (a name)",
        example: '"list": "today"'
      })
    }
    const id = listId ?? (yield* lists.byName(list!)).id
    const view = yield* lists.view(id)
    const page = yield* pageOf(view, paging, "get_list", { list_id: id })
    return { list: yield* shownList(view.list), ...page }
  })
})
