import { Effect } from "effect"
import { instantOf } from "@lists-and-things/domain/days/IsoTime"
import { Changes } from "@lists-and-things/domain/history/Changes"
import { Operations as History, operationsPerPage } from "@lists-and-things/domain/history/Operations"
import { Undo } from "@lists-and-things/domain/history/Undo"
import { type ChangePage, type ChangesJson, changesJson } from "@lists-and-things/domain/json/ChangeJson"
import { operationsJson, operationViewJson, undoneJson } from "@lists-and-things/domain/json/OperationJson"
import { Caller } from "@lists-and-things/domain/model/Caller"
import { Pending } from "@lists-and-things/domain/scheduling/Pending"
import type { Operations } from "./Handlers.ts"
import { serve } from "./Serve.ts"

type Found<E> = ChangePage | Pending<ChangePage, E>
type FoundJson<E> = typeof ChangesJson.Type | Pending<typeof ChangesJson.Type, E>

const foundJson = <E>(found: Found<E>): FoundJson<E> =>
  found instanceof Pending ? found.through(laterJson) : changesJson(found)

const laterJson = <E>(later: Effect.Effect<Found<E>, E>): Effect.Effect<FoundJson<E>, E> => Effect.map(later, foundJson)

/** See docs/decisions.md#history. */
const operations = Effect.gen(function* () {
  const history = yield* History
  const undo = yield* Undo
  const changes = yield* Changes
  return {
    listOperations: ({ query: { by_id, list_id, page = 0, since, thing_id } }) =>
      Effect.gen(function* () {
        const { account } = yield* Caller
        const found = yield* history.page({
          page,
          ...(by_id !== undefined && { byId: by_id }),
          ...(list_id !== undefined && { listId: list_id }),
          ...(thing_id !== undefined && { thingId: thing_id }),
          ...(since !== undefined && { since: instantOf(since, account.timezone) })
        })
        return operationsJson(found, page, operationsPerPage)
      }),
    getOperation: ({ params }) => Effect.map(history.view(params.id), operationViewJson),
    undoOperation: ({ params }) => Effect.map(undo.undo(params.id), undoneJson),
    listChanges: ({ query }) => Effect.map(changes.readOrPending(query), foundJson)
  } satisfies Operations<"history">
})

export const layer = serve("history", operations)
