import { Effect } from "effect"
import { bulkCreatedJson, updatedThingJson } from "@lists-and-things/domain/json/BulkJson"
import { reminderJson } from "@lists-and-things/domain/json/ReminderJson"
import { thingJson } from "@lists-and-things/domain/json/ThingJson"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { pageSize, Things } from "@lists-and-things/domain/things/Things"
import { type Operations, serve } from "./Serve.ts"

/** See docs/contract.md#things. */
const operations = Effect.gen(function* () {
  const things = yield* Things
  const bulk = yield* BulkThings
  return {
    listThings: ({ query: { list_id, max_text, ...query } }) =>
      Effect.map(things.page({ ...query, ...(list_id === undefined ? {} : { listId: list_id }) }), (found) => ({
        things: found.items.map((thing) => thingJson(thing, max_text)),
        page: query.page ?? 0,
        page_size: pageSize,
        has_more: found.hasMore
      })),
    createThing: ({ payload }) => Effect.map(things.create(payload), (thing) => ({ thing: thingJson(thing) })),
    createThings: ({ payload }) => Effect.map(bulk.create(payload), bulkCreatedJson),
    updateThings: ({ payload }) => bulk.update(payload),
    deleteThings: ({ payload }) => Effect.map(bulk.remove(payload.ids), (deleted) => ({ deleted })),
    appendMarkdown: ({ payload }) => Effect.map(bulk.appendMarkdown(payload), bulkCreatedJson),
    getThing: ({ params }) =>
      Effect.map(things.get(params.id), ({ reminder, thing }) => ({
        thing: thingJson(thing),
        reminder: reminder === null ? null : reminderJson(reminder)
      })),
    updateThing: ({ params, payload }) => Effect.map(things.update(params.id, payload), updatedThingJson),
    deleteThing: ({ params }) => Effect.as(things.remove(params.id), { success: true })
  } satisfies Operations<"things">
})

export const layer = serve("things", operations)
