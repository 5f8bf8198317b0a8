import type { List } from "../model/List.ts"
import {
  type Entity,
  type EntityChange,
  type EntityKey,
  type EntityType,
  keyText,
  type Operation,
  type Settings
} from "../model/Operation.ts"
import type { SavedPlace } from "../model/Place.ts"
import type { Reminder } from "../model/Reminder.ts"
import type { Thing } from "../model/Thing.ts"
import type { Steps } from "../scheduling/Yielding.ts"
import { shortText } from "../summaries/OperationSummaries.ts"

/** Entities by `keyText`. */
export type EntityMap = ReadonlyMap<string, Entity>

/** An operation with all of its changes, or those under consideration. */
export interface OperationChanges {
  readonly operation: Operation
  readonly changes: ReadonlyArray<EntityChange>
}

export const keyOf = (entity: Entity): EntityKey => ({ type: entity.type, id: entity.value.id })

export const keysOf = (entities: Iterable<EntityKey>): ReadonlyArray<EntityKey> =>
  Array.from(entities, ({ id, type }) => ({ id, type }))

/** Each of these keys once, in their order. */
export const distinctKeys = (keys: Iterable<EntityKey>): ReadonlyArray<EntityKey> => [
  ...new Map(Array.from(keys, ({ id, type }) => [keyText({ id, type }), { id, type }])).values()
]

export const entityMap = (entities: Iterable<Entity>): Map<string, Entity> =>
  new Map(Array.from(entities, (entity) => [keyText(keyOf(entity)), entity]))

/** What a thing or a reminder refers to. */
interface Reference extends EntityKey {
  readonly type: "list" | "thing" | "place"
}

export const referencesOf = (entity: Entity): ReadonlyArray<Reference> => {
  if (entity.type === "thing") {
    const { cloneOf, listId, listRef } = entity.value
    return [
      { type: "list", id: listId },
      ...(listRef === null ? [] : [{ type: "list", id: listRef } as const]),
      ...(cloneOf === null ? [] : [{ type: "thing", id: cloneOf } as const])
    ]
  }
  if (entity.type !== "reminder") return []
  const { thingId, trigger } = entity.value
  return [
    { type: "thing", id: thingId },
    ...(trigger._tag === "Place" ? [{ type: "place", id: trigger.placeId } as const] : [])
  ]
}

/** What an entity of each type is. */
export interface EntityValues {
  readonly account: Settings
  readonly place: SavedPlace
  readonly list: List
  readonly thing: Thing
  readonly reminder: Reminder
}

/** The values of one type among entities, by id. */
export const valuesOf = <Type extends EntityType>(
  entities: Iterable<Entity>,
  type: Type
): Map<string, EntityValues[Type]> => {
  const values = new Map<string, EntityValues[Type]>()
  for (const entity of entities)
    if (entity.type === type) values.set(entity.value.id, entity.value as EntityValues[Type])
  return values
}

/** `the list “Groceries” (0199…)`; without its name where the entity is not known. */
export const nameOf = (key: EntityKey, entity: Entity | undefined): string => {
  const noun = key.type === "account" ? "settings" : key.type
  const name = entity === undefined ? undefined : titleOf(entity)
  return `the ${noun} ${name === undefined ? "" : `${shortText(name)} `}(${key.id})`
}

const titleOf = (entity: Entity): string | undefined => {
  switch (entity.type) {
    case "list":
      return entity.value.title
    case "thing":
      return entity.value.text.trim() === "" ? undefined : entity.value.text
    case "place":
      return entity.value.name
    default:
      return undefined
  }
}

/**
 * Merges the changes of several operations, newest first, into one change per entity: its state before all of them, and
 * what they did to it together.
 */
export function* mergeChanges(newestFirst: Iterable<ReadonlyArray<EntityChange>>): Steps<ReadonlyArray<EntityChange>> {
  const merged = new Map<string, EntityChange>()
  for (const changes of newestFirst)
    for (const change of changes) {
      yield
      const later = merged.get(keyText(change))
      merged.set(keyText(change), later === undefined ? change : joined(change, later))
    }
  return [...merged.values()].filter(({ before, change }) => before !== undefined || change !== "deleted")
}

const joined = (earlier: EntityChange, later: EntityChange): EntityChange => ({
  ...earlier,
  change: later.change === "deleted" ? "deleted" : earlier.before === undefined ? "created" : "updated"
})
