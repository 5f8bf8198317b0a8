import { Effect } from "effect"
import { bulkCreatedJson, updatedThingJson } from "@lists-and-things/domain/json/BulkJson"
import { thingJson } from "@lists-and-things/domain/json/ThingJson"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { pageSize, Things } from "@lists-and-things/domain/things/Things"
import { EntityTags } from "@lists-and-things/domain/preconditions/EntityTags"
import { Tagged } from "./Conditional.ts"
import { type Operations, seeing, serve } from "./Serve.ts"

/** See docs/contract.md#things. */
const operations = Effect.gen(function* () {
  const things = yield* Things
  const bulk = yield* BulkThings
  const tags = yield* EntityTags
  return {
    listThings: ({ query: { list_id, max_text, ...query } }) =>
      Effect.map(things.page({ ...query, ...(list_id === undefined ? {} : { listId: list_id }) }), (found) => ({
        things: found.items.map((thing) => thingJson(thing, max_text)),
        page: query.page ?? 0,
        page_size: pageSize,
        has_more: found.hasMore
      })),
    createThing: ({ payload }) =>
      Effect.gen(function* () {
        const thing = yield* things.create(payload)
        const tag = yield* tags.ofThing(thing, thing.cloneOf === null ? null : undefined)
        return new Tagged({ thing: thingJson(thing) }, tag)
      }),
    createThings: ({ payload }) => Effect.map(bulk.create(payload), bulkCreatedJson),
    updateThings: ({ payload }) => bulk.update(payload),
    deleteThings: ({ payload }) => Effect.map(bulk.remove(payload.ids), (deleted) => ({ deleted })),
    appendMarkdown: ({ payload }) => Effect.map(bulk.appendMarkdown(payload), bulkCreatedJson),
    getThing: ({ params }) =>
      Effect.map(Effect.flatMap(things.get(params.id), tags.ofView), ({ body, tag }) => new Tagged(body, tag)),
    updateThing: seeing(
      ({ params }) => things.see(params.id),
      ({ params, payload }, seen) =>
        Effect.gen(function* () {
          const updated = yield* things.update(params.id, payload, seen)
          const tag = yield* tags.ofThing(updated.thing, updated.reminder ?? null)
          return new Tagged(updatedThingJson(updated), tag)
        })
    ),
    deleteThing: ({ params }) => Effect.as(things.remove(params.id), { success: true })
  } satisfies Operations<"things">
})

export const layer = serve("things", operations)
