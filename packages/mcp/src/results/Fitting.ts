import { notify } from "@lists-and-things/domain/model/CurrentOperation"
import { runSteps, type Steps } from "@lists-and-things/domain/scheduling/Yielding"
import { inFigures } from "@lists-and-things/domain/text/Wording"
import { Effect } from "effect"
import { maxPageBytes } from "./ListResult.ts"

/** The number of leading items whose JSON fits into `maxPageBytes`. */
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
 * The leading items that fit into an answer without pages. Adds a notice if items are left out; `what` is their plural.
 */
export const fitting = Effect.fnUntraced(function* <A>(items: ReadonlyArray<A>, what: string) {
  const count = yield* runSteps(() => countFitting(items))
  if (count === items.length) return items
  yield* notify(`Only the first ${inFigures(count)} of ${inFigures(items.length)} ${what} are shown.`)
  return items.slice(0, count)
})
