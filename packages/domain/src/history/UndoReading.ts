import { Effect } from "effect"
import type { StorageUnavailable } from "../model/Errors.ts"
import type { AccountId, ListId, ThingId } from "../model/Ids.ts"
import { type Entity, type EntityChange, type EntityType, keyText } from "../model/Operation.ts"
import type { Reminder } from "../model/Reminder.ts"
import { originalOf, type Thing } from "../model/Thing.ts"
import { HistoryStore } from "../ports/HistoryStore.ts"
import { ListStore } from "../ports/ListStore.ts"
import { PlaceStore } from "../ports/PlaceStore.ts"
import { ReminderStore } from "../ports/ReminderStore.ts"
import { ThingStore } from "../ports/ThingStore.ts"
import { type EntityMap, type EntityValues, keyOf, keysOf, referencesOf, valuesOf } from "./Entities.ts"
import { chunksOf } from "../scheduling/Chunks.ts"
import { traced } from "../scheduling/Traced.ts"
import { forEachYielding, yieldIfDue } from "../scheduling/Yielding.ts"

/** Entities per call of a store, so that none takes long to read. */
const chunkSize = 1_000

/**
 * Reads the current states of the changed entities and of everything related to them: the families of things, the
 * contents of lists that would be removed and what refers to them, reminders on things, reminders at places that would
 * be removed, and what the former states refer to.
 */
export const makeUndoReading = Effect.gen(function* () {
  const history = yield* HistoryStore
  const lists = yield* ListStore
  const things = yield* ThingStore
  const reminders = yield* ReminderStore
  const places = yield* PlaceStore

  /** What is in lists that would go, and what refers to them. */
  const onLists = Effect.fnUntraced(function* (owner: AccountId, going: ReadonlyArray<ListId>) {
    const found = going.length === 0 ? [] : [...(yield* things.referringTo(owner, going))]
    for (const id of going)
      for (let last: Thing | undefined, more = true; more; last = found.at(-1)) {
        const some: ReadonlyArray<Thing> = yield* things.ofListAfter(owner, id, last, chunkSize)
        for (const thing of some) found.push(thing)
        yield* yieldIfDue
        more = some.length === chunkSize
      }
    return found
  })

  /** `found` with the things of these ids, and all members of the families of both. */
  const addFamilies = Effect.fnUntraced(function* (
    owner: AccountId,
    found: Map<ThingId, Thing>,
    ids: ReadonlySet<ThingId>
  ) {
    const add = Effect.fnUntraced(function* (wanted: ReadonlyArray<ThingId>) {
      for (const some of chunksOf(wanted, chunkSize))
        for (const thing of yield* things.getMany(owner, some)) found.set(thing.id, thing)
    })
    yield* add([...ids])
    yield* add([...new Set([...found.values()].map(originalOf))].filter((id) => !found.has(id)))
    const originals = [...found.values()].filter(({ hasClones }) => hasClones).map(({ id }) => id)
    for (const some of chunksOf(originals, chunkSize))
      for (const thing of yield* things.clonesOf(owner, some)) found.set(thing.id, thing)
  })

  const aroundThings = Effect.fnUntraced(function* (owner: AccountId, changes: ReadonlyArray<EntityChange>) {
    const changed = yield* history.current(owner, keysOf(changes))
    yield* yieldIfDue
    const before = changes.flatMap((change) => change.before ?? [])
    const found = valuesOf(changed, "thing") as Map<ThingId, Thing>
    const read = new Set(idsOf(changes, "thing"))
    const named = new Set<ThingId>()
    yield* forEachYielding([...before, ...changed], (entity) => {
      for (const { id, type } of referencesOf(entity)) if (type === "thing" && !read.has(id)) named.add(id as ThingId)
    })
    yield* addFamilies(owner, found, named)
    const going = changes.filter((change) => change.before === undefined && change.type === "list")
    for (const thing of yield* onLists(owner, idsOf(going, "list") as ReadonlyArray<ListId>))
      if (!found.has(thing.id)) found.set(thing.id, thing)
    return { before, changed, found }
  })

  const aroundLists = Effect.fnUntraced(function* (
    owner: AccountId,
    before: ReadonlyArray<Entity>,
    present: Iterable<Thing>
  ) {
    const named = new Set<ListId>()
    yield* forEachYielding([...valuesOf(before, "thing").values(), ...present], ({ listId, listRef }) => {
      named.add(listId).add(listRef ?? listId)
    })
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
    const onThings: Array<Reminder> = []
    for (const some of chunksOf([...ids], chunkSize))
      for (const reminder of yield* reminders.ofThings(owner, some)) onThings.push(reminder)
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
    const around = new Map<string, Entity>()
    const add = <Type extends EntityType>(type: Type, values: Iterable<EntityValues[Type]>) =>
      forEachYielding(values, (value) => void around.set(keyText({ type, id: value.id }), { type, value } as Entity))
    yield* add("place", yield* aroundPlaces(owner, before))
    yield* add("list", yield* aroundLists(owner, before, found.values()))
    yield* add("thing", found.values())
    yield* add("reminder", yield* aroundReminders(owner, changes, found.keys()))
    yield* forEachYielding(changed, (entity) => void around.set(keyText(keyOf(entity)), entity))
    return around
  })
})

const idsOf = (changes: ReadonlyArray<EntityChange>, type: Entity["type"]): ReadonlyArray<string> =>
  changes.filter((change) => change.type === type).map(({ id }) => id)

const isAtPlace = (entity: Entity): boolean => entity.type === "reminder" && entity.value.trigger._tag === "Place"
