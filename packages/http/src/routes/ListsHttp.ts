import { Effect } from "effect"
import { listJson } from "@lists-and-things/domain/json/ListJson"
import { reminderJson } from "@lists-and-things/domain/json/ReminderJson"
import { thingJson } from "@lists-and-things/domain/json/ThingJson"
import { type CreatedList, Lists, type ListView } from "@lists-and-things/domain/lists/Lists"
import { pageSize } from "@lists-and-things/domain/things/Things"
import { mapYielding } from "@lists-and-things/domain/scheduling/Yielding"
import { type Operations, serve, today } from "./Serve.ts"

const viewJson = Effect.fnUntraced(function* (view: ListView, maxText: number | undefined) {
  return {
    list: listJson(view.list, yield* today),
    things: yield* mapYielding(view.things, (thing) => thingJson(thing, maxText)),
    reminders: yield* mapYielding(view.reminders, reminderJson)
  }
})

const createdJson = (made: CreatedList) =>
  Effect.map(today, (date) => ({ list: listJson(made.list, date), created: made.created, skipped: made.skipped }))

/** See docs/contract.md#lists. */
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
    getList: ({ params, query }) => Effect.flatMap(lists.view(params.id), (view) => viewJson(view, query.max_text)),
    getListMarkdown: ({ params }) => lists.markdown(params.id),
    getToday: ({ query }) => Effect.flatMap(lists.day(query.date), (view) => viewJson(view, query.max_text)),
    updateList: ({ params, payload }) =>
      Effect.map(Effect.all([lists.update(params.id, payload), today]), ([list, date]) => ({
        list: listJson(list, date)
      })),
    deleteList: ({ params }) => Effect.as(lists.remove(params.id), { success: true })
  } satisfies Operations<"lists">
})

export const layer = serve("lists", operations)
