import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { CreateListInput, ImportMarkdownInput, UpdateListInput } from "@lists-and-things/domain/json/ListInput"
import { listJson } from "@lists-and-things/domain/json/ListJson"
import { reminderJson } from "@lists-and-things/domain/json/ReminderJson"
import { thingJson } from "@lists-and-things/domain/json/ThingJson"
import { type CreatedList, Lists, type ListView } from "@lists-and-things/domain/lists/Lists"
import { pageSize } from "@lists-and-things/domain/things/Things"
import { Api } from "../api/Api.ts"
import { respondTo } from "../edge/ErrorResponses.ts"
import { answer, makeWrites, today } from "./Answer.ts"

const viewJson = (view: ListView, date: string, maxText: number | undefined) => ({
  list: listJson(view.list, date),
  things: view.things.map((thing) => thingJson(thing, maxText)),
  reminders: view.reminders.map(reminderJson)
})

const createdJson = (made: CreatedList) =>
  Effect.map(today, (date) => ({ list: listJson(made.list, date), created: made.created, skipped: made.skipped }))

/** Contract, "Lists". */
export const layer = HttpApiBuilder.group(
  Api,
  "lists",
  Effect.fnUntraced(function* (handlers) {
    const lists = yield* Lists
    const writes = yield* makeWrites
    const create = writes.withBody(CreateListInput, 201)
    const importMarkdown = writes.withBody(ImportMarkdownInput, 201)
    const update = writes.withBody(UpdateListInput)

    return handlers
      .handleRaw("listLists", ({ query }) => {
        const page = query.page ?? 0
        return answer(Effect.all([lists.page(page), today]), ([found, date]) => ({
          lists: found.items.map((list) => listJson(list, date)),
          page,
          page_size: pageSize,
          has_more: found.hasMore
        }))
      })
      .handleRaw("createList", ({ request }) =>
        create(request, (input) => Effect.flatMap(lists.create(input), createdJson))
      )
      .handleRaw("importMarkdown", ({ request }) =>
        importMarkdown(request, (input) => Effect.flatMap(lists.importMarkdown(input), createdJson))
      )
      .handleRaw("getList", ({ params, query }) =>
        answer(Effect.all([lists.view(params.id), today]), ([view, date]) => viewJson(view, date, query.max_text))
      )
      .handleRaw("getListMarkdown", ({ params }) =>
        Effect.matchEffect(lists.markdown(params.id), {
          onFailure: respondTo,
          onSuccess: (markdown) =>
            Effect.succeed(HttpServerResponse.text(markdown, { contentType: "text/markdown; charset=utf-8" }))
        })
      )
      .handleRaw("getToday", ({ query }) =>
        answer(Effect.all([lists.day(query.date), today]), ([view, date]) => viewJson(view, date, query.max_text))
      )
      .handleRaw("updateList", ({ params, request }) =>
        update(request, (input) =>
          Effect.map(Effect.all([lists.update(params.id, input), today]), ([list, date]) => ({
            list: listJson(list, date)
          }))
        )
      )
      .handleRaw("deleteList", ({ params, request }) =>
        writes.withoutBody(request, Effect.as(lists.remove(params.id), { success: true }))
      )
  })
)
