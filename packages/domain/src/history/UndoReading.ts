import { Effect } from "effect"
import type { StorageUnavailable } from "../model/Errors.ts"
import type { AccountId, ThingId } from "../model/Ids.ts"
import type { Entity, EntityChange } from "../model/Operation.ts"
import { originalOf, type Thing } from "../model/Thing.ts"
import { HistoryStore } from "../ports/HistoryStore.ts"
import { ListStore } from "../ports/ListStore.ts"
import { PlaceStore } from "../ports/PlaceStore.ts"
import { ReminderStore } from "../ports/ReminderStore.ts"
import { ThingStore } from "../ports/ThingStore.ts"
import { entityMap, keysOf, type EntityMap, valuesOf } from "./Entities.ts"
import { traced } from "../scheduling/Traced.ts"
import { yieldIfDue } from "../scheduling/Yielding.ts"

/**
 * Reads the current states of what was changed and of what hangs on it: the families of things, what is in lists that
 * would go or refers to them, reminders on things, reminders at places that would go, and what the former states refer
 * to.
 */
export const makeUndoReading = Effect.gen(function* () {
  const history = yield* HistoryStore
  const lists = yield* ListStore
  const things = yield* ThingStore
  const reminders = yield* ReminderStore
  const places = yield* PlaceStore

  /** What is in lists that would go, and what refers to them. */
  const onLists = Effect.fnUntraced(function* (owner: AccountId, going: ReadonlyArray<string>) {
    const found = going.length === 0 ? [] : [...(yield* things.referringTo(owner, going))]
    for (const id of going) for (const thing of yield* things.ofList(owner, id)) found.push(thing)
    return found
  })

  /** The things of these ids, and all members of their families. */
  const withFamilies = Effect.fnUntraced(function* (owner: AccountId, ids: Iterable<string>) {
    const named = yield* things.getMany(owner, [...new Set(ids)])
    const found = new Map<ThingId, Thing>(named.map((thing) => [thing.id, thing]))
    const missing = named.map(originalOf).filter((id) => !found.has(id))
    for (const thing of missing.length === 0 ? [] : yield* things.getMany(owner, [...new Set(missing)]))
      found.set(thing.id, thing)
    const originals = [...found.values()].filter(({ hasClones }) => hasClones).map(({ id }) => id)
    for (const thing of originals.length === 0 ? [] : yield* things.clonesOf(owner, originals))
      found.set(thing.id, thing)
    return found
  })

  const aroundThings = Effect.fnUntraced(function* (owner: AccountId, changes: ReadonlyArray<EntityChange>) {
    const changed = yield* history.current(owner, keysOf(changes))
    const before = changes.flatMap((change) => change.before ?? [])
    const ids = [...before, ...changed].flatMap(thingsNamed)
    const found = yield* withFamilies(owner, [...idsOf(changes, "thing"), ...ids])
    const going = changes.filter((change) => change.before === undefined && change.type === "list")
    for (const thing of yield* onLists(owner, idsOf(going, "list")))
      if (!found.has(thing.id)) found.set(thing.id, thing)
    return { before, changed, found }
  })

  const aroundLists = Effect.fnUntraced(function* (
    owner: AccountId,
    before: ReadonlyArray<Entity>,
    present: Iterable<Thing>
  ) {
    const all = [...valuesOf(before, "thing").values(), ...present]
    const named = new Set(all.flatMap(({ listId, listRef }) => [listId, listRef ?? listId]))
    const found = named.size === 0 ? [] : [...(yield* lists.getMany(owner, [...named]))]
    for (const { day } of valuesOf(before, "list").values()) {
      const same = day === null ? undefined : yield* lists.byDay(owner, day)
      if (same !== undefined) found.push(same)
    }
    return found
  })

  const aroundReminders = Effect.fnUntraced(function* (
    owner: AccountId,
    changes: ReadonlyArray<EntityChange>,
    ids: Iterable<ThingId>
  ) {
    const going = new Set(
      changes.filter(({ before, type }) => before === undefined && type === "place").map(({ id }) => id)
    )
    const wanted = [...ids]
    const onThings = wanted.length === 0 ? [] : yield* reminders.ofThings(owner, wanted)
    const atPlaces = going.size === 0 ? [] : yield* reminders.atPlaces(owner)
    return [...onThings, ...atPlaces.filter(({ trigger }) => trigger._tag === "Place" && going.has(trigger.placeId))]
  })

  const aroundPlaces = (owner: AccountId, before: ReadonlyArray<Entity>) =>
    before.some((entity) => entity.type === "place" || isAtPlace(entity)) ? places.all(owner) : Effect.succeed([])

  return traced("Undo.read")(function* (
    owner: AccountId,
    changes: ReadonlyArray<EntityChange>
  ): Effect.fn.Return<EntityMap, StorageUnavailable> {
    const { before, changed, found } = yield* aroundThings(owner, changes)
    yield* yieldIfDue
    return entityMap([
      ...(yield* aroundPlaces(owner, before)).map((value) => ({ type: "place", value }) as const),
      ...(yield* aroundLists(owner, before, found.values())).map((value) => ({ type: "list", value }) as const),
      ...[...found.values()].map((value) => ({ type: "thing", value }) as const),
      ...(yield* aroundReminders(owner, changes, found.keys())).map((value) => ({ type: "reminder", value }) as const),
      ...changed
    ])
  })
})

const idsOf = (changes: ReadonlyArray<EntityChange>, type: Entity["type"]): ReadonlyArray<string> =>
  changes.filter((change) => change.type === type).map(({ id }) => id)

/** Things that an entity refers to. */
const thingsNamed = (entity: Entity): ReadonlyArray<ThingId> => {
  if (entity.type === "reminder") return [entity.value.thingId]
  return entity.type === "thing" && entity.value.cloneOf !== null ? [entity.value.cloneOf] : []
}

const isAtPlace = (entity: Entity): boolean => entity.type === "reminder" && entity.value.trigger._tag === "Place"
