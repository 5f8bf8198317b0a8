import { Effect } from "effect"
import { bulkCreatedJson } from "@lists-and-things/domain/json/BulkJson"
import { Shown } from "@lists-and-things/domain/json/JsonEncoding"
import { pageJson } from "@lists-and-things/domain/json/PageJson"
import { thingJson, updatedThingJson } from "@lists-and-things/domain/json/ThingJson"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { pageSize, Things } from "@lists-and-things/domain/things/Things"
import { EntityTags } from "@lists-and-things/domain/preconditions/EntityTags"
import { Preconditions } from "@lists-and-things/domain/preconditions/Preconditions"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import type { UpdatedThing } from "@lists-and-things/domain/things/SingleStatementUpdate"
import { answering, matching, success, Tagged } from "./Conditional.ts"
import { type Operations, prefetching, withSingleStatement } from "./Handlers.ts"
import { serve } from "./Serve.ts"

const createdJson = (thing: Thing) => ({ thing: thingJson(thing) })

const tagged = <A, E, R>(value: A, tag: Effect.Effect<string, E, R>) => Effect.map(tag, (tag) => new Tagged(value, tag))

/** See docs/contract.md#things. */
const operations = Effect.gen(function* () {
  const things = yield* Things
  const bulk = yield* BulkThings
  const tags = yield* EntityTags
  const whenMatching = matching(yield* Preconditions)

  const taggedUpdate = (updated: UpdatedThing) =>
    tagged(updatedThingJson(updated), tags.ofThing(updated.thing, updated.reminder ?? null))

  return {
    listThings: ({ query: { list_id, max_text, ...query } }) =>
      Effect.map(things.page({ ...query, ...(list_id === undefined ? {} : { listId: list_id }) }), (found) => ({
        things: Shown.as(found.items, (thing) => thingJson(thing, max_text)),
        ...pageJson(found, query.page ?? 0, pageSize)
      })),
    createThing: withSingleStatement(
      ({ payload }) =>
        Effect.flatMap(things.create(payload), (thing) =>
          tagged(createdJson(thing), tags.ofThing(thing, thing.cloneOf === null ? null : undefined))
        ),
      ({ payload }, _, { keyed }) =>
        keyed === undefined
          ? Effect.undefined
          : Effect.flatMap(things.createKeyed(payload, answering(keyed, createdJson)), (thing) =>
              thing === undefined ? Effect.undefined : tagged(createdJson(thing), tags.ofThing(thing, null))
            )
    ),
    createThings: ({ payload }) => Effect.map(bulk.create(payload), bulkCreatedJson),
    updateThings: ({ payload }) => bulk.update(payload, "set."),
    deleteThings: ({ payload }) => Effect.map(bulk.remove(payload.ids), (deleted) => ({ deleted })),
    appendMarkdown: ({ payload }) => Effect.map(bulk.appendMarkdown(payload), bulkCreatedJson),
    getThing: ({ params }) =>
      Effect.map(Effect.flatMap(things.get(params.id), tags.ofView), ({ body, tag }) => new Tagged(body, tag)),
    updateThing: prefetching(
      ({ params }) => things.prefetch(params.id),
      ({ params, payload }, seen) => Effect.flatMap(things.update(params.id, payload, seen), taggedUpdate),
      ({ params, payload }, seen, conditions) =>
        whenMatching(seen, conditions, (seen, keyed) =>
          Effect.flatMap(
            things.updateIfUnchanged(params.id, payload, seen, keyed && answering(keyed, updatedThingJson)),
            (updated) => (updated === undefined ? Effect.undefined : taggedUpdate(updated))
          )
        )
    ),
    deleteThing: prefetching(
      ({ params }) => things.prefetch(params.id),
      ({ params }, seen) => Effect.as(things.remove(params.id, seen), success),
      (_, seen, conditions) =>
        whenMatching(seen, conditions, (seen, keyed) =>
          Effect.map(things.removeIfUnchanged(seen, keyed && answering(keyed, () => success)), (gone) =>
            gone ? new Tagged(success, undefined) : undefined
          )
        )
    )
  } satisfies Operations<"things">
})

export const layer = serve("things", operations)
