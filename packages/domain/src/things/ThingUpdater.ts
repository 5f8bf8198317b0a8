import { Clock, Context, Effect, Layer } from "effect"
import type { Account } from "../model/Account.ts"
import { dateOfWrite } from "../scheduling/ClockSkew.ts"
import { instantOf } from "../days/IsoTime.ts"
import { DayLists } from "../targets/DayLists.ts"
import { localDateOf } from "../days/Zone.ts"
import { type InvalidInput, type StorageUnavailable } from "../model/Errors.ts"
import { Ids, type ListId, type ThingId } from "../model/Ids.ts"
import type { List } from "../model/List.ts"
import { ListStore } from "../ports/ListStore.ts"
import { ReminderStore } from "../ports/ReminderStore.ts"
import { ThingStore } from "../ports/ThingStore.ts"
import { Capacity } from "../size/Capacity.ts"
import { growthOf } from "../model/Size.ts"
import type { Reminder } from "../model/Reminder.ts"
import { yieldIfDue } from "../scheduling/Yielding.ts"
import { makeUnknownIds } from "../targets/UnknownId.ts"
import { decideCompletion } from "./Completion.ts"
import { Families } from "../targets/Families.ts"
import { positionAllocator, type PositionAllocator } from "./PositionAllocator.ts"
import { roomsIn } from "./Rooms.ts"
import { originalOf, type Thing, type ThingContent } from "../model/Thing.ts"
import { contentChanges, memberChanges, type ThingPatch } from "./ThingPatch.ts"

/** The result of completing a repeating thing: `listId` is the list it is in afterwards. */
export interface RepeatingReminder {
  readonly copyId: ThingId
  /** Epoch milliseconds. */
  readonly nextAt: number
  readonly listId: ListId
}

export interface Changed {
  /** All requested things, as they are afterwards. */
  readonly things: ReadonlyArray<Thing>
  readonly repeating: ReadonlyMap<ThingId, RepeatingReminder>
  readonly reminderRemoved: ReadonlySet<ThingId>
}

/** Applies one patch to many things of one owner, including moves, clones and completions. */
export class ThingUpdater extends Context.Service<
  ThingUpdater,
  {
    /**
     * Applies a non-empty patch to existing things. `target` is the list to move to; things already in it stay where
     * they are. Moved things keep their order within each source list, and source lists follow the order of the call
     * (docs/decisions.md#order-and-nesting). `InvalidInput` also when a list or the account would exceed a size limit:
     * the next occurrence of a thing needs room in its day list, its copy in the account. Inside `Storage.transact`.
     */
    readonly apply: (
      account: Account,
      things: ReadonlyArray<Thing>,
      patch: ThingPatch,
      target: List | undefined,
      writeTimestamp: number
    ) => Effect.Effect<Changed, InvalidInput | StorageUnavailable>
  }
>()("@lists-and-things/domain/things/ThingUpdater") {
  static readonly layer = Layer.effect(
    ThingUpdater,
    Effect.gen(function* () {
      const lists = yield* ListStore
      const store = yield* ThingStore
      const reminders = yield* ReminderStore
      const families = yield* Families
      const days = yield* DayLists
      const capacity = yield* Capacity
      const ids = yield* Ids
      const unknownIds = yield* makeUnknownIds

      /** Completes things, once per family; mutates `changeSet`, which the members of a family share. */
      const complete = Effect.fnUntraced(function* (
        account: Account,
        changeSet: ChangeSet,
        things: ReadonlyArray<Thing>
      ) {
        const found = yield* reminders.ofThings(account.id, [...new Set(things.map(originalOf))])
        const byOriginal = new Map(found.map((reminder) => [reminder.thingId, reminder]))
        const now = yield* Clock.currentTimeMillis
        const removed: Array<ThingId> = []
        const repeating: Array<Repeating> = []
        for (const { id } of things) {
          yield* yieldIfDue
          const thing = changeSet.now(id)
          const original = originalOf(thing)
          const decided = decideCompletion(byOriginal.get(original), account.timezone, now)
          byOriginal.delete(original)
          if (decided._tag === "RemovesReminder") {
            removed.push(original)
            changeSet.reminderRemoved.add(id)
          } else if (decided._tag === "Repeats") {
            const { nextAt, reminder } = decided
            repeating.push({ id, copyId: (yield* ids.next) as ThingId, nextAt, reminder })
          }
        }
        if (removed.length > 0) yield* reminders.remove(account.id, removed)
        if (repeating.length > 0) yield* repeat(account, changeSet, repeating)
      })

      /** Leaves a completed copy in place of each thing, and moves the things to their next occurrences. */
      const repeat = Effect.fnUntraced(function* (
        account: Account,
        changeSet: ChangeSet,
        repeating: ReadonlyArray<Repeating>
      ) {
        const staying = account.repeatMovesToDay
          ? new Set<ListId>()
          : yield* ordinaryLists(account, changeSet, repeating)
        const positions = roomsIn(
          repeating.map(({ id }) => changeSet.now(id)).filter(({ listId }) => staying.has(listId))
        )
        for (const listId of positions.lists) yield* store.makeRoom(account.id, listId, positions.of(listId))
        for (const thing of changeSet.things.values()) {
          const position = positions.shifted(thing)
          if (position !== thing.position) changeSet.set(thing.id, { position })
        }
        for (const { copyId, id, nextAt, reminder } of repeating) {
          yield* yieldIfDue
          const thing = changeSet.now(id)
          changeSet.copies.push({ ...thing, id: copyId, cloneOf: null, hasClones: false })
          shareContent(changeSet, thing, { completed: false, canceled: false })
          if (staying.has(thing.listId))
            changeSet.set(id, { position: { ...thing.position, sequence: thing.position.sequence + 1 } })
          else yield* moveToDay(account, changeSet, id, nextAt)
          yield* reminders.put(reminder)
          changeSet.repeating.set(id, { copyId, nextAt, listId: changeSet.now(id).listId })
        }
      })

      /** Where a repeating thing that stays in its list goes: right after the copy. */
      const ordinaryLists = Effect.fnUntraced(function* (
        account: Account,
        changeSet: ChangeSet,
        repeating: ReadonlyArray<Repeating>
      ) {
        const found = yield* lists.getMany(account.id, [
          ...new Set(repeating.map(({ id }) => changeSet.now(id).listId))
        ])
        return new Set(found.filter((list) => list.day === null).map((list) => list.id))
      })

      const moveToDay = Effect.fnUntraced(function* (
        account: Account,
        changeSet: ChangeSet,
        id: ThingId,
        nextAt: number
      ) {
        const date = localDateOf(account.timezone, nextAt)
        const day = changeSet.days.get(date) ?? (yield* days.ensure(account, date, changeSet.writeTimestamp))
        changeSet.days.set(date, day)
        const [position] = yield* changeSet.positions.allocate(day.id, [undefined])
        changeSet.set(id, { listId: day.id, position: position! })
        changeSet.touched.add(day.id)
      })

      const checkReference = Effect.fnUntraced(function* (account: Account, listRef: ListId | null | undefined) {
        if (listRef && (yield* lists.get(account.id, listRef)) === undefined)
          yield* unknownIds.invalid(account.id, "list_ref", "list", listRef)
      })

      const apply = Effect.fn("ThingUpdater.apply")(function* (
        account: Account,
        things: ReadonlyArray<Thing>,
        patch: ThingPatch,
        target: List | undefined,
        writeTimestamp: number
      ) {
        const content = contentChanges(patch)
        yield* checkReference(account, content.listRef)
        const positions = positionAllocator(store, account.id, yield* dateOfWrite(writeTimestamp))
        const members = yield* families.membersOf(account.id, things)
        const changeSet = makeChangeSet(members, positions, writeTimestamp)
        const member = memberChanges(patch)
        for (const thing of things) changeSet.set(thing.id, member)
        if (Object.keys(content).length > 0)
          for (const family of new Map(things.map((thing) => [originalOf(thing), thing])).values())
            shareContent(changeSet, family, content)
        const moving = target === undefined ? [] : inPlaceOrder(things.filter((thing) => thing.listId !== target.id))
        if (target !== undefined && moving.length > 0) {
          const given = yield* changeSet.positions.allocate(
            target.id,
            moving.map(() => undefined)
          )
          moving.forEach((thing, index) => changeSet.set(thing.id, { listId: target.id, position: given[index]! }))
          for (const thing of moving) changeSet.touched.add(thing.listId)
        }
        if (patch.completed === true || patch.canceled === true) yield* complete(account, changeSet, things)
        const before = [...changeSet.changed].map((id) => members.get(id)!)
        const after = [...changeSet.changed].map(changeSet.now)
        yield* capacity.admit(account.id, growthOf(before, [...after, ...changeSet.copies]))
        yield* store.put(account.id, after)
        if (changeSet.copies.length > 0)
          yield* store.insert(
            account.id,
            changeSet.copies.map((copy) => ({ ...copy, updated: writeTimestamp }))
          )
        for (const { listId } of [...changeSet.copies, ...after]) changeSet.touched.add(listId)
        yield* lists.touch(account.id, [...changeSet.touched], writeTimestamp)
        return {
          things: things.map((thing) => changeSet.now(thing.id)),
          repeating: changeSet.repeating,
          reminderRemoved: changeSet.reminderRemoved
        }
      })

      return ThingUpdater.of({ apply })
    })
  )
}

/** A completed repeating thing: its next reminder, and the id of the copy that stays completed. */
interface Repeating {
  readonly id: ThingId
  readonly copyId: ThingId
  readonly nextAt: number
  readonly reminder: Reminder
}

/** The things that one write has changed so far, each stored once at its end. */
interface ChangeSet {
  readonly things: ReadonlyMap<ThingId, Thing>
  /** The members of each family, by the id of its original. */
  readonly families: ReadonlyMap<ThingId, ReadonlyArray<Thing>>
  /** The day lists that things moved to, by date. */
  readonly days: Map<string, List>
  readonly changed: Set<ThingId>
  readonly touched: Set<ListId>
  readonly copies: Array<Thing>
  readonly repeating: Map<ThingId, RepeatingReminder>
  readonly reminderRemoved: Set<ThingId>
  readonly positions: PositionAllocator
  readonly writeTimestamp: number
  readonly now: (id: ThingId) => Thing
  readonly set: (id: ThingId, changes: Partial<Thing>) => void
}

const makeChangeSet = (
  members: ReadonlyMap<ThingId, Thing>,
  positions: PositionAllocator,
  writeTimestamp: number
): ChangeSet => {
  const things = new Map(members)
  const changed = new Set<ThingId>()
  return {
    things,
    families: Map.groupBy(members.values(), originalOf),
    days: new Map(),
    changed,
    touched: new Set(),
    copies: [],
    repeating: new Map(),
    reminderRemoved: new Set(),
    positions,
    writeTimestamp,
    now: (id) => things.get(id)!,
    set: (id, changes) => {
      things.set(id, { ...things.get(id)!, ...changes, updated: writeTimestamp })
      changed.add(id)
    }
  }
}

/** Sets the content of every member of a thing's family. */
const shareContent = (changeSet: ChangeSet, thing: Thing, content: Partial<ThingContent>): void => {
  if (thing.cloneOf === null && !thing.hasClones) return changeSet.set(thing.id, content)
  for (const { id } of changeSet.families.get(originalOf(thing)) ?? []) changeSet.set(id, content)
}

const inPlaceOrder = (things: ReadonlyArray<Thing>): ReadonlyArray<Thing> =>
  [...Map.groupBy(things, (thing) => thing.listId).values()].flatMap((group) =>
    group.toSorted(
      (a, b) =>
        a.position.sortTime - b.position.sortTime || a.position.sequence - b.position.sequence || (a.id < b.id ? -1 : 1)
    )
  )

/** Whether the client names an occurrence that the reminder has already passed (docs/decisions.md#completing). */
export const isPastOccurrence = (occurrence: string, reminder: Reminder | undefined, zone: string): boolean =>
  reminder?.trigger._tag !== "Time" || reminder.trigger.at !== instantOf(occurrence, zone)
