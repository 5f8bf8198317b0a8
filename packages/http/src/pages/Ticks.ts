import { Effect } from "effect"
import { Operations } from "@lists-and-things/domain/history/Operations"
import type { UpdateThingInput } from "@lists-and-things/domain/json/ThingInput"
import type { OperationCall } from "@lists-and-things/domain/model/CurrentOperation"
import { Things } from "@lists-and-things/domain/things/Things"
import { makeRunOnce } from "./IdempotentForms.ts"

/**
 * Changes a thing as a form says. A form that means one occurrence and is sent again, because its answer was lost, ends
 * as the first time, unless that was undone since.
 */
export const makeTicks = Effect.gen(function* () {
  const things = yield* Things
  const operations = yield* Operations
  const runOnce = yield* makeRunOnce

  const isInEffect = (id: string) =>
    operations.get(id).pipe(
      Effect.map(({ undoneBy }) => undoneBy === null),
      Effect.catchTag("NotFound", () => Effect.succeed(false))
    )

  return Effect.fnUntraced(function* (
    fields: URLSearchParams,
    id: string,
    patch: UpdateThingInput,
    call: OperationCall
  ) {
    let isFirst = false
    const update = Effect.map(things.update(id, patch), () => {
      isFirst = true
      return "ticked"
    })
    if (patch.occurrence === undefined) return yield* update
    yield* runOnce(fields, "tickThing", update)
    if (isFirst || (call.recorded !== undefined && (yield* isInEffect(call.recorded)))) return
    call.recorded = undefined
    yield* update
  })
})
