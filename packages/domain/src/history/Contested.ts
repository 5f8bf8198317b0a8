import { Effect } from "effect"
import type { StorageUnavailable } from "../model/Errors.ts"
import type { AccountId } from "../model/Ids.ts"
import { type EntityChange, type EntityKey, isSame, keyText } from "../model/Operation.ts"
import type { HistoryStore, LaterOperation } from "../ports/HistoryStore.ts"
import { entityMap, keysOf, type OperationChanges } from "./Entities.ts"
import { blocking, withUndos } from "./InEffect.ts"

/** Entities of operations that are read at a time; one operation is read in one piece. */
const entitiesPerRead = 1_000

/**
 * How later operations restrict an undo of the selected ones, which are in effect and come newest first. An entity is
 * contested when a later operation changed it in more than `updated`. `kept` are the selected operations without the
 * contested entities of which they moved only `updated`. `changedLater` are the keys (`keyText`) of the other contested
 * entities, which cannot be undone without the later operations (docs/history.md#undo).
 */
export const withoutContested = Effect.fnUntraced(function* (
  history: HistoryStore["Service"],
  owner: AccountId,
  selected: ReadonlyArray<OperationChanges>
) {
  const { operation: newest } = yield* history.head(owner)
  const taken = new Set(selected.map(({ operation }) => operation.id))
  const changedLater = new Set<string>()
  const kept: Array<OperationChanges> = []
  for (const each of selected) {
    const { changes, operation } = each
    const later = operation.id === newest ? [] : yield* history.later(owner, operation.at, keysOf(changes))
    const undos = yield* withUndos(
      history,
      owner,
      later.map((each) => each.operation)
    )
    const contested = new Map<string, EntityKey>()
    const blockers = blocking(operation, later, undos, taken)
    const changedBy = blockers.length === 0 ? new Map() : yield* changedKeysBy(history, owner, later)
    for (const { operation } of blockers)
      for (const key of changedBy.get(operation.id) ?? []) contested.set(keyText(key), key)
    const own = contested.size === 0 ? [] : yield* changedKeys(history, each, [...contested.values()])
    for (const key of own) {
      contested.delete(keyText(key))
      changedLater.add(keyText(key))
    }
    kept.push({
      operation,
      changes: contested.size === 0 ? changes : changes.filter((each) => !contested.has(keyText(each)))
    })
  }
  return { kept, changedLater }
})

/** The given keys whose entities the operation changed in more than `updated`. */
const changedKeys = Effect.fnUntraced(function* (
  history: HistoryStore["Service"],
  { changes, operation: { at, owner } }: OperationChanges,
  keys: ReadonlyArray<EntityKey>
): Effect.fn.Return<ReadonlyArray<EntityKey>, StorageUnavailable> {
  const asked = new Set(keys.map(keyText))
  const updated = changes.filter((each) => each.change === "updated" && asked.has(keyText(each)))
  if (updated.length === 0) return keys
  const after = entityMap(yield* history.after(owner, at, keysOf(updated)))
  const same = updated.filter((each) => isSame(each.before?.value, after.get(keyText(each))?.value))
  const none = new Set(same.map(keyText))
  return keys.filter((key) => !none.has(keyText(key)))
})

/**
 * For each of these operations, by id, the keys of the entities that it changed in more than `updated`; all its keys if
 * its images are gone. The operations come oldest first, and must include every change to these keys since the first of
 * them.
 */
const changedKeysBy = Effect.fnUntraced(function* (
  history: HistoryStore["Service"],
  owner: AccountId,
  later: ReadonlyArray<LaterOperation>
): Effect.fn.Return<ReadonlyMap<string, ReadonlyArray<EntityKey>>, StorageUnavailable> {
  const all = new Map(later.flatMap(({ keys }) => keys.map((key) => [keyText(key), key] as const)))
  /** The entities as they were after the operation that is looked at. */
  const after = entityMap(yield* history.current(owner, [...all.values()]))
  const changedBy = new Map<string, ReadonlyArray<EntityKey>>()
  for (const some of inPieces(later.toReversed())) {
    const changes = yield* history.changesOf(
      owner,
      some.map(({ keys, operation }) => ({ at: operation.at, keys }))
    )
    for (const { keys, operation } of some) {
      const before = new Map((changes.get(operation.at) ?? []).map((change) => [keyText(change), change]))
      const hasChanged = (key: EntityKey): boolean => isChanged(before.get(keyText(key)), after.get(keyText(key)))
      changedBy.set(operation.id, keys.filter(hasChanged))
      for (const key of keys) {
        const former = before.get(keyText(key))?.before
        if (former === undefined) after.delete(keyText(key))
        else after.set(keyText(key), former)
      }
    }
  }
  return changedBy
})

/** Whether a change touches more than `updated`. A change that is no longer known counts as one that does. */
const isChanged = (change: EntityChange | undefined, after: EntityChange["before"]): boolean =>
  change?.change !== "updated" || !isSame(change.before?.value, after?.value)

function* inPieces(later: ReadonlyArray<LaterOperation>): Generator<ReadonlyArray<LaterOperation>> {
  let [piece, size]: [Array<LaterOperation>, number] = [[], 0]
  for (const each of later) {
    if (size > 0 && size + each.keys.length > entitiesPerRead) {
      yield piece
      piece = []
      size = 0
    }
    piece.push(each)
    size += each.keys.length
  }
  if (piece.length > 0) yield piece
}
