import { Effect } from "effect"
import type { AccountId } from "../model/Ids.ts"
import type { ListRef } from "../ports/ListStore.ts"
import { SizeStore } from "../ports/SizeStore.ts"
import { type ListWithThings, ThingStore } from "../ports/ThingStore.ts"
import { reserveForRead, smallList } from "../size/AnswerBudget.ts"

/** Reads a list with all that it holds in two steps, so that a large one is read only when there is memory for it. */
export const makeWholeLists = Effect.gen(function* () {
  const things = yield* ThingStore
  const sizes = yield* SizeStore

  /** Whole if it is small. */
  const opened = (owner: AccountId, list: ListRef) => things.listWithThings(owner, list, smallList)

  /** The same list, whole; reserves memory first when it is large. Undefined if it is gone meanwhile. */
  const wholeOf = Effect.fnUntraced(function* (found: ListWithThings) {
    if (found.isWhole) return found
    const { id, owner } = found.list
    const size = yield* sizes.ofList(owner, id)
    if (size === undefined) return undefined
    yield* reserveForRead(owner, size)
    return yield* things.listWithThings(owner, id)
  })

  return { opened, wholeOf }
})
