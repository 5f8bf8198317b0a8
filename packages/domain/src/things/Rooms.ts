import type { ListId } from "../Ids.ts"
import type { Place, Thing } from "./Thing.ts"

/** Room for one thing right after each of some: what stands behind them in their lists moves on. */
export interface Rooms {
  readonly lists: ReadonlyArray<ListId>
  /** The places after which there is room. */
  readonly of: (listId: ListId) => ReadonlyArray<Place>
  /** Where a thing stands then; the same place where nothing moves it. */
  readonly shifted: (thing: Pick<Thing, "listId" | "place">) => Place
}

export const roomsIn = (after: ReadonlyArray<Thing>): Rooms => {
  const byList = new Map(
    [...Map.groupBy(after, ({ listId }) => listId)].map(([listId, things]) => [
      listId,
      things.map(({ place }) => place)
    ])
  )
  const ranks = new Map([...byList].map(([listId, places]) => [listId, seqsByRank(places)]))
  return {
    lists: [...byList.keys()],
    of: (listId) => byList.get(listId) ?? [],
    shifted: ({ listId, place }) => {
      const before = countBefore(ranks.get(listId)?.get(place.rank), place.seq)
      return before === 0 ? place : { rank: place.rank, seq: place.seq + before }
    }
  }
}

/** The `seq`s at each rank, ascending. */
export const seqsByRank = (places: ReadonlyArray<Place>): ReadonlyMap<number, ReadonlyArray<number>> =>
  new Map(
    [...Map.groupBy(places, ({ rank }) => rank)].map(([rank, same]) => [
      rank,
      same.map(({ seq }) => seq).sort((a, b) => a - b)
    ])
  )

/** How many of ascending numbers are less than `seq`. */
export const countBefore = (seqs: ReadonlyArray<number> | undefined, seq: number): number => {
  let [low, high] = [0, seqs?.length ?? 0]
  while (low < high) {
    const middle = (low + high) >> 1
    if (seqs![middle]! < seq) low = middle + 1
    else high = middle
  }
  return low
}
