import type { ListId } from "../model/Ids.ts"
import { isOpen, type Position, rightAfter, type Thing } from "../model/Thing.ts"
import { sortSteps, type Steps } from "../scheduling/Yielding.ts"
import { countBefore, sequencesBySortTime } from "../things/PositionGaps.ts"

/** Positions in lists after which a gap for one thing is opened before the entities are stored, or closed after that. */
export interface Shifts {
  /** After which a gap is closed. */
  readonly closed: ReadonlyMap<ListId, ReadonlyArray<Position>>
  /** After which a gap is opened. */
  readonly opened: ReadonlyMap<ListId, ReadonlyArray<Position>>
}

/** The entities of a type: as they are, and as they are to be. */
export interface Restored<A> {
  readonly now: ReadonlyMap<string, A>
  readonly next: Map<string, A>
  /** The ids of those that the undone operations changed. */
  readonly wanted: ReadonlySet<string>
}

/**
 * Computes former positions in lists in which gaps were opened since (docs/decisions.md#order-and-nesting). A thing that
 * stays in its list keeps its neighbours; one that replaces another takes its current position. When the copy that a
 * completion left is removed, its thing takes its position and the gap is closed; when the copy is restored, the gap
 * is opened again. `next` has the positions between the two shifts: gaps are opened before anything is stored, and
 * closed afterwards.
 */
export function* restoredPositions(
  things: Restored<Thing>
): Steps<{ readonly things: Restored<Thing>; readonly shifts: Shifts }> {
  const closed = new Map<ListId, Array<Position>>()
  const opened = new Map<ListId, Array<Position>>()
  for (const group of yield* groupsOf(things)) {
    const returning = yield* returningCopies(group, things)
    const made = [...returning.values()].map(({ position }) => position)
    const shift = shiftBy(made)
    push(opened, group.listId, made)
    const copies = new Set<string>()
    const leavingAt = bySequenceOf(group.leaving)
    for (const thing of group.staying) {
      yield
      const copy = leavingCopy(leavingAt, thing, things)
      place(things, thing.id, shift((copy ?? thing).position))
      if (copy === undefined) continue
      copies.add(copy.id)
      push(closed, group.listId, [shift(copy.position)])
    }
    for (const [copy, thing] of returning) {
      yield
      const position = shift(thing.position)
      place(things, copy, position)
      place(things, thing.id, rightAfter(position))
    }
    yield* exchangePositions(
      group.leaving.filter(({ id }) => !copies.has(id)),
      group.arriving.filter(({ id }) => !returning.has(id)),
      things
    )
  }
  return { things, shifts: { closed, opened } }
}

/** What the undone operations changed in one list at one sortTime. */
interface Group {
  readonly listId: ListId
  /** As they are now: those that stay there, and those that go or move. */
  readonly staying: Array<Thing>
  readonly leaving: Array<Thing>
  /** As they are to be. */
  readonly arriving: Array<Thing>
}

function* groupsOf({ now, next, wanted }: Restored<Thing>): Steps<Iterable<Group>> {
  const groups = new Map<string, Group>()
  const groupOf = ({ listId, position }: Thing): Group => {
    const key = `${listId} ${position.sortTime}`
    const group = groups.get(key) ?? { listId, staying: [], leaving: [], arriving: [] }
    groups.set(key, group)
    return group
  }
  for (const id of new Set([...wanted, ...next.keys()])) {
    yield
    const [from, to] = [now.get(id), next.get(id)]
    if (from === to) continue
    if (from !== undefined && to !== undefined && groupOf(from) === groupOf(to)) groupOf(from).staying.push(from)
    else {
      if (from !== undefined) groupOf(from).leaving.push(from)
      if (to !== undefined) groupOf(to).arriving.push(to)
    }
  }
  return groups.values()
}

/** Things of one list and sortTime by their sequence; of several with the same sequence, the first. */
const bySequenceOf = (things: ReadonlyArray<Thing>): ReadonlyMap<number, Thing> => {
  const found = new Map<number, Thing>()
  for (const thing of things) if (!found.has(thing.position.sequence)) found.set(thing.position.sequence, thing)
  return found
}

/**
 * The removed copy for which completing a thing had opened a gap: the thing stood at its position, and now stands right
 * after it.
 */
const leavingCopy = (
  leavingAt: ReadonlyMap<number, Thing>,
  { id, position: { sequence } }: Thing,
  { next }: Restored<Thing>
): Thing | undefined => (next.get(id)!.position.sequence < sequence ? leavingAt.get(sequence - 1) : undefined)

/** The restored copies that stand right before a thing that stays, by id, with that thing. */
function* returningCopies({ arriving, staying }: Group, { next }: Restored<Thing>): Steps<ReadonlyMap<string, Thing>> {
  const [movingBack, others] = [new Map<number, Thing>(), new Map<number, Thing>()]
  for (const thing of staying) {
    yield
    const { sequence } = next.get(thing.id)!.position
    const among = thing.position.sequence < sequence ? movingBack : others
    if (!among.has(sequence)) among.set(sequence, thing)
  }
  const returning = new Map<string, Thing>()
  for (const copy of arriving) {
    yield
    const behind = copy.position.sequence + 1
    const thing = movingBack.get(behind) ?? others.get(behind)
    if (thing !== undefined && (movingBack.has(behind) || isLeftBy(next.get(thing.id)!, copy)))
      returning.set(copy.id, thing)
  }
  return returning
}

/** Whether completing a thing left this copy. Positions alone do not show it if gaps were opened since. */
const isLeftBy = (thing: Thing, copy: Thing): boolean =>
  isOpen(thing) && !isOpen(copy) && copy.created === thing.created && copy.text === thing.text

/**
 * Exchanges a completed copy and the thing that its completion moved away: whichever of the two arrives takes the
 * position of the one that leaves. Other arriving things keep their former positions.
 */
function* exchangePositions(
  leaving: ReadonlyArray<Thing>,
  arriving: ReadonlyArray<Thing>,
  things: Restored<Thing>
): Steps<void> {
  const isMoved = ({ id }: Thing): boolean => things.now.has(id) && things.next.has(id)
  const isPart = (thing: Thing): boolean => isMoved(thing) || !isOpen(thing)
  const departing = yield* sortSteps(leaving.filter(isPart), bySequence)
  const incoming = yield* sortSteps(arriving.filter(isPart), bySequence)
  if (departing.length !== incoming.length) return
  for (const [at, newcomer] of incoming.entries()) {
    yield
    const departed = departing[at]!
    if (isMoved(departed) !== isMoved(newcomer) && departed.created === newcomer.created)
      place(things, newcomer.id, departed.position)
  }
}

const bySequence = (a: Thing, b: Thing): number => a.position.sequence - b.position.sequence

const shiftBy = (made: ReadonlyArray<Position>) => {
  const sequences = sequencesBySortTime(made)
  return ({ sequence, sortTime }: Position): Position => ({
    sortTime,
    sequence: sequence + countBefore(sequences.get(sortTime), sequence)
  })
}

const place = ({ next }: Restored<Thing>, id: string, position: Position): void => {
  const thing = next.get(id)!
  const { sequence, sortTime } = thing.position
  if (sortTime !== position.sortTime || sequence !== position.sequence) next.set(id, { ...thing, position })
}

const push = (lists: Map<ListId, Array<Position>>, listId: ListId, positions: ReadonlyArray<Position>): void => {
  if (positions.length === 0) return
  const all = lists.get(listId) ?? []
  for (const position of positions) all.push(position)
  lists.set(listId, all)
}
