import { Effect } from "effect"
import { bulkCreatedJson, updatedThingJson } from "@lists-and-things/domain/json/BulkJson"
import { Shown } from "@lists-and-things/domain/json/JsonEncoding"
import { thingJson } from "@lists-and-things/domain/json/ThingJson"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { pageSize, Things } from "@lists-and-things/domain/things/Things"
import { EntityTags } from "@lists-and-things/domain/preconditions/EntityTags"
import { Preconditions } from "@lists-and-things/domain/preconditions/Preconditions"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { answering, Tagged } from "./Conditional.ts"
import { type Operations, orAtOnce, seeing, serve } from "./Serve.ts"

const success = { success: true } as const

const createdJson = (thing: Thing) => ({ thing: thingJson(thing) })

/** See docs/contract.md#things. */
const operations = Effect.gen(function* () {
  const things = yield* Things
  const bulk = yield* BulkThings
  const tags = yield* EntityTags
  const preconditions = yield* Preconditions
  return {
    listThings: ({ query: { list_id, max_text, ...query } }) =>
      Effect.map(things.page({ ...query, ...(list_id === undefined ? {} : { listId: list_id }) }), (found) => ({
        things: Shown.as(found.items, (thing) => thingJson(thing, max_text)),
        page: query.page ?? 0,
        page_size: pageSize,
        has_more: found.hasMore
      })),
    createThing: orAtOnce(
      ({ payload }) =>
        Effect.gen(function* () {
          const thing = yield* things.create(payload)
          const tag = yield* tags.ofThing(thing, thing.cloneOf === null ? null : undefined)
          return new Tagged(createdJson(thing), tag)
        }),
      ({ payload }, _, { keyed }) =>
        Effect.gen(function* () {
          const thing = keyed && (yield* things.createKeyed(payload, answering(keyed, createdJson)))
          return thing && new Tagged(createdJson(thing), yield* tags.ofThing(thing, null))
        })
    ),
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
        }),
      ({ params, payload }, seen, { expected, keyed }) =>
        Effect.gen(function* () {
          if (seen === undefined) return undefined
          if (expected !== undefined && !(yield* preconditions.isMatch(seen, expected))) return undefined
          const updated = yield* things.updateSeen(
            params.id,
            payload,
            seen,
            keyed && answering(keyed, updatedThingJson)
          )
          return (
            updated &&
            new Tagged(updatedThingJson(updated), yield* tags.ofThing(updated.thing, updated.reminder ?? null))
          )
        })
    ),
    deleteThing: seeing(
      ({ params }) => things.see(params.id),
      ({ params }, seen) => Effect.as(things.remove(params.id, seen), success),
      (_, seen, { expected, keyed }) =>
        Effect.gen(function* () {
          if (seen === undefined) return undefined
          if (expected !== undefined && !(yield* preconditions.isMatch(seen, expected))) return undefined
          const gone = yield* things.removeSeen(seen, keyed && answering(keyed, () => success))
          return gone ? new Tagged(success, undefined) : undefined
        })
    )
  } satisfies Operations<"things">
})

export const layer = serve("things", operations)
