import { Context, Effect } from "effect"
import type { StorageUnavailable } from "./Errors.ts"
import type { Actor, Operation, OperationId, Surface } from "./Operation.ts"

/** One call of a client. The host makes it; the write fills in what can be known only then. */
export interface OperationCall {
  readonly name: string
  readonly surface: Surface
  readonly by: Actor
  readonly requestId: string | null
  /**
   * Makes the call a dry run: the outermost `Storage.transact` runs this on what the body has written, with the
   * operation that it would leave (undefined for none), and then rolls everything back.
   */
  readonly inspect?: (operation: Operation | undefined) => Effect.Effect<void, StorageUnavailable>
  /** Set within the transaction. */
  summary?: string
  /** Set within the transaction by an undo. */
  undoes?: OperationId
  /** Set when a write that left an operation is committed, and when a repeated write is answered from its record. */
  recorded?: OperationId
}

/** The call that the fiber serves. A write without one is the operator's, named `write`. */
export const CurrentOperation = Context.Reference<OperationCall | undefined>(
  "@lists-and-things/domain/CurrentOperation",
  { defaultValue: () => undefined }
)

/** Names what the call changes. Inside `Storage.transact`; of several summaries the last one is kept. */
export const describe = (summary: string): Effect.Effect<void> =>
  Effect.map(CurrentOperation, (call) => {
    if (call !== undefined) call.summary = summary
  })
