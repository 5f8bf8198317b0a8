import { Effect } from "effect"
import { localDateOf } from "../days/Zone.ts"
import type { Account } from "../model/Account.ts"
import { Ids, type ListId, type ThingId } from "../model/Ids.ts"
import type { Reminder } from "../model/Reminder.ts"
import { nothing } from "../model/Size.ts"
import { originalOf, rightAfter, type Thing } from "../model/Thing.ts"
import { ListStore } from "../ports/ListStore.ts"
import { ReminderStore } from "../ports/ReminderStore.ts"
import { type Sizes, SizeStore } from "../ports/SizeStore.ts"
import { ThingStore } from "../ports/ThingStore.ts"
import { yieldIfDue } from "../scheduling/Yielding.ts"
import { DayLists } from "../targets/DayLists.ts"
import type { ChangeSet } from "./ChangeSet.ts"
import { decideCompletion } from "./Completion.ts"
import { inPositionOrder, type PositionAllocator } from "./PositionAllocator.ts"
import { gapsAfter } from "./PositionGaps.ts"
import { currentTime, type EpochMillis } from "../model/EpochMillis.ts"

/** The result of completing a repeating thing: `listId` is the list it is in afterwards. */
export interface RepeatingReminder {
  readonly copyId: ThingId
  readonly nextAt: EpochMillis
  readonly listId: ListId
  /** As it is afterwards. */
  readonly reminder: Reminder
}

/** What became of the reminders of things that were completed or canceled, by the things' ids. */
export interface Completed {
  readonly repeating: ReadonlyMap<ThingId, RepeatingReminder>
  readonly reminderRemoved: ReadonlySet<ThingId>
  /** The sizes, before the write, of the account and of the lists that the things moved to, if they were read. */
  readonly sizes?: Sizes | undefined
}

export const noneCompleted: Completed = { repeating: new Map(), reminderRemoved: new Set() }

/** A thing that repeats, and its next reminder. */
interface Repeating {
  readonly id: ThingId
  readonly nextAt: EpochMillis
  readonly reminder: Reminder
}

/** The write in which things are completed. */
interface Completing {
  readonly account: Account
  readonly changeSet: ChangeSet
  readonly positions: PositionAllocator
}

/**
 * Applies the effects of completing or canceling to things whose fields are already set, once per family: a one-off
 * reminder is removed; a repeating thing leaves a completed copy in its place and moves on to its next occurrence
 * (docs/decisions.md#completing). `known` are the families' reminders, if they were read before.
 */
export const makeCompleteThings = Effect.gen(function* () {
  const lists = yield* ListStore
  const store = yield* ThingStore
  const reminders = yield* ReminderStore
  const days = yield* DayLists
  const sizeStore = yield* SizeStore
  const ids = yield* Ids

  const complete = Effect.fnUntraced(function* (
    write: Completing,
    things: ReadonlyArray<Thing>,
    known?: ReadonlyArray<Reminder>
  ) {
    const { account } = write
    const found = known ?? (yield* reminders.ofThings(account.id, [...new Set(things.map(originalOf))]))
    if (found.length === 0) return noneCompleted
    const { ended, repeating } = yield* decideAll(account, things, found)
    if (ended.size > 0) yield* reminders.remove(account.id, [...ended.values()])
    const repeated = repeating.length > 0 ? yield* repeat(write, repeating) : noneCompleted
    return { ...repeated, reminderRemoved: new Set(ended.keys()) }
  })

  /**
   * Decides once per family, for the first of its things. `ended`: the things whose reminder is removed, with their
   * originals.
   */
  const decideAll = Effect.fnUntraced(function* (
    account: Account,
    things: ReadonlyArray<Thing>,
    found: ReadonlyArray<Reminder>
  ) {
    const byOriginal = new Map(found.map((reminder) => [reminder.thingId, reminder]))
    const now = yield* currentTime
    const ended = new Map<ThingId, ThingId>()
    const repeating: Array<Repeating> = []
    for (const thing of things) {
      yield* yieldIfDue
      const original = originalOf(thing)
      const decided = decideCompletion(byOriginal.get(original), account.timezone, now)
      byOriginal.delete(original)
      if (decided._tag === "RemovesReminder") ended.set(thing.id, original)
      else if (decided._tag === "Repeats") repeating.push({ id: thing.id, ...decided })
    }
    return { ended, repeating }
  })

  /**
   * Leaves a completed copy in place of each thing, and moves the things to their next occurrences; things of one list
   * keep its order, as in any move, and so do the ids of their copies.
   */
  const repeat = Effect.fnUntraced(function* (write: Completing, decided: ReadonlyArray<Repeating>) {
    const { account, changeSet } = write
    const byId = new Map(decided.map((each) => [each.id, each]))
    const repeating = inPositionOrder(decided.map(({ id }) => changeSet.now(id))).map(({ id }) => byId.get(id)!)
    const ordinary = yield* ordinaryLists(write, repeating)
    const staying = new Set(repeating.filter(({ id }) => ordinary.has(changeSet.now(id).listId)))
    yield* openGapsBehind(write, staying)
    const moving = repeating.filter((each) => !staying.has(each))
    const { lists: dayListOf, sizes } = yield* dayLists(write, moving)
    const repeated = new Map<ThingId, RepeatingReminder>()
    for (const each of repeating) {
      yield* yieldIfDue
      const { id, nextAt, reminder } = each
      const copyId = (yield* ids.next) as ThingId
      const thing = changeSet.now(id)
      changeSet.copy(thing, copyId)
      changeSet.setContent(thing, { completed: false, canceled: false })
      if (staying.has(each)) changeSet.set(id, { position: rightAfter(thing.position) })
      else changeSet.moveTo(id, dayListOf.get(id)!)
      repeated.set(id, { copyId, nextAt, listId: changeSet.now(id).listId, reminder })
    }
    yield* reminders.put(
      account.id,
      repeating.map(({ reminder }) => reminder)
    )
    return { repeating: repeated, sizes }
  })

  /**
   * The lists in which a repeating thing stays, right after its copy: ordinary lists, if the account does not move
   * repeating things.
   */
  const ordinaryLists = Effect.fnUntraced(function* (
    { account, changeSet }: Completing,
    repeating: ReadonlyArray<Repeating>
  ) {
    if (account.repeatMovesToDay) return new Set<ListId>()
    const found = yield* lists.getMany(account.id, [...new Set(repeating.map(({ id }) => changeSet.now(id).listId))])
    return new Set(found.filter((list) => list.day === null).map((list) => list.id))
  })

  const openGapsBehind = Effect.fnUntraced(function* (
    { account, changeSet }: Completing,
    staying: ReadonlySet<Repeating>
  ) {
    const gaps = gapsAfter([...staying].map(({ id }) => changeSet.now(id)))
    for (const listId of gaps.lists) yield* store.openGaps(account.id, listId, gaps.of(listId))
    for (const thing of changeSet.things) {
      const position = gaps.shifted(thing)
      if (position !== thing.position) changeSet.set(thing.id, { position })
    }
  })

  /**
   * The day lists of the next occurrences, each resolved once; if it is a single day, together with what a move needs
   * to know of it.
   */
  const dayLists = Effect.fnUntraced(function* (write: Completing, moving: ReadonlyArray<Repeating>) {
    const { account, changeSet } = write
    const byDate = [...Map.groupBy(moving, ({ nextAt }) => localDateOf(account.timezone, nextAt))]
    const lists = new Map<ThingId, ListId>()
    if (byDate.length === 1) {
      const [date, there] = byDate[0]!
      const { day, sizes } = yield* dayList(write, date)
      for (const { id } of there) lists.set(id, day.id)
      return { lists, sizes }
    }
    for (const [date, there] of byDate) {
      const day = yield* days.ensure(account, date, changeSet.writeTimestamp)
      for (const { id } of there) lists.set(id, day.id)
    }
    return { lists, sizes: undefined }
  })

  /** Reads where the list of a day ends and what it holds along with the list. */
  const dayList = Effect.fnUntraced(function* ({ account, changeSet, positions }: Completing, date: string) {
    const ofDay = [{ day: date }]
    const reads = [
      days.ensure(account, date, changeSet.writeTimestamp),
      store.ends(account.id, ofDay),
      sizeStore.sizes(account.id, ofDay)
    ] as const
    const [day, ends, sizes] = yield* Effect.all(reads, { concurrency: "unbounded" })
    positions.know(day.id, ends.get(day.id))
    return { day, sizes: { ...sizes, lists: new Map([[day.id, sizes.lists.get(day.id) ?? nothing]]) } }
  })

  return complete
})
