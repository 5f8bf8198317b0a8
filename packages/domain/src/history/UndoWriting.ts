import { Effect } from "effect"
import type { EpochMillis } from "../model/EpochMillis.ts"
import type { InvalidInput, StorageUnavailable } from "../model/Errors.ts"
import type { OperationCounts } from "../model/Operation.ts"
import { growthSteps } from "../model/Size.ts"
import { originalsFirst, type Thing } from "../model/Thing.ts"
import { ListStore } from "../ports/ListStore.ts"
import { PlaceStore } from "../ports/PlaceStore.ts"
import { ReminderStore } from "../ports/ReminderStore.ts"
import { ThingStore } from "../ports/ThingStore.ts"
import { Capacity } from "../size/Capacity.ts"
import { titleKey } from "../text/TextFold.ts"
import { forEachYielding, runSteps, sortYielding } from "../scheduling/Yielding.ts"
import { chunksOf } from "../scheduling/Chunks.ts"
import type { Difference, UndoPlan } from "./UndoPlan.ts"
import { traced } from "../scheduling/Traced.ts"

/** Things, and reminders, per call of the store. */
const chunkSize = 500

/**
 * Carries out a plan with the stores: referenced entities are created first and removed last. Inside
 * `Storage.transact`.
 */
export const makeUndoWriting = Effect.gen(function* () {
  const lists = yield* ListStore
  const things = yield* ThingStore
  const reminders = yield* ReminderStore
  const places = yield* PlaceStore
  const capacity = yield* Capacity

  const putThings = Effect.fnUntraced(function* ({ owner, things: { now, next } }: UndoPlan, updated: EpochMillis) {
    const [old, fresh]: [Array<Thing>, Array<Thing>] = [[], []]
    yield* forEachYielding(next.values(), (thing) => void (now.has(thing.id) ? old : fresh).push({ ...thing, updated }))
    for (const chunk of chunksOf(yield* sortYielding(fresh, originalsFirst), chunkSize))
      yield* things.insert(owner, chunk)
    for (const chunk of chunksOf(yield* sortYielding(old, originalsFirst), chunkSize)) yield* things.put(owner, chunk)
  })

  const putReminders = Effect.fnUntraced(function* ({ owner, reminders: { now, next } }: UndoPlan) {
    const left = [...now.values()]
    const removed = left.filter(({ id }) => !next.has(id)).map(({ thingId }) => thingId)
    const moved = left.flatMap(({ id, thingId }) => {
      const to = next.get(id)?.thingId ?? thingId
      return to === thingId ? [] : [[thingId, to] as const]
    })
    if (removed.length > 0) yield* reminders.remove(owner, removed)
    if (moved.length > 0) yield* reminders.reattach(owner, new Map(moved))
    for (const chunk of chunksOf([...next.values()], chunkSize)) yield* reminders.put(owner, chunk)
  })

  /**
   * Dates of day lists and names of places are unique, so entities that lose theirs are stored before those that take
   * them.
   */
  const freeUniqueKeys = Effect.fnUntraced(function* (plan: UndoPlan) {
    const days = new Set([...plan.lists.next.values()].map(({ day }) => day))
    for (const list of goneOf(plan.lists))
      if (list.day !== null && days.has(list.day)) yield* lists.put({ ...list, day: null })
    const names = new Set([...plan.places.next.values()].map(({ name }) => titleKey(name)))
    for (const place of goneOf(plan.places))
      if (names.has(titleKey(place.name))) yield* places.put({ ...place, name: place.id })
  })

  const removeRest = Effect.fnUntraced(function* (plan: UndoPlan) {
    const { owner } = plan
    const ids = goneOf(plan.things).map(({ id }) => id)
    for (const some of chunksOf(ids, chunkSize)) yield* things.remove(owner, some)
    for (const { id } of goneOf(plan.lists)) yield* lists.remove(owner, id)
    for (const { id } of goneOf(plan.places)) yield* places.remove(owner, id)
  })

  return traced("Undo.write")(function* (
    plan: UndoPlan,
    updated: EpochMillis
  ): Effect.fn.Return<void, InvalidInput | StorageUnavailable> {
    const { owner } = plan
    const growth = yield* runSteps(() => growthSteps(plan.things.now.values(), plan.things.next.values()))
    yield* capacity.admit(owner, growth)
    yield* freeUniqueKeys(plan)
    for (const place of plan.places.next.values()) yield* places.put(place)
    for (const list of plan.lists.next.values())
      if (plan.lists.now.has(list.id)) yield* lists.put({ ...list, updated })
      else yield* lists.insert({ ...list, updated })
    for (const [listId, positions] of plan.shifts.opened) yield* things.openGaps(owner, listId, positions)
    yield* putThings(plan, updated)
    yield* putReminders(plan)
    yield* removeRest(plan)
    for (const [listId, positions] of plan.shifts.closed) yield* things.closeGaps(owner, listId, positions)
    const touched = [...plan.touched].filter((id) => !plan.lists.next.has(id) && !plan.lists.now.has(id))
    if (touched.length > 0) yield* lists.touch(owner, touched, updated)
  })
})

/** What the operation that carries out a plan counts. */
export const countsOf = (plan: UndoPlan): OperationCounts => {
  const count = ({ now, next }: Difference<unknown>) => new Set([...now.keys(), ...next.keys()]).size
  return {
    lists: count(plan.lists),
    things: count(plan.things),
    reminders: count(plan.reminders),
    places: count(plan.places)
  }
}

const goneOf = <A extends { readonly id: string }>({ now, next }: Difference<A>): ReadonlyArray<A> =>
  [...now.values()].filter(({ id }) => !next.has(id))
