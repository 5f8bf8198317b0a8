import {
  byTypeAndId,
  type Entity,
  type EntityChange,
  type EntityKey,
  type EntityType,
  isSame,
  keyText
} from "../model/Operation.ts"
import type { AccountId, ListId, ThingId } from "../model/Ids.ts"
import type { List } from "../model/List.ts"
import type { SavedPlace } from "../model/Place.ts"
import type { Reminder } from "../model/Reminder.ts"
import { contentOf, originalOf, type Thing } from "../model/Thing.ts"
import { sortSteps, type Steps } from "../scheduling/Yielding.ts"
import { titleKey } from "../text/TextFold.ts"
import { distinctKeys, type EntityMap, type EntityValues, keyOf, referencesOf, valuesOf } from "./Entities.ts"
import { type Restored, restoredPositions, type Shifts } from "./UndoPositions.ts"

/** What differs between the state that an undo finds and the one that it leaves. */
export interface Difference<A> {
  readonly now: ReadonlyMap<string, A>
  readonly next: ReadonlyMap<string, A>
}

/** What an undo does: the entities that it changes, as they are and as they are to be. */
export interface UndoPlan {
  readonly owner: AccountId
  readonly lists: Difference<List>
  readonly things: Difference<Thing>
  readonly reminders: Difference<Reminder>
  readonly places: Difference<SavedPlace>
  readonly shifts: Shifts
  /** Lists whose `updated` moves although the undo does not store them. */
  readonly touched: ReadonlySet<ListId>
}

/**
 * The entities in the way: those that depend on what the undo would remove, and missing ones that it would refer to.
 * Each once, by type and id.
 */
export interface Obstacles {
  readonly obstacles: ReadonlyArray<EntityKey>
}

export const isBlocked = (plan: UndoPlan | Obstacles): plan is Obstacles => "obstacles" in plan

/**
 * Decides how the changed entities get their former states back (docs/decisions.md#history). `around` has the current
 * states of the changed entities and of everything related to them; an entity that is missing from it does not exist.
 * `changedLater` are the keys (`keyText`) of entities that a later operation changed.
 */
export function* planUndo(
  owner: AccountId,
  changes: ReadonlyArray<EntityChange>,
  around: EntityMap,
  changedLater: ReadonlySet<string>
): Steps<UndoPlan | Obstacles> {
  const wanted = yield* withoutKeptDays(changes, around, changedLater)
  const late = changedLater.size === 0 ? [] : wanted.filter((change) => changedLater.has(keyText(change)))
  const lists = yield* restore(wanted, around, "list")
  const places = yield* restore(wanted, around, "place")
  const family = yield* joinFamilies(yield* restore(wanted, around, "thing"))
  const reminders = yield* onOriginals(yield* restore(wanted, around, "reminder"), family)
  const missing = yield* obstaclesOf({ lists, places, things: family, reminders })
  if (late.length > 0 || missing.length > 0) {
    // Stores answer in no particular order, and a message names the first ones.
    return { obstacles: yield* sortSteps(distinctKeys([...late, ...missing]), byTypeAndId) }
  }
  const { shifts, things } = yield* restoredPositions(family)
  const changed = {
    lists: yield* differing(lists),
    things: yield* differing(things),
    reminders: yield* differing(reminders)
  }
  return {
    owner,
    ...changed,
    places: yield* differing(places),
    shifts,
    touched: yield* touchedBy(changed, things)
  }
}

function* restore<Type extends EntityType>(
  changes: ReadonlyArray<EntityChange>,
  around: EntityMap,
  type: Type
): Steps<Restored<EntityValues[Type]>> {
  const now = valuesOf(around.values(), type)
  yield
  const next = new Map(now)
  const wanted = new Set<string>()
  for (const change of changes) {
    yield
    if (change.type !== type) continue
    const { before, id } = change
    wanted.add(id)
    if (before === undefined) next.delete(id)
    else next.set(id, before.value as EntityValues[Type])
  }
  return { now, next, wanted }
}

/**
 * A day list that an undone operation made implicitly is kept if anything else is in it or refers to it, or if it was
 * changed since.
 */
function* withoutKeptDays(
  changes: ReadonlyArray<EntityChange>,
  around: EntityMap,
  changedLater: ReadonlySet<string>
): Steps<ReadonlyArray<EntityChange>> {
  const made = changes.filter((change) => isMadeDay(change, around))
  if (made.length === 0 || made.length === changes.length) return changes
  const own = new Map<string, EntityChange>()
  for (const change of changes) {
    yield
    own.set(keyText(change), change)
  }
  const used = new Set<string>()
  for (const thing of valuesOf(around.values(), "thing").values()) {
    yield
    const change = own.get(keyText({ type: "thing", id: thing.id }))
    const next = change === undefined ? thing : (change.before?.value as Thing | undefined)
    if (next === undefined) continue
    used.add(next.listId)
    if (next.listRef !== null) used.add(next.listRef)
  }
  const kept = new Set(made.filter((change) => used.has(change.id) || changedLater.has(keyText(change))))
  return changes.filter((change) => !kept.has(change))
}

const isMadeDay = (change: EntityChange, around: EntityMap): boolean => {
  const list = around.get(keyText(change))
  return change.before === undefined && list?.type === "list" && list.value.day !== null
}

/**
 * Gives every family of a restored thing one original, whose content all members share. Copies made after the undone
 * operations join as well, and a restored copy takes the current content of its original.
 */
function* joinFamilies(things: Restored<Thing>): Steps<Restored<Thing>> {
  const { now, next, wanted } = things
  const rootOf = (thing: Thing): ThingId => {
    const above = thing.cloneOf === null ? undefined : next.get(thing.cloneOf)
    return above?.cloneOf ?? originalOf(thing)
  }
  const changed = new Set<string>()
  for (const id of wanted) {
    yield
    for (const thing of [now.get(id), next.get(id)]) if (thing !== undefined) changed.add(rootOf(thing))
  }
  const members: Array<Thing> = []
  const copied = new Set<ThingId>()
  for (const thing of next.values()) {
    yield
    const root = rootOf(thing)
    if (!changed.has(root)) continue
    members.push(thing)
    if (root !== thing.id) copied.add(root)
  }
  for (const thing of members) {
    yield
    const root = rootOf(thing)
    const original = next.get(root)
    const joined: Thing =
      root === thing.id
        ? { ...thing, cloneOf: null, hasClones: copied.has(root) }
        : { ...thing, ...(original === undefined ? {} : contentOf(original)), cloneOf: root, hasClones: false }
    if (!isSame(thing, joined)) next.set(thing.id, joined)
  }
  return things
}

/** Moves each reminder to the original of its family, whichever member that is. */
function* onOriginals(reminders: Restored<Reminder>, things: Restored<Thing>): Steps<Restored<Reminder>> {
  for (const reminder of [...reminders.next.values()]) {
    yield
    const original = things.next.get(reminder.thingId)?.cloneOf ?? reminder.thingId
    if (original !== reminder.thingId) reminders.next.set(reminder.id, { ...reminder, thingId: original })
  }
  return reminders
}

interface Everything {
  readonly lists: Restored<List>
  readonly things: Restored<Thing>
  readonly reminders: Restored<Reminder>
  readonly places: Restored<SavedPlace>
}

/** What would break an invariant: a reference to a missing entity, or two entities with the same unique key. */
function* obstaclesOf({ lists, places, reminders, things }: Everything): Steps<ReadonlyArray<EntityKey>> {
  const found: Array<EntityKey> = []
  const targets = { list: lists, thing: things, place: places }
  /**
   * If the target of a reference is removed by this undo, the referring entity is the obstacle; otherwise the missing
   * target is.
   */
  const addMissing = (entity: Entity, isWanted: boolean) => {
    for (const to of referencesOf(entity)) {
      const there: Restored<unknown> = targets[to.type]
      if (there.next.has(to.id)) continue
      if (there.now.has(to.id)) found.push(isWanted ? to : keyOf(entity))
      else if (isWanted) found.push(to)
    }
  }
  for (const value of things.next.values()) {
    yield
    addMissing({ type: "thing", value }, things.wanted.has(value.id))
  }
  for (const value of reminders.next.values()) {
    yield
    addMissing({ type: "reminder", value }, reminders.wanted.has(value.id))
  }
  return [
    ...found,
    ...(yield* twice("list", lists, (list) => list.day)),
    ...(yield* twice("reminder", reminders, (reminder) => reminder.thingId)),
    ...(yield* twice("place", places, (place) => titleKey(place.name)))
  ]
}

/** Those that share a key with one that was restored. */
function* twice<A>(
  type: EntityType,
  { next, wanted }: Restored<A>,
  sharedOf: (item: A) => string | null
): Steps<ReadonlyArray<EntityKey>> {
  const restored = new Map<string, string>()
  for (const id of wanted) {
    yield
    const item = next.get(id)
    const key = item === undefined ? null : sharedOf(item)
    if (key !== null) restored.set(key, id)
  }
  const found: Array<EntityKey> = []
  for (const [id, item] of next) {
    yield
    const key = sharedOf(item)
    const other = key === null ? undefined : restored.get(key)
    if (other !== undefined && other !== id) found.push({ type, id })
  }
  return found
}

function* differing<A extends object>({ now, next }: Restored<A>): Steps<Difference<A>> {
  const [before, after] = [new Map<string, A>(), new Map<string, A>()]
  for (const id of new Set([...now.keys(), ...next.keys()])) {
    yield
    const [was, is] = [now.get(id), next.get(id)]
    if (isSame(was, is)) continue
    if (was !== undefined) before.set(id, was)
    if (is !== undefined) after.set(id, is)
  }
  return { now: before, next: after }
}

/** The lists of changed things, and those that show a changed reminder. */
function* touchedBy(
  changed: { readonly things: Difference<Thing>; readonly reminders: Difference<Reminder> },
  things: Restored<Thing>
): Steps<ReadonlySet<ListId>> {
  const touched = new Set<ListId>()
  for (const side of [changed.things.now, changed.things.next])
    for (const thing of side.values()) {
      yield
      touched.add(thing.listId)
    }
  const reminded = new Set<string>()
  for (const side of [changed.reminders.now, changed.reminders.next])
    for (const reminder of side.values()) reminded.add(reminder.thingId)
  if (reminded.size > 0)
    for (const thing of things.next.values()) {
      yield
      if (reminded.has(thing.cloneOf ?? thing.id)) touched.add(thing.listId)
    }
  return touched
}
