import { dateOfWrite } from "@lists-and-things/domain/days/ClockSkew"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { AccountId, ListId } from "@lists-and-things/domain/model/Ids"
import { isSame } from "@lists-and-things/domain/model/Operation"
import { growthOf, nothing, plus } from "@lists-and-things/domain/model/Size"
import type { Position, Thing } from "@lists-and-things/domain/model/Thing"
import type { KeyedThing, Revision, ThingStore, ThingWithReminder } from "@lists-and-things/domain/ports/ThingStore"
import { type Limits, overLimit } from "@lists-and-things/domain/size/SizeLimits"
import { positionAllocator } from "@lists-and-things/domain/things/PositionAllocator"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { isRepeated, recordKeyed } from "./KeyedWrites.ts"
import { dayListOf, type OwnerData } from "./OwnerData.ts"

/** What refuses it is found out before the write begins, which then takes no write timestamp. */
export const reviseSeen = (
  database: Database["Service"],
  store: ThingStore["Service"],
  limits: Limits,
  ...[owner, seen, revision, keyed]: Parameters<ThingStore["Service"]["reviseSeen"]>
) =>
  Effect.gen(function* () {
    const mayBe = database.read(
      owner,
      (data) =>
        isAsSeen(data, seen) && !isRepeated(data, keyed) && fits(data, limits, seen.thing, placed(data, revision)),
      false
    )
    if (!(yield* mayBe)) return undefined
    return yield* database.transact(owner, (updated) =>
      Effect.gen(function* () {
        if (!(yield* mayBe)) return undefined
        return yield* write(database, store, owner, { seen, revision, keyed }, updated)
      })
    )
  })

const isAsSeen = ({ reminders, things }: OwnerData, { reminder, thing }: ThingWithReminder): boolean => {
  const found = things.get(thing.id)
  return (
    found?.updated === thing.updated &&
    found.cloneOf === null &&
    !found.hasClones &&
    isSame(reminders.get(thing.id), reminder)
  )
}

/** The list in which the thing is afterwards, and the things of the revision in their lists. */
const placed = (data: OwnerData, { returns, thing }: Revision) => {
  const moves = returns !== undefined && (data.lists.get(thing.listId)?.day !== null || !returns.staysInList)
  const existing = moves ? dayListOf(data, returns.dayList.day) : undefined
  const listId: ListId = moves ? (existing?.id ?? returns.dayList.id) : thing.listId
  const things = [{ ...thing, listId }, ...(returns === undefined ? [] : [returns.copy])]
  return { moves, isNew: moves && existing === undefined, listId, things }
}

const fits = (
  data: OwnerData,
  limits: Limits,
  before: Thing,
  { things }: { readonly things: ReadonlyArray<Thing> }
): boolean => {
  const growth = growthOf([before], things)
  return (
    [...growth].every(([id, size]) => overLimit("", limits.list, data.sizes.get(id) ?? nothing, size) === undefined) &&
    overLimit("", limits.account, data.size, [...growth.values()].reduce(plus, nothing)) === undefined
  )
}

interface Wanted {
  readonly seen: ThingWithReminder
  readonly revision: Revision
  readonly keyed: KeyedThing | undefined
}

const write = Effect.fnUntraced(function* (
  database: Database["Service"],
  store: ThingStore["Service"],
  owner: AccountId,
  { keyed, revision, seen }: Wanted,
  updated: EpochMillis
) {
  const { returns } = revision
  const created = yield* dateOfWrite(updated)
  const { isNew, listId, moves } = yield* database.read(owner, (data) => placed(data, revision), nowhere)
  let { position } = seen.thing
  if (moves) {
    const [end] = yield* positionAllocator(store, owner, created).allocate([{ listId }])
    position = end!
  } else if (returns !== undefined) {
    yield* store.makeRoom(owner, listId, [position])
    position = behind(position)
  }
  const thing = { ...revision.thing, listId, position, updated }
  yield* database.write(
    owner,
    (data) => {
      if (isNew) data.lists.set(listId, { ...returns!.dayList, created, updated })
      if (revision.reminder === undefined) data.reminders.delete(thing.id)
      else if (!isSame(revision.reminder, seen.reminder)) data.reminders.set(thing.id, revision.reminder)
      for (const id of new Set([seen.thing.listId, listId])) data.lists.adjust(id, { ...data.lists.get(id)!, updated })
    },
    undefined
  )
  yield* store.put(owner, [thing])
  if (returns !== undefined) yield* store.insert(owner, [{ ...returns.copy, updated }])
  yield* recordKeyed(database, owner, keyed, thing)
  return thing
})

const nowhere: ReturnType<typeof placed> = { moves: false, isNew: false, listId: "" as ListId, things: [] }

const behind = ({ sequence, sortTime }: Position): Position => ({ sortTime, sequence: sequence + 1 })
