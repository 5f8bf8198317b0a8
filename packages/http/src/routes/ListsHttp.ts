import { Effect } from "effect"
import { listJson } from "@lists-and-things/domain/json/ListJson"
import { reminderJson } from "@lists-and-things/domain/json/ReminderJson"
import { thingJson } from "@lists-and-things/domain/json/ThingJson"
import { type CreatedList, Lists, type ListView } from "@lists-and-things/domain/lists/Lists"
import { pageSize } from "@lists-and-things/domain/things/Things"
import { type Operations, serve, today } from "./Serve.ts"

const viewJson = (view: ListView, date: string, maxText: number | undefined) => ({
  list: listJson(view.list, date),
  things: view.things.map((thing) => thingJson(thing, maxText)),
  reminders: view.reminders.map(reminderJson)
})

const createdJson = (made: CreatedList) =>
  Effect.map(today, (date) => ({ list: listJson(made.list, date), created: made.created, skipped: made.skipped }))

/** Contract, "Lists". */
const operations = Effect.gen(function* () {
  const lists = yield* Lists
  return {
    listLists: ({ query: { page = 0 } }) =>
      Effect.map(Effect.all([lists.page(page), today]), ([found, date]) => ({
        lists: found.items.map((list) => listJson(list, date)),
        page,
        page_size: pageSize,
        has_more: found.hasMore
      })),
    createList: ({ payload }) => Effect.flatMap(lists.create(payload), createdJson),
    importMarkdown: ({ payload }) => Effect.flatMap(lists.importMarkdown(payload), createdJson),
    getList: ({ params, query }) =>
      Effect.map(Effect.all([lists.view(params.id), today]), ([view, date]) => viewJson(view, date, query.max_text)),
    getListMarkdown: ({ params }) => lists.markdown(params.id),
    getToday: ({ query }) =>
      Effect.map(Effect.all([lists.day(query.date), today]), ([view, date]) => viewJson(view, date, query.max_text)),
    updateList: ({ params, payload }) =>
      Effect.map(Effect.all([lists.update(params.id, payload), today]), ([list, date]) => ({
        list: listJson(list, date)
      })),
    deleteList: ({ params }) => Effect.as(lists.remove(params.id), { success: true })
  } satisfies Operations<"lists">
})

export const layer = serve("lists", operations)
