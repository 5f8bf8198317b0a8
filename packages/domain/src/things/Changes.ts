import { Clock, Context, Effect, Layer } from "effect"
import type { Account } from "../caller/Account.ts"
import { dateOfWrite } from "../ClockSkew.ts"
import { instantOf } from "../days/IsoTime.ts"
import { DayLists } from "../days/DayLists.ts"
import { localDateOf } from "../days/Zone.ts"
import { InvalidInput, type StorageUnavailable } from "../Errors.ts"
import { Ids, type ListId, type ThingId } from "../Ids.ts"
import type { List } from "../lists/List.ts"
import { ListStore } from "../ports/ListStore.ts"
import { ReminderStore } from "../ports/ReminderStore.ts"
import { ThingStore } from "../ports/ThingStore.ts"
import { Capacity } from "../size/Capacity.ts"
import { growthOf } from "../size/Size.ts"
import type { Reminder } from "../reminders/Reminder.ts"
import { decideCompletion } from "./Completion.ts"
import { Families } from "./Families.ts"
import { placing, type Placing } from "./Placing.ts"
import { contentKeys, originalOf, type Thing } from "./Thing.ts"
import { contentChanges, memberChanges, type ThingPatch } from "./ThingPatch.ts"

/** What became of a completed repeating thing: `listId` is the list it is in afterwards. */
export interface RepeatingReminder {
  readonly copyId: ThingId
  /** Epoch milliseconds. */
  readonly nextAt: number
  readonly listId: ListId
}

export interface Changed {
  /** Every thing asked for, as it is afterwards. */
  readonly things: ReadonlyArray<Thing>
  readonly repeating: ReadonlyMap<ThingId, RepeatingReminder>
  readonly reminderRemoved: ReadonlySet<ThingId>
}

/** One patch to many things of one owner, with all that follows from it: moves, clones, completions. */
export class Changes extends Context.Service<
  Changes,
  {
    /**
     * Applies a patch that changes something to things that exist. `target` is the list they move to; the ones
     * already there stay where they are. Moves keep the order that the things have in their lists, and the
     * lists in the order of the call (decisions 6). `InvalidInput` also when a list or the account would hold too
     * much afterwards: the next occurrence of a thing needs room in its day's list, its copy in the account.
     * Inside `Storage.transact`.
     */
    readonly apply: (
      account: Account,
      things: ReadonlyArray<Thing>,
      patch: ThingPatch,
      target: List | undefined,
      stamp: number
    ) => Effect.Effect<Changed, InvalidInput | StorageUnavailable>
  }
>()("@lists-and-things/domain/things/Changes") {
  static readonly layer = Layer.effect(
    Changes,
    Effect.gen(function* () {
      const lists = yield* ListStore
      const store = yield* ThingStore
      const reminders = yield* ReminderStore
      const families = yield* Families
      const days = yield* DayLists
      const capacity = yield* Capacity
      const ids = yield* Ids

      /** Completes one thing; edits `work` in place of returning it, since members of a family share it. */
      const complete = Effect.fnUntraced(function* (
        account: Account,
        work: Work,
        thing: Thing,
        reminder: Reminder | undefined
      ) {
        const decided = decideCompletion(reminder, account.timezone, yield* Clock.currentTimeMillis)
        if (decided._tag === "Plain") return
        if (decided._tag === "RemovesReminder") {
          yield* reminders.remove(account.id, [originalOf(thing)])
          work.reminderRemoved.add(thing.id)
          return
        }
        const copyId = (yield* ids.next) as ThingId
        work.copies.push({ ...thing, id: copyId, cloneOf: null, hasClones: false })
        shareContent(work, thing, { completed: false, canceled: false })
        yield* moveOn(account, work, thing, decided.nextAt)
        yield* reminders.put(decided.reminder)
        work.repeating.set(thing.id, { copyId, nextAt: decided.nextAt, listId: work.now(thing.id).listId })
      })

      /** Where a repeating thing waits for its next occurrence: that day's list, or right after the copy. */
      const moveOn = Effect.fnUntraced(function* (account: Account, work: Work, thing: Thing, nextAt: number) {
        const stays = !account.repeatMovesToDay && (yield* lists.get(account.id, thing.listId))?.day === null
        if (stays) {
          yield* store.makeRoom(account.id, thing.listId, thing.place)
          for (const [id, other] of work.things) if (isBehind(other, thing)) work.set(id, { place: shifted(other) })
          work.set(thing.id, { place: shifted(thing) })
          return
        }
        const day = yield* days.ensure(account, localDateOf(account.timezone, nextAt), work.stamp)
        const [place] = yield* work.placing.places(day.id, [undefined])
        work.set(thing.id, { listId: day.id, place: place! })
        work.touched.add(day.id)
      })

      const checkReference = Effect.fnUntraced(function* (account: Account, listRef: ListId | null | undefined) {
        if (listRef && (yield* lists.get(account.id, listRef)) === undefined)
          yield* new InvalidInput({ field: "list_ref", reason: "must be the id of a list of yours" })
      })

      const apply = Effect.fn("Changes.apply")(function* (
        account: Account,
        things: ReadonlyArray<Thing>,
        patch: ThingPatch,
        target: List | undefined,
        stamp: number
      ) {
        const content = contentChanges(patch)
        yield* checkReference(account, content.listRef)
        const places = placing(store, account.id, yield* dateOfWrite(stamp))
        const members = yield* families.membersOf(account.id, things)
        const work = makeWork(members, places, stamp)
        for (const thing of things) {
          work.set(thing.id, memberChanges(patch))
          if (Object.keys(content).length > 0) shareContent(work, thing, content)
        }
        const moving = target === undefined ? [] : inPlaceOrder(things.filter((thing) => thing.listId !== target.id))
        if (target !== undefined && moving.length > 0) {
          const given = yield* work.placing.places(
            target.id,
            moving.map(() => undefined)
          )
          moving.forEach((thing, index) => work.set(thing.id, { listId: target.id, place: given[index]! }))
          for (const thing of moving) work.touched.add(thing.listId)
        }
        if (patch.completed === true || patch.canceled === true) {
          const found = yield* reminders.ofThings(account.id, [...new Set(things.map(originalOf))])
          const byOriginal = new Map(found.map((reminder) => [reminder.thingId, reminder]))
          for (const thing of things) {
            yield* complete(account, work, work.now(thing.id), byOriginal.get(originalOf(thing)))
            byOriginal.delete(originalOf(thing))
          }
        }
        const before = [...work.changed].map((id) => members.get(id)!)
        const after = [...work.changed].map(work.now)
        yield* capacity.admit(account.id, growthOf(before, [...after, ...work.copies]))
        yield* store.put(account.id, after)
        if (work.copies.length > 0)
          yield* store.insert(
            account.id,
            work.copies.map((copy) => ({ ...copy, updated: stamp }))
          )
        for (const { listId } of [...work.copies, ...after]) work.touched.add(listId)
        yield* lists.touch(account.id, [...work.touched], stamp)
        return {
          things: things.map((thing) => work.now(thing.id)),
          repeating: work.repeating,
          reminderRemoved: work.reminderRemoved
        }
      })

      return Changes.of({ apply })
    })
  )
}

/** The things of one write as they become, gathered so that each is stored once. */
interface Work {
  readonly things: ReadonlyMap<ThingId, Thing>
  readonly changed: Set<ThingId>
  readonly touched: Set<ListId>
  readonly copies: Array<Thing>
  readonly repeating: Map<ThingId, RepeatingReminder>
  readonly reminderRemoved: Set<ThingId>
  readonly placing: Placing
  readonly stamp: number
  readonly now: (id: ThingId) => Thing
  readonly set: (id: ThingId, changes: Partial<Thing>) => void
}

const makeWork = (members: ReadonlyMap<ThingId, Thing>, placing: Placing, stamp: number): Work => {
  const things = new Map(members)
  const changed = new Set<ThingId>()
  return {
    things,
    changed,
    touched: new Set(),
    copies: [],
    repeating: new Map(),
    reminderRemoved: new Set(),
    placing,
    stamp,
    now: (id) => things.get(id)!,
    set: (id, changes) => {
      things.set(id, { ...things.get(id)!, ...changes, updated: stamp })
      changed.add(id)
    }
  }
}

/** Gives content to every member of a thing's family. */
const shareContent = (work: Work, thing: Thing, content: Partial<Pick<Thing, (typeof contentKeys)[number]>>): void => {
  if (thing.cloneOf === null && !thing.hasClones) return work.set(thing.id, content)
  for (const [id, member] of work.things) if (originalOf(member) === originalOf(thing)) work.set(id, content)
}

const isBehind = (other: Thing, thing: Thing): boolean =>
  other.listId === thing.listId && other.place.rank === thing.place.rank && other.place.seq > thing.place.seq

const shifted = (thing: Thing) => ({ rank: thing.place.rank, seq: thing.place.seq + 1 })

const inPlaceOrder = (things: ReadonlyArray<Thing>): ReadonlyArray<Thing> =>
  [...Map.groupBy(things, (thing) => thing.listId).values()].flatMap((group) =>
    group.toSorted((a, b) => a.place.rank - b.place.rank || a.place.seq - b.place.seq || (a.id < b.id ? -1 : 1))
  )

/** Whether a client names an occurrence that the reminder has already moved on from (decisions 8). */
export const isPastOccurrence = (occurrence: string, reminder: Reminder | undefined, zone: string): boolean =>
  reminder?.trigger._tag !== "Time" || reminder.trigger.at !== instantOf(occurrence, zone)
