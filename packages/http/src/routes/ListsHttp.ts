import { Effect } from "effect"
import { Shown } from "@lists-and-things/domain/json/JsonEncoding"
import { pageJson } from "@lists-and-things/domain/json/PageJson"
import { listJson } from "@lists-and-things/domain/json/ListJson"
import { reminderJson } from "@lists-and-things/domain/json/ReminderJson"
import { textOf, thingJson } from "@lists-and-things/domain/json/ThingJson"
import { type CreatedList, Lists, type ListView } from "@lists-and-things/domain/lists/Lists"
import { pageSize } from "@lists-and-things/domain/things/Things"
import { EntityTags } from "@lists-and-things/domain/preconditions/EntityTags"
import type { List } from "@lists-and-things/domain/model/List"
import { success, Tagged } from "./Conditional.ts"
import { callersToday } from "@lists-and-things/domain/days/Day"
import type { Operations } from "./Handlers.ts"
import { serve } from "./Serve.ts"

const viewJson = (view: ListView, maxText: number | undefined) =>
  Effect.map(callersToday, (date) => ({
    list: listJson(view.list, date),
    things: Shown.as(view.things, (thing) => thingJson(thing, maxText)),
    reminders: Shown.as(view.reminders, (each) => ({ ...reminderJson(each), text: textOf(each.thing, maxText) }))
  }))

const createdJson = (made: CreatedList) =>
  Effect.map(callersToday, (date) => ({
    list: listJson(made.list, date),
    created: made.created,
    skipped: made.skipped
  }))

const oneList = (list: List) => Effect.map(callersToday, (date) => ({ list: listJson(list, date) }))

/** See docs/contract.md#lists. */
const operations = Effect.gen(function* () {
  const lists = yield* Lists
  const tags = yield* EntityTags

  /**
   * Adds the tag of a list. The tag is computed before the body, so that it never stands for a later state than the
   * body shows.
   */
  const tagged = <A, E, R>(list: List, body: Effect.Effect<A, E, R>, maxText?: number) =>
    Effect.zipWith(tags.ofList(list, maxText), body, (tag, value) => new Tagged(value, tag))

  const created = (made: CreatedList) => tagged(made.list, createdJson(made))

  return {
    listLists: ({ query: { page = 0 } }) =>
      Effect.map(Effect.all([lists.page(page), callersToday]), ([found, date]) => ({
        lists: found.items.map((list) => listJson(list, date)),
        ...pageJson(found, page, pageSize)
      })),
    createList: ({ payload }) => Effect.flatMap(lists.create(payload), created),
    importMarkdown: ({ payload }) => Effect.flatMap(lists.importMarkdown(payload), created),
    getList: ({ params, query: { max_text } }) =>
      Effect.flatMap(lists.view(params.id), (view) => tagged(view.list, viewJson(view, max_text), max_text)),
    getListMarkdown: ({ params }) => lists.markdown(params.id),
    getToday: ({ query }) => Effect.flatMap(lists.day(query.date), (view) => viewJson(view, query.max_text)),
    updateList: ({ params, payload }) =>
      Effect.flatMap(lists.update(params.id, payload), (list) => tagged(list, oneList(list))),
    deleteList: ({ params }) => Effect.as(lists.remove(params.id), success)
  } satisfies Operations<"lists">
})

export const layer = serve("lists", operations)
