import { notify } from "@lists-and-things/domain/model/CurrentOperation"
import { runSteps, type Steps } from "@lists-and-things/domain/scheduling/Yielding"
import { inFigures } from "@lists-and-things/domain/text/Wording"
import { Effect } from "effect"
import { maxPageBytes } from "./ListResult.ts"

/** How many of the items, from the first, are at most `maxPageBytes` of JSON together. */
export function* countFitting(items: ReadonlyArray<unknown>): Steps<number> {
  let bytes = 0
  for (const [at, item] of items.entries()) {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1
    if (bytes > maxPageBytes) return at
    yield
  }
  return items.length
}

/**
 * As many of the items as fit into an answer without pages; a notice says so where that is not all. `what` is their
 * plural.
 */
export const fitting = Effect.fnUntraced(function* <A>(items: ReadonlyArray<A>, what: string) {
  const count = yield* runSteps(() => countFitting(items))
  if (count === items.length) return items
  yield* notify(`Only the first ${inFigures(count)} of ${inFigures(items.length)} ${what} are shown.`)
  return items.slice(0, count)
})
