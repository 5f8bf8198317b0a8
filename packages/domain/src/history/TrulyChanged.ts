import { Effect } from "effect"
import type { StorageUnavailable } from "../model/Errors.ts"
import type { AccountId } from "../model/Ids.ts"
import { type EntityChange, type EntityKey, isSame, keyText } from "../model/Operation.ts"
import type { HistoryStore, LaterOperation } from "../ports/HistoryStore.ts"
import { entityMap } from "./Entities.ts"

/** Entities of operations that are read at a time; one operation is read in one piece. */
const entitiesPerRead = 1_000

/**
 * Which of its keys each of these operations, oldest first, changed in more than `updated`, by the operation's id; all
 * where its images are gone. The operations must be all that changed these keys since the first of them.
 */
export const trulyChangedBy = Effect.fnUntraced(function* (
  history: HistoryStore["Service"],
  owner: AccountId,
  later: ReadonlyArray<LaterOperation>
): Effect.fn.Return<ReadonlyMap<string, ReadonlyArray<EntityKey>>, StorageUnavailable> {
  const all = new Map(later.flatMap(({ keys }) => keys.map((key) => [keyText(key), key] as const)))
  /** The entities as they were after the operation that is looked at. */
  const after = entityMap(yield* history.current(owner, [...all.values()]))
  const truly = new Map<string, ReadonlyArray<EntityKey>>()
  for (const some of inPieces(later.toReversed())) {
    const changes = yield* history.changesOf(
      owner,
      some.map(({ keys, operation }) => ({ at: operation.at, keys }))
    )
    for (const { keys, operation } of some) {
      const before = new Map((changes.get(operation.at) ?? []).map((change) => [keyText(change), change]))
      const isTrue = (key: EntityKey): boolean => isTrulyChanged(before.get(keyText(key)), after.get(keyText(key)))
      truly.set(operation.id, keys.filter(isTrue))
      for (const key of keys) {
        const former = before.get(keyText(key))?.before
        if (former === undefined) after.delete(keyText(key))
        else after.set(keyText(key), former)
      }
    }
  }
  return truly
})

/** Whether a change is of more than `updated`, or not known any more. */
const isTrulyChanged = (change: EntityChange | undefined, after: EntityChange["before"]): boolean =>
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
