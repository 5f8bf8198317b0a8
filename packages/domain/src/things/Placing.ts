import { Effect } from "effect"
import type { StorageUnavailable } from "../Errors.ts"
import type { AccountId, ListId } from "../Ids.ts"
import type { ThingStore } from "../ports/ThingStore.ts"
import type { Place } from "./Thing.ts"

/** Hands out places within one write; each call sees the places that the earlier ones handed out. */
export interface Placing {
  /**
   * Places for new things in the order of the call. `created` (epoch milliseconds) puts a thing among those
   * of its time, behind the ones with the same; undefined puts it at the end (decisions 6).
   */
  readonly places: (
    listId: ListId,
    created: ReadonlyArray<number | undefined>
  ) => Effect.Effect<ReadonlyArray<Place>, StorageUnavailable>
}

interface Known {
  end: Place | undefined
  readonly last: Map<number, number>
}

const later = (a: Place, b: Place | undefined): boolean =>
  b === undefined || a.rank > b.rank || (a.rank === b.rank && a.seq > b.seq)

/** `date` is what the write is dated with (`ClockSkew.dateOf`). */
export const placing = (things: ThingStore["Service"], owner: AccountId, date: number): Placing => {
  const lists = new Map<ListId, Known>()

  const load = Effect.fnUntraced(function* (listId: ListId, ranks: ReadonlyArray<number>) {
    const known: Known = lists.get(listId) ?? { end: yield* things.end(owner, listId), last: new Map() }
    lists.set(listId, known)
    const missing = [...new Set(ranks)].filter((rank) => !known.last.has(rank))
    if (missing.length > 0) {
      const found = yield* things.lastAt(owner, listId, missing)
      for (const rank of missing) known.last.set(rank, found.get(rank) ?? -1)
    }
    return known
  })

  const next = (known: Known, created: number | undefined): Place => {
    const rank = created ?? Math.max(date, known.end?.rank ?? date)
    const last = Math.max(known.last.get(rank) ?? -1, known.end?.rank === rank ? known.end.seq : -1)
    const place = { rank, seq: last + 1 }
    known.last.set(rank, place.seq)
    if (later(place, known.end)) known.end = place
    return place
  }

  return {
    places: Effect.fnUntraced(function* (listId, created) {
      const known = yield* load(
        listId,
        created.filter((each) => each !== undefined)
      )
      return created.map((each) => next(known, each))
    })
  }
}
