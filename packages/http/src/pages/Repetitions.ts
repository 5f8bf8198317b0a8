import { Effect } from "effect"
import { Operations } from "@lists-and-things/domain/history/Operations"
import type { OperationCall } from "@lists-and-things/domain/model/CurrentOperation"
import type { NotFound } from "@lists-and-things/domain/model/Errors"
import { hasEffect } from "@lists-and-things/domain/model/Operation"
import { shownAt } from "./IdempotentForms.ts"
import type { HistoryFilter } from "./Notices.ts"

/**
 * Deletes a thing or a list as a form says. If it is gone already, because the form was sent twice or another page was
 * faster, the operation that took it away counts as that of the form, so that the next page names it and offers its
 * undo.
 */
export const makeRemovals = Effect.map(
  Operations,
  (operations) =>
    <E, R>(removed: HistoryFilter, call: OperationCall, remove: Effect.Effect<void, E | NotFound, R>) =>
      Effect.gen(function* () {
        yield* Effect.catchTag(remove, "NotFound", () => Effect.void)
        if (call.recorded !== undefined) return
        call.recorded = (yield* operations.page(removed)).items[0]?.id
      })
)

/**
 * If a form changed nothing, because its first copy did so already, the operation of that copy counts as that of the
 * form: the newest one of what it changes, which this browser left since the form was shown.
 */
export const makeRepetitions = Effect.map(Operations, (operations) =>
  Effect.fnUntraced(function* (changed: HistoryFilter, call: OperationCall, fields: URLSearchParams) {
    const since = shownAt(fields)
    if (call.recorded !== undefined || since === undefined) return
    const [newest] = (yield* operations.page(changed)).items
    if (newest === undefined || newest.at <= since || newest.undoneBy !== null) return
    if (newest.name === call.name && newest.by.id === call.by.id && hasEffect(newest)) call.recorded = newest.id
  })
)
