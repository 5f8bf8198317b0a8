import { dateOfWrite } from "@lists-and-things/domain/days/ClockSkew"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { AccountId, ListId } from "@lists-and-things/domain/model/Ids"
import { isSame } from "@lists-and-things/domain/model/Operation"
import { growthOf } from "@lists-and-things/domain/model/Size"
import { hasFamily, rightAfter, type Thing } from "@lists-and-things/domain/model/Thing"
import type { KeyedThing, Revision, ThingStore, ThingWithReminder } from "@lists-and-things/domain/ports/ThingStore"
import type { Limits } from "@lists-and-things/domain/size/SizeLimits"
import { positionAllocator } from "@lists-and-things/domain/things/PositionAllocator"
import { Effect } from "effect"
import type { Database } from "../Database.ts"
import { isRepeated, recordKeyed } from "./KeyedWrites.ts"
import { fits, type WriteContext } from "./SingleWrites.ts"
import { dayListOf, type OwnerData, touchLists } from "../OwnerData.ts"

/** Checks before the write begins whether the revision is refused, so that a refused one takes no write timestamp. */
export const reviseIfUnchanged = (
  context: WriteContext,
  ...[owner, seen, revision, keyed]: Parameters<ThingStore["Service"]["reviseIfUnchanged"]>
) =>
  Effect.gen(function* () {
    const { database, limits } = context
    const mayBe = database.read(
      owner,
      (data) =>
        isAsSeen(data, seen) &&
        !isRepeated(data, keyed) &&
        fitsRevised(data, limits, seen.thing, placed(data, seen, revision)),
      false
    )
    if (!(yield* mayBe)) return undefined
    return yield* database.transact(owner, (updated) =>
      Effect.gen(function* () {
        if (!(yield* mayBe)) return undefined
        return yield* write(context, { owner, seen, revision, keyed }, updated)
      })
    )
  })

const isAsSeen = ({ reminders, things }: OwnerData, { reminder, thing }: ThingWithReminder): boolean => {
  const found = things.get(thing.id)
  return found?.updated === thing.updated && !hasFamily(found) && isSame(reminders.get(thing.id), reminder)
}

/** Where the thing goes: its list after the revision, and all things that the revision writes, with that list. */
const placed = (data: OwnerData, seen: ThingWithReminder, revision: Revision | "removed"): Placed => {
  if (revision === "removed") return { moves: false, isNew: false, listId: seen.thing.listId, things: [] }
  const { returns, thing = seen.thing } = revision
  const things = (listId: ListId) => [{ ...thing, listId }, ...(returns === undefined ? [] : [returns.copy])]
  if (returns !== undefined && (data.lists.get(thing.listId)?.day !== null || !returns.staysInList)) {
    const existing = dayListOf(data, returns.dayList.day)
    const listId = existing?.id ?? returns.dayList.id
    return { moves: true, isNew: existing === undefined, listId, things: things(listId) }
  }
  return { moves: thing.listId !== seen.thing.listId, isNew: false, listId: thing.listId, things: things(thing.listId) }
}

interface Placed {
  readonly moves: boolean
  readonly isNew: boolean
  readonly listId: ListId
  readonly things: ReadonlyArray<Thing>
}

const fitsRevised = (data: OwnerData, limits: Limits, before: Thing, { isNew, listId, things }: Placed): boolean =>
  (isNew || data.lists.has(listId)) && fits(data, limits, growthOf([before], things))

interface Wanted {
  readonly owner: AccountId
  readonly seen: ThingWithReminder
  readonly revision: Revision | "removed"
  readonly keyed: KeyedThing | undefined
}

const write = Effect.fnUntraced(function* (
  { database, store }: WriteContext,
  { keyed, owner, revision, seen }: Wanted,
  updated: EpochMillis
) {
  const created = yield* dateOfWrite(updated)
  const place = yield* database.read(owner, (data) => placed(data, seen, revision), nowhere)
  const { isNew, listId } = place
  const touch = database.write(owner, (data) => touchLists(data, [seen.thing.listId, listId], updated))
  if (revision === "removed") {
    yield* touch
    yield* store.remove(owner, [seen.thing.id])
    yield* recordKeyed(database, owner, keyed, seen.thing)
    return seen
  }
  const { returns } = revision
  if (isNew) yield* database.write(owner, ({ lists }) => lists.set(listId, { ...returns!.dayList, created, updated }))
  yield* touch
  const reminder = yield* remind(database, seen, revision, created)
  const position = yield* positionIn(store, seen.thing, revision, { ...place, created })
  const thing = revision.thing === undefined ? seen.thing : { ...revision.thing, listId, position, updated }
  if (revision.thing !== undefined) yield* store.put(owner, [thing])
  if (returns !== undefined) yield* store.insert(owner, [{ ...returns.copy, updated }])
  yield* recordKeyed(database, owner, keyed, thing)
  return { thing, reminder }
})

/** Stores the revised reminder, if any, and returns the reminder that the thing then has. */
const remind = (
  database: Database["Service"],
  seen: ThingWithReminder,
  { reminder }: Revision,
  created: EpochMillis
) => {
  if (reminder === undefined) return Effect.succeed(seen.reminder)
  return database.write(seen.thing.owner, ({ reminders }) => {
    if (reminder === null) return void reminders.delete(seen.thing.id)
    const stored = { created, ...reminder }
    reminders.set(seen.thing.id, stored)
    return stored
  })
}

const positionIn = Effect.fnUntraced(function* (
  store: ThingStore["Service"],
  { owner, position }: Thing,
  { returns }: Revision,
  { created, listId, moves }: Placed & { readonly created: EpochMillis }
) {
  if (moves) {
    const [end] = yield* positionAllocator(store, owner, created).allocate([{ listId }])
    return end!
  }
  if (returns === undefined) return position
  yield* store.openGaps(owner, listId, [position])
  return rightAfter(position)
})

const nowhere: Placed = { moves: false, isNew: false, listId: "" as ListId, things: [] }
