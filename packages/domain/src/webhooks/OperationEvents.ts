import { Effect } from "effect"
import { makeEntityViews } from "../history/EntityViews.ts"
import { entityJson, operationJson } from "../json/OperationJson.ts"
import type { StorageUnavailable } from "../model/Errors.ts"
import type { Operation } from "../model/Operation.ts"
import { utf8Bytes } from "../model/Size.ts"
import type { Notification } from "../model/Webhook.ts"
import { HistoryStore } from "../ports/HistoryStore.ts"
import { eventBody } from "./Formats.ts"
import { traced } from "../scheduling/Traced.ts"

/** Entities of one event. */
const maxEntities = 100
/** Bytes of one event. */
const maxBytes = 20_000
/** How many entities are read at a time: one alone may hold more text than an event. */
const steps = [4, 20, maxEntities] as const

/** The body of the event of an operation: as many of its entities as fit, in their order. */
export const makeOperationEvents = Effect.gen(function* () {
  const history = yield* HistoryStore
  const viewsOf = yield* makeEntityViews

  const first = Effect.fnUntraced(function* (operation: Operation, zone: string, count: number) {
    const changed = yield* history.entities(operation.owner, operation.at, count)
    if (changed === undefined) return { entities: [], isWhole: false, fits: false }
    const views = yield* viewsOf({ owner: operation.owner, zone, at: operation.at, changes: changed.items })
    let left = maxBytes - utf8Bytes(bodyOf(operation, [], false))
    const entities: Array<object> = []
    for (const view of views) {
      const entity = entityJson(view)
      left -= utf8Bytes(JSON.stringify(entity)) + 1
      if (left < 0) return { entities, isWhole: false, fits: false }
      entities.push(entity)
    }
    return { entities, isWhole: !changed.hasMore, fits: true }
  })

  return traced("OperationEvents.bodyOf")(function* (
    operation: Operation,
    zone: string
  ): Effect.fn.Return<string, StorageUnavailable> {
    let read = yield* first(operation, zone, steps[0])
    for (const count of steps.slice(1)) {
      if (read.isWhole || !read.fits) break
      read = yield* first(operation, zone, count)
    }
    return bodyOf(operation, read.entities, !read.isWhole)
  })
})

const bodyOf = (operation: Operation, entities: ReadonlyArray<object>, truncated: boolean): string =>
  eventBody("operation", operation.at, { operation: operationJson(operation), entities, truncated })

export const operationNotification = ({ by, summary }: Operation): Notification => ({
  title: by.name === "" ? "Lists and Things" : `Lists and Things: ${by.name}`,
  text: summary,
  path: "/account/history",
  tag: "pencil2"
})
