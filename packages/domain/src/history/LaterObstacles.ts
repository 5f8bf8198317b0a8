import { Effect } from "effect"
import type { StorageUnavailable } from "../model/Errors.ts"
import { type EntityChange, type EntityKey, keyText, type Operation } from "../model/Operation.ts"
import { addMillis } from "../model/EpochMillis.ts"
import type { HistoryStore } from "../ports/HistoryStore.ts"
import { withoutContested } from "./Contested.ts"
import { cursorAfter, type FollowingCursor } from "./Cursor.ts"
import { distinctKeys, keyOf, referencesOf } from "./Entities.ts"

/** Entities of later operations that are read at a time. */
const keysPerRead = 500

/**
 * Whether something that was done later blocks the undo of an operation that only created entities
 * (`HistoryStore.onlyCreated`). Decides what `planUndo` decides, but reads what was changed later in place of all that
 * the operation created, and stops at the first obstacle.
 */
export const isBlockedLater = Effect.fnUntraced(function* (
  history: HistoryStore["Service"],
  operation: Operation
): Effect.fn.Return<boolean, StorageUnavailable> {
  let cursor: FollowingCursor = { _tag: "Following", point: { at: operation.at, operation: operation.id }, skip: 0 }
  for (;;) {
    const found = yield* history.following(operation.owner, cursor.point.at, cursor.skip, keysPerRead)
    if (found.length === 0) return false
    const keys = distinctKeys(found.flatMap((later) => later.keys))
    if (yield* isObstacleAmong(history, operation, keys)) return true
    cursor = cursorAfter(cursor, found)
  }
})

/** Whether one of these entities, which were changed later, is in the way. */
const isObstacleAmong = Effect.fnUntraced(function* (
  history: HistoryStore["Service"],
  operation: Operation,
  keys: ReadonlyArray<EntityKey>
) {
  const { owner } = operation
  const current = yield* history.current(owner, keys)
  const named = distinctKeys(current.flatMap(referencesOf))
  const created = yield* createdAmong(history, operation, distinctKeys([...keys, ...named]))
  if (created.size === 0) return false
  const changes = keys.filter((key) => created.has(keyText(key))).map(asCreated)
  const { changedLater } = yield* withoutContested(history, owner, [{ operation, changes }])
  const going = yield* withoutDays(history, operation, created)
  return (
    [...going.keys()].some((key) => changedLater.has(key)) ||
    current.some(
      (entity) => !created.has(keyText(keyOf(entity))) && referencesOf(entity).some((key) => going.has(keyText(key)))
    )
  )
})

/** Those of the keys that the operation created, by `keyText`. */
const createdAmong = (
  history: HistoryStore["Service"],
  { at, id, owner }: Operation,
  keys: ReadonlyArray<EntityKey>
): Effect.Effect<ReadonlyMap<string, EntityKey>, StorageUnavailable> =>
  Effect.map(history.later(owner, addMillis(at, -1), keys), ([first]) => {
    const created = first?.operation.id === id ? first.keys : []
    return new Map(created.map((key) => [keyText(key), key]))
  })

/** Without day lists: an undo keeps those that are used or were changed later. */
const withoutDays = Effect.fnUntraced(function* (
  history: HistoryStore["Service"],
  { owner }: Operation,
  created: ReadonlyMap<string, EntityKey>
) {
  const going = new Map(created)
  const lists = [...created.values()].filter(({ type }) => type === "list")
  for (const entity of yield* history.current(owner, lists))
    if (entity.type === "list" && entity.value.day !== null) going.delete(keyText(keyOf(entity)))
  return going
})

const asCreated = (key: EntityKey): EntityChange => ({ ...key, change: "created", before: undefined })
