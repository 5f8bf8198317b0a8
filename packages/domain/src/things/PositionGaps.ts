import type { ListId } from "../model/Ids.ts"
import type { Position, Thing } from "../model/Thing.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"

/** Gaps for one thing right after each of several; the things behind them in their lists move on. */
export interface PositionGaps {
  readonly lists: ReadonlyArray<ListId>
  /** The positions after which gaps are opened. */
  readonly of: (listId: ListId) => ReadonlyArray<Position>
  /** The position of a thing afterwards; unchanged where nothing moves it. */
  readonly shifted: (thing: Pick<Thing, "listId" | "position">) => Position
}

/** Gaps right after these things, whatever lists they are in. */
export const gapsAfter = (after: ReadonlyArray<Thing>): PositionGaps => {
  const byList = new Map(
    [...Map.groupBy(after, ({ listId }) => listId)].map(([listId, things]) => [
      listId,
      things.map(({ position }) => position)
    ])
  )
  const sortTimes = new Map([...byList].map(([listId, positions]) => [listId, sequencesBySortTime(positions)]))
  return {
    lists: [...byList.keys()],
    of: (listId) => byList.get(listId) ?? [],
    shifted: ({ listId, position }) => {
      const before = countBefore(sortTimes.get(listId)?.get(position.sortTime), position.sequence)
      return before === 0 ? position : { sortTime: position.sortTime, sequence: position.sequence + before }
    }
  }
}

/** The `sequence`s per sortTime, ascending. */
export const sequencesBySortTime = (
  positions: ReadonlyArray<Position>
): ReadonlyMap<EpochMillis, ReadonlyArray<number>> =>
  new Map(
    [...Map.groupBy(positions, ({ sortTime }) => sortTime)].map(([sortTime, same]) => [
      sortTime,
      same.map(({ sequence }) => sequence).sort((a, b) => a - b)
    ])
  )

/** How many of the ascending numbers are less than `sequence`. */
export const countBefore = (sequences: ReadonlyArray<number> | undefined, sequence: number): number => {
  let [low, high] = [0, sequences?.length ?? 0]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sequences![middle]! < sequence) low = middle + 1
    else high = middle
  }
  return low
}
