import { Context, Effect } from "effect"
import { Caller } from "./Caller.ts"
import type { StorageUnavailable } from "./Errors.ts"
import type { Actor, Operation, OperationId, Surface } from "./Operation.ts"

/** One call of a client. The host makes it; the write fills in what can be known only then. */
export interface OperationCall {
  /** `Operation.name`. */
  readonly name: string
  readonly surface: Surface
  readonly by: Actor
  readonly requestId: string | null
  /**
   * Makes the call a dry run: the outermost `Storage.transact` runs this on what the body has written, with the
   * operation that it would leave (undefined for none), and then rolls everything back.
   */
  readonly inspect?: (operation: Operation | undefined) => Effect.Effect<void, StorageUnavailable>
  /** Set before the write is stored, and cleared by it: another write of the same call begins without a summary. */
  summary?: string | undefined
  /** Set by an undo, as `summary` is. */
  undoes?: OperationId | undefined
  /** Set like `summary` by a use case whose answer contains the operation; otherwise the adapter chooses an id. */
  id?: OperationId | undefined
  /** Set when a write that left an operation is committed, and when a repeated write is answered from its record. */
  recorded?: OperationId | undefined
  /** What the caller should know beside the answer; set by `notify`. */
  notice?: string | undefined
}

/** The call that the fiber serves. A write without one is the operator's, named `write`. */
export const CurrentOperation = Context.Reference<OperationCall | undefined>(
  "@lists-and-things/domain/CurrentOperation",
  { defaultValue: () => undefined }
)

/** A call; `requestId` is the `Idempotency-Key` or `request_id` that came with it. */
export const callBy = (
  caller: Caller["Service"],
  name: string,
  surface: Surface,
  requestId: string | null = null
): OperationCall => ({
  name,
  surface,
  // Lazy, since the caller is known only once the request is admitted; writes come after that.
  get by() {
    return caller.by
  },
  requestId
})

/** A call of the fiber's caller. */
export const callOf = (
  name: string,
  surface: Surface,
  requestId: string | null = null
): Effect.Effect<OperationCall, never, Caller> =>
  Effect.map(Caller, (caller) => callBy(caller, name, surface, requestId))

/** Who operates the server: the user of the system that a command runs as, which is given by the program. */
export const Operator = Context.Reference<Actor>("@lists-and-things/domain/Operator", {
  defaultValue: () => byOperator.by
})

/** Sets the summary of the current write of the call, or else of its next one; the last summary counts. */
export const describe = (summary: string): Effect.Effect<void> =>
  Effect.map(CurrentOperation, (call) => {
    if (call !== undefined) call.summary = summary
  })

/**
 * Adds a notice to the answer about something the caller may not expect, such as what was left out or that nothing was
 * done. One sentence in English. A write that is retried adds it once.
 */
export const notify = (notice: string): Effect.Effect<void> =>
  Effect.map(CurrentOperation, (call) => {
    if (call === undefined || call.notice?.includes(notice) === true) return
    call.notice = call.notice === undefined ? notice : `${call.notice} ${notice}`
  })

/** For adapters: a write of the call has committed and left this operation. */
export const committedAs = (call: OperationCall | undefined, operation: OperationId): void => {
  if (call !== undefined) call.recorded = operation
}

/** For adapters: clears what the call said of its last write, when that has ended. */
export const forgetWrite = (call: OperationCall | undefined): Effect.Effect<void> => Effect.sync(() => forget(call))

const forget = (call: OperationCall | undefined): void => {
  if (call !== undefined) call.summary = call.undoes = call.id = undefined
}

/** What an operation says of the call that made it. */
export type CallRecord = Pick<Operation, "name" | "surface" | "by" | "requestId" | "summary" | "undoes">

/** For adapters that record an operation. Without a summary, the name of the call is the summary. */
export const recordOf = (call: OperationCall | undefined): CallRecord => {
  if (call === undefined) return { ...byOperator, summary: byOperator.name }
  const { by, name, requestId, summary = name, surface, undoes = null } = call
  return { name, surface, by, requestId, summary, undoes }
}

/** `recordOf` and `forgetWrite` in one, for an adapter that keeps the record until the write has ended. */
export const takeRecord = (call: OperationCall | undefined): CallRecord => {
  const record = recordOf(call)
  forget(call)
  return record
}

const byOperator = {
  name: "write",
  surface: "cli",
  by: { type: "operator", id: "operator", name: "operator" },
  requestId: null,
  undoes: null
} as const
