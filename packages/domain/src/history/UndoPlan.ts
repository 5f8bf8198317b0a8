import { type EntityChange, type EntityKey, type EntityType, isSame, keyText } from "../model/Operation.ts"
import type { AccountId, ListId, ThingId } from "../model/Ids.ts"
import type { List } from "../model/List.ts"
import type { SavedPlace } from "../model/Place.ts"
import type { Reminder } from "../model/Reminder.ts"
import { contentOf, originalOf, type Thing } from "../model/Thing.ts"
import { titleKey } from "../text/TextFold.ts"
import { type EntityMap, type EntityValues, valuesOf } from "./Entities.ts"
import { restoredPositions, type Shifts } from "./UndoPositions.ts"

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
  /** Lists of which `updated` moves, beside those that are stored anyway. */
  readonly touched: ReadonlySet<ListId>
}

/** What stands in the way: things that hang on what would go, or what is missing, by key. */
export interface Obstacles {
  readonly obstacles: ReadonlyArray<EntityKey>
}

export const isBlocked = (plan: UndoPlan | Obstacles): plan is Obstacles => "obstacles" in plan

/**
 * Decides how what was changed gets its former state (docs/decisions.md#history). `around` has the current states of
 * the changed entities and of all that hangs on them; what is not in it does not exist. `changedLater` are keys
 * (`keyText`) of entities that a later operation changed.
 */
export const planUndo = (
  owner: AccountId,
  changes: ReadonlyArray<EntityChange>,
  around: EntityMap,
  changedLater: ReadonlySet<string>
): UndoPlan | Obstacles => {
  const wanted = withoutKeptDays(changes, around, changedLater)
  const late = wanted.filter((change) => changedLater.has(keyText(change)))
  const lists = restore(wanted, around, "list")
  const places = restore(wanted, around, "place")
  const family = joinFamilies(restore(wanted, around, "thing"))
  const reminders = onOriginals(restore(wanted, around, "reminder"), family)
  const missing = obstaclesOf({ lists, places, things: family, reminders })
  if (late.length > 0 || missing.length > 0) return { obstacles: distinct([...late, ...missing]) }
  const { shifts, things } = restoredPositions(family)
  const changed = { lists: differing(lists), things: differing(things), reminders: differing(reminders) }
  return { owner, ...changed, places: differing(places), shifts, touched: touchedBy(changed, things) }
}

/** The entities of a type: as they are, and as they are to be. */
interface Restored<A> {
  readonly now: ReadonlyMap<string, A>
  readonly next: Map<string, A>
  /** The ids of those that the undone operations changed. */
  readonly wanted: ReadonlySet<string>
}

const restore = <Type extends EntityType>(
  changes: ReadonlyArray<EntityChange>,
  around: EntityMap,
  type: Type
): Restored<EntityValues[Type]> => {
  const now = valuesOf(around.values(), type)
  const next = new Map(now)
  const own = changes.filter((change) => change.type === type)
  for (const { before, id } of own) {
    if (before === undefined) next.delete(id)
    else next.set(id, before.value as EntityValues[Type])
  }
  return { now, next, wanted: new Set(own.map(({ id }) => id)) }
}

/** A day list made along the way stays if anything else is in it, or refers to it, or was done to it since. */
const withoutKeptDays = (
  changes: ReadonlyArray<EntityChange>,
  around: EntityMap,
  changedLater: ReadonlySet<string>
): ReadonlyArray<EntityChange> => {
  const made = changes.filter((change) => isMadeDay(change, around))
  if (made.length === 0 || made.length === changes.length) return changes
  const own = new Map(changes.map((change) => [keyText(change), change]))
  const used = new Set<string>()
  for (const thing of valuesOf(around.values(), "thing").values()) {
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
 * Gives every family of a restored thing one original, whose content all its members have: a copy that was made later
 * follows, too, and a copy that comes back has the content that its original has by now.
 */
const joinFamilies = (things: Restored<Thing>): Restored<Thing> => {
  const { now, next, wanted } = things
  const rootOf = (thing: Thing): ThingId => {
    const above = thing.cloneOf === null ? undefined : next.get(thing.cloneOf)
    return above?.cloneOf ?? originalOf(thing)
  }
  const changed = new Set<string>()
  for (const id of wanted)
    for (const thing of [now.get(id), next.get(id)]) if (thing !== undefined) changed.add(rootOf(thing))
  const members = [...next.values()].filter((thing) => changed.has(rootOf(thing)))
  const copied = new Set(members.map(rootOf).filter((root, at) => root !== members[at]!.id))
  for (const thing of members) {
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

/** A reminder is that of the original, whichever member that is. */
const onOriginals = (reminders: Restored<Reminder>, things: Restored<Thing>): Restored<Reminder> => {
  for (const reminder of [...reminders.next.values()]) {
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

/** What would break: a reference to what is not there, or two of what may exist once. */
const obstaclesOf = ({ lists, places, reminders, things }: Everything): ReadonlyArray<EntityKey> => {
  const found: Array<EntityKey> = []
  /** What refers to something that goes is in the way; else what it refers to is missing. */
  const refer = (from: EntityKey, isWanted: boolean, to: EntityKey, there: Restored<unknown>) => {
    if (there.next.has(to.id)) return
    if (there.now.has(to.id)) found.push(isWanted ? to : from)
    else if (isWanted) found.push(to)
  }
  for (const thing of things.next.values()) {
    const key: EntityKey = { type: "thing", id: thing.id }
    const isWanted = things.wanted.has(thing.id)
    refer(key, isWanted, { type: "list", id: thing.listId }, lists)
    if (thing.listRef !== null) refer(key, isWanted, { type: "list", id: thing.listRef }, lists)
    if (thing.cloneOf !== null) refer(key, isWanted, { type: "thing", id: thing.cloneOf }, things)
  }
  for (const reminder of reminders.next.values()) {
    const key: EntityKey = { type: "reminder", id: reminder.id }
    const isWanted = reminders.wanted.has(reminder.id)
    refer(key, isWanted, { type: "thing", id: reminder.thingId }, things)
    if (reminder.trigger._tag === "Place") refer(key, isWanted, { type: "place", id: reminder.trigger.placeId }, places)
  }
  return [
    ...found,
    ...twice("list", lists, (list) => list.day),
    ...twice("reminder", reminders, (reminder) => reminder.thingId),
    ...twice("place", places, (place) => titleKey(place.name))
  ]
}

/** Those that share a key with one that was restored. */
const twice = <A>(type: EntityType, { next, wanted }: Restored<A>, keyOf: (item: A) => string | null) => {
  const restored = new Map<string, string>()
  for (const id of wanted) {
    const item = next.get(id)
    const key = item === undefined ? null : keyOf(item)
    if (key !== null) restored.set(key, id)
  }
  return [...next].flatMap(([id, item]): ReadonlyArray<EntityKey> => {
    const key = keyOf(item)
    const other = key === null ? undefined : restored.get(key)
    return other === undefined || other === id ? [] : [{ type, id }]
  })
}

const distinct = (keys: ReadonlyArray<EntityKey>): ReadonlyArray<EntityKey> => [
  ...new Map(keys.map(({ id, type }) => [keyText({ id, type }), { id, type }])).values()
]

const differing = <A extends object>({ now, next }: Restored<A>): Difference<A> => {
  const ids = [...new Set([...now.keys(), ...next.keys()])].filter((id) => !isSame(now.get(id), next.get(id)))
  const of = (side: ReadonlyMap<string, A>) =>
    new Map(
      ids.flatMap((id) => {
        const item = side.get(id)
        return item === undefined ? [] : [[id, item] as const]
      })
    )
  return { now: of(now), next: of(next) }
}

/** The lists of changed things, and those that show a changed reminder. */
const touchedBy = (
  changed: { readonly things: Difference<Thing>; readonly reminders: Difference<Reminder> },
  things: Restored<Thing>
): ReadonlySet<ListId> => {
  const touched = new Set<ListId>()
  for (const side of [changed.things.now, changed.things.next])
    for (const thing of side.values()) touched.add(thing.listId)
  const reminded = new Set<string>()
  for (const side of [changed.reminders.now, changed.reminders.next])
    for (const reminder of side.values()) reminded.add(reminder.thingId)
  if (reminded.size > 0)
    for (const thing of things.next.values()) if (reminded.has(thing.cloneOf ?? thing.id)) touched.add(thing.listId)
  return touched
}
