import { Effect } from "effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { bulkCreatedJson, updatedThingJson } from "@lists-and-things/domain/json/BulkJson"
import { reminderJson } from "@lists-and-things/domain/json/ReminderJson"
import {
  AppendMarkdownInput,
  BulkCreateInput,
  BulkDeleteInput,
  BulkUpdateInput,
  CreateThingInput,
  UpdateThingInput
} from "@lists-and-things/domain/json/ThingInput"
import { thingJson } from "@lists-and-things/domain/json/ThingJson"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { pageSize, Things } from "@lists-and-things/domain/things/Things"
import { Api } from "../api/Api.ts"
import { answer, makeWrites } from "./Answer.ts"

/** Contract, "Things". */
export const layer = HttpApiBuilder.group(
  Api,
  "things",
  Effect.fnUntraced(function* (handlers) {
    const things = yield* Things
    const bulk = yield* BulkThings
    const writes = yield* makeWrites
    const create = writes.withBody(CreateThingInput, 201)
    const createMany = writes.withBody(BulkCreateInput, 201)
    const updateMany = writes.withBody(BulkUpdateInput)
    const removeMany = writes.withBody(BulkDeleteInput)
    const append = writes.withBody(AppendMarkdownInput, 201)
    const update = writes.withBody(UpdateThingInput)

    return handlers
      .handleRaw("listThings", ({ query: { list_id, max_text, ...query } }) =>
        answer(things.page({ ...query, ...(list_id === undefined ? {} : { listId: list_id }) }), (found) => ({
          things: found.items.map((thing) => thingJson(thing, max_text)),
          page: query.page ?? 0,
          page_size: pageSize,
          has_more: found.hasMore
        }))
      )
      .handleRaw("createThing", ({ request }) =>
        create(request, (input) => Effect.map(things.create(input), (thing) => ({ thing: thingJson(thing) })))
      )
      .handleRaw("createThings", ({ request }) =>
        createMany(request, (input) => Effect.map(bulk.create(input), bulkCreatedJson))
      )
      .handleRaw("updateThings", ({ request }) => updateMany(request, bulk.update))
      .handleRaw("deleteThings", ({ request }) =>
        removeMany(request, (input) => Effect.map(bulk.remove(input.ids), (deleted) => ({ deleted })))
      )
      .handleRaw("appendMarkdown", ({ request }) =>
        append(request, (input) => Effect.map(bulk.appendMarkdown(input), bulkCreatedJson))
      )
      .handleRaw("getThing", ({ params }) =>
        answer(things.get(params.id), ({ reminder, thing }) => ({
          thing: thingJson(thing),
          reminder: reminder === null ? null : reminderJson(reminder)
        }))
      )
      .handleRaw("updateThing", ({ params, request }) =>
        update(request, (input) => Effect.map(things.update(params.id, input), updatedThingJson))
      )
      .handleRaw("deleteThing", ({ params, request }) =>
        writes.withoutBody(request, Effect.as(things.remove(params.id), { success: true }))
      )
  })
)
