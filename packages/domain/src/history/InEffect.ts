import { Effect } from "effect"
import type { StorageUnavailable } from "../model/Errors.ts"
import type { AccountId } from "../model/Ids.ts"
import { type Operation, writeTimestampOf } from "../model/Operation.ts"
import type { HistoryStore, LaterOperation } from "../ports/HistoryStore.ts"

/** Operations by id, with all that undid them. */
export type Undos = ReadonlyMap<string, Operation>

/** The given operations with the chain of undos and redos of each. */
export const withUndos = Effect.fnUntraced(function* (
  history: HistoryStore["Service"],
  owner: AccountId,
  operations: Iterable<Operation>
): Effect.fn.Return<Undos, StorageUnavailable> {
  const known = new Map<string, Operation>(Array.from(operations, (operation) => [operation.id, operation]))
  for (const operation of [...known.values()]) {
    let { undoneBy } = operation
    while (undoneBy !== null && !known.has(undoneBy)) {
      const undo: Operation | undefined = yield* history.get(owner, undoneBy)
      if (undo === undefined) break
      known.set(undo.id, undo)
      undoneBy = undo.undoneBy
    }
  }
  return known
})

/** Whether what an operation did has not been undone, or was redone. Those in `taken` count as undone. */
export const isInEffect = (operation: Operation, undos: Undos, taken: ReadonlySet<string> = new Set()): boolean => {
  let inEffect = true
  let at: Operation | undefined = operation
  while (at !== undefined && !taken.has(at.id) && at.undoneBy !== null) {
    inEffect = !inEffect
    at = undos.get(at.undoneBy)
  }
  return at !== undefined && taken.has(at.id) ? !inEffect : inEffect
}

/** The newest operation that undid an operation, or redid it. */
export const lastUndoOf = (operation: Operation, undos: Undos): string => {
  let last: string = operation.id
  for (let at: Operation | undefined = operation; at?.undoneBy != null; at = undos.get(at.undoneBy)) last = at.undoneBy
  return last
}

/**
 * The later operations that block an undo of `operation`. Operations that were undone do not block, nor does an undo of
 * a later operation, since the entities are as if neither had happened (docs/decisions.md#history).
 */
export const blocking = (
  operation: Pick<Operation, "at">,
  later: ReadonlyArray<LaterOperation>,
  undos: Undos,
  taken: ReadonlySet<string>
): ReadonlyArray<LaterOperation> =>
  later.filter(
    ({ operation: each }) =>
      isInEffect(each, undos, taken) && (each.undoes === null || (writeTimestampOf(each.undoes) ?? 0) <= operation.at)
  )
