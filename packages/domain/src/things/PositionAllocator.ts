import { Effect } from "effect"
import type { StorageUnavailable } from "../model/Errors.ts"
import type { AccountId, ListId } from "../model/Ids.ts"
import type { ThingStore } from "../ports/ThingStore.ts"
import type { Position } from "../model/Thing.ts"

/** Allocates positions within one write; each call takes the earlier ones into account. */
export interface PositionAllocator {
  /**
   * Positions for new things in the order of the call. `created` (epoch milliseconds) puts a thing after those with the
   * same or an earlier time; undefined puts it at the end (docs/decisions.md#order-and-nesting).
   */
  readonly allocate: (
    listId: ListId,
    created: ReadonlyArray<number | undefined>
  ) => Effect.Effect<ReadonlyArray<Position>, StorageUnavailable>
}

interface Known {
  end: Position | undefined
  readonly last: Map<number, number>
}

const later = (a: Position, b: Position | undefined): boolean =>
  b === undefined || a.sortTime > b.sortTime || (a.sortTime === b.sortTime && a.sequence > b.sequence)

/** `date` is the date of the write (`ClockSkew.dateOf`). */
export const positionAllocator = (things: ThingStore["Service"], owner: AccountId, date: number): PositionAllocator => {
  const lists = new Map<ListId, Known>()

  const load = Effect.fnUntraced(function* (listId: ListId, sortTimes: ReadonlyArray<number>) {
    const known: Known = lists.get(listId) ?? { end: yield* things.end(owner, listId), last: new Map() }
    lists.set(listId, known)
    const missing = [...new Set(sortTimes)].filter((sortTime) => !known.last.has(sortTime))
    if (missing.length > 0) {
      const found = yield* things.lastAt(owner, listId, missing)
      for (const sortTime of missing) known.last.set(sortTime, found.get(sortTime) ?? -1)
    }
    return known
  })

  const next = (known: Known, created: number | undefined): Position => {
    const sortTime = created ?? Math.max(date, known.end?.sortTime ?? date)
    const last = Math.max(known.last.get(sortTime) ?? -1, known.end?.sortTime === sortTime ? known.end.sequence : -1)
    const position = { sortTime, sequence: last + 1 }
    known.last.set(sortTime, position.sequence)
    if (later(position, known.end)) known.end = position
    return position
  }

  return {
    allocate: Effect.fnUntraced(function* (listId, created) {
      const known = yield* load(
        listId,
        created.filter((each) => each !== undefined)
      )
      return created.map((each) => next(known, each))
    })
  }
}
