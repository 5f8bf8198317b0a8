import { Effect } from "effect"
import type { StorageUnavailable } from "../model/Errors.ts"
import type { AccountId, ListId } from "../model/Ids.ts"
import type { ThingStore } from "../ports/ThingStore.ts"
import { byPosition, type Position, type Thing } from "../model/Thing.ts"
import { type EpochMillis, laterOf } from "../model/EpochMillis.ts"

/** A thing that is new in a list. */
export interface Arrival {
  readonly listId: ListId
  /**
   * Puts the thing after those with the same or an earlier time. Undefined puts it at the end
   * (docs/decisions.md#order-and-nesting).
   */
  readonly created?: EpochMillis | undefined
}

/** Allocates positions within one write; each call takes the earlier ones into account. */
export interface PositionAllocator {
  /** Positions in the order of the call. Reads once for all lists. */
  readonly allocate: (arrivals: ReadonlyArray<Arrival>) => Effect.Effect<ReadonlyArray<Position>, StorageUnavailable>
  /** Provides the last position in a list (undefined if it is empty), so that it need not be read. */
  readonly know: (listId: ListId, end: Position | undefined) => void
}

/** What is known of a list to decide where the next thing goes. */
interface Occupied {
  end: Position | undefined
  /** The highest sequence per sortTime, as far as it was asked for. */
  readonly sequences: Map<EpochMillis, number>
}

/** `date` is the date of the write (`ClockSkew.dateOf`). */
export const positionAllocator = (
  things: ThingStore["Service"],
  owner: AccountId,
  date: EpochMillis
): PositionAllocator => {
  const lists = new Map<ListId, Occupied>()

  const know = (listId: ListId, end: Position | undefined): void => {
    if (!lists.has(listId)) lists.set(listId, { end, sequences: new Map(end && [[end.sortTime, end.sequence]]) })
  }

  const loadEnds = Effect.fnUntraced(function* (arrivals: ReadonlyArray<Arrival>) {
    const unknown = [...new Set(arrivals.map(({ listId }) => listId))].filter((listId) => !lists.has(listId))
    const ends = unknown.length === 0 ? new Map<ListId, Position>() : yield* things.ends(owner, unknown)
    for (const listId of unknown) know(listId, ends.get(listId))
  })

  const loadSequences = Effect.fnUntraced(function* (arrivals: ReadonlyArray<Arrival>) {
    const unknown = new Map(
      [...Map.groupBy(arrivals, ({ listId }) => listId)].flatMap(([listId, own]) => {
        const { sequences } = lists.get(listId)!
        const sortTimes = new Set(own.flatMap(({ created }) => created ?? []).filter((each) => !sequences.has(each)))
        return sortTimes.size === 0 ? [] : [[listId, [...sortTimes]] as const]
      })
    )
    if (unknown.size === 0) return
    for (const [listId, last] of yield* things.lastAt(owner, unknown))
      for (const { sequence, sortTime } of last) lists.get(listId)!.sequences.set(sortTime, sequence)
  })

  const next = ({ created, listId }: Arrival): Position => {
    const occupied = lists.get(listId)!
    const { end, sequences } = occupied
    const sortTime = created ?? laterOf(date, end?.sortTime ?? date)
    const position = { sortTime, sequence: (sequences.get(sortTime) ?? -1) + 1 }
    sequences.set(sortTime, position.sequence)
    if (end === undefined || sortTime >= end.sortTime) occupied.end = position
    return position
  }

  return {
    know,
    allocate: Effect.fnUntraced(function* (arrivals) {
      yield* loadEnds(arrivals)
      yield* loadSequences(arrivals)
      return arrivals.map(next)
    })
  }
}

/** Things of one list in its order; the lists in the order of their first things (docs/decisions.md#order-and-nesting). */
export const inPositionOrder = (things: ReadonlyArray<Thing>): ReadonlyArray<Thing> =>
  [...Map.groupBy(things, (thing) => thing.listId).values()].flatMap((group) => group.toSorted(byPosition))
