import { Effect } from "effect"
import type { Account } from "../model/Account.ts"
import { clampToStorable, instantToWall, wallText, wallToInstant } from "../days/Zone.ts"
import type { AccountId, ListId, ThingId } from "../model/Ids.ts"
import { ListStore } from "../ports/ListStore.ts"
import { ReminderStore, type TimeReminder } from "../ports/ReminderStore.ts"
import { ThingStore } from "../ports/ThingStore.ts"
import { chunksOf } from "../scheduling/Chunks.ts"
import { mapYielding } from "../scheduling/Yielding.ts"
import { currentWall, isOnceAtTime, untilIn } from "./Recurrence.ts"
import type { Reminder, TimeTrigger } from "../model/Reminder.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"
import { traced } from "../scheduling/Traced.ts"

/**
 * The trigger of an owner who moves to another zone (docs/decisions.md#reminders): repeating and all-day reminders keep
 * their wall-clock time, their duration and their last occurrence; a one-off with a time keeps its instant.
 */
export const inZone = (trigger: TimeTrigger, from: string, to: string): TimeTrigger => {
  if (isOnceAtTime(trigger)) return { ...trigger, first: wallText(instantToWall(to, trigger.at)) }
  const at = clampToStorable(wallToInstant(to, currentWall(trigger, from)))
  const { until } = trigger.rule
  return {
    ...trigger,
    at,
    end: trigger.end === null ? null : clampToStorable(at + (trigger.end - trigger.at)),
    rule: until === null ? trigger.rule : { ...trigger.rule, until: clampToStorable(untilIn(trigger, until, from, to)) }
  }
}

/** Reminders per write, and things per read. */
const chunkSize = 500

/** Recomputes the reminders of an account; captures the ports it needs. */
export const makeZoneChange = Effect.gen(function* () {
  const reminders = yield* ReminderStore
  const things = yield* ThingStore
  const lists = yield* ListStore

  /** The lists that show reminders of these things, including those of live linked copies. */
  const listsOf = Effect.fnUntraced(function* (owner: AccountId, ids: ReadonlyArray<ThingId>) {
    const held = yield* things.getMany(owner, ids)
    const originals = held.filter((thing) => thing.hasClones).map((thing) => thing.id)
    const clones = originals.length === 0 ? [] : yield* things.clonesOf(owner, originals)
    return [...held, ...clones].map((thing) => thing.listId)
  })

  const store = Effect.fnUntraced(function* (owner: AccountId, changed: ReadonlyArray<Changed>) {
    yield* reminders.putTimes(
      owner,
      changed.map(({ now }) => now)
    )
    const moved = changed.filter(({ before, now }) => before.trigger.at !== now.trigger.at)
    const shown = yield* listsOf(
      owner,
      moved.map(({ now }) => now.thingId)
    )
    return { moved: moved.length, shown }
  })

  /**
   * Moves the reminders of an account to another zone, and updates the `updated` of lists that show a reminder whose
   * time changed. Returns the number of such reminders. Inside `Storage.transact`.
   */
  return traced("ZoneChange.move")(function* (account: Account, to: string, writeTimestamp: EpochMillis) {
    if (account.timezone === to) return 0
    const changed = (yield* mapYielding(yield* reminders.all(account.id), changeOf(account.timezone, to))).flat()
    const touched = new Set<ListId>()
    let count = 0
    for (const some of chunksOf(changed, chunkSize)) {
      const { moved, shown } = yield* store(account.id, some)
      count += moved
      for (const id of shown) touched.add(id)
    }
    if (touched.size > 0) yield* lists.touch(account.id, [...touched], writeTimestamp)
    return count
  })
})

interface Changed {
  readonly before: TimeReminder
  readonly now: TimeReminder
}

/**
 * The change to one reminder; empty for one at a place, and where nothing that is shown changes: a one-off with a time
 * keeps the `first` of its former zone, so that the change of zone neither is a change of it nor prevents an undo.
 */
const changeOf =
  (from: string, to: string) =>
  (reminder: Reminder): ReadonlyArray<Changed> => {
    const { trigger } = reminder
    if (trigger._tag === "Place") return []
    const before = { ...reminder, trigger }
    const now = inZone(trigger, from, to)
    return isAtTheSameTimes(trigger, now) ? [] : [{ before, now: { ...before, trigger: now } }]
  }

const isAtTheSameTimes = (a: TimeTrigger, b: TimeTrigger): boolean =>
  a.at === b.at && a.end === b.end && a.rule.until === b.rule.until
