import { HistoryRetention } from "@lists-and-things/domain/history/HistoryRetention"
import {
  committedAs,
  CurrentOperation,
  forgetWrite,
  type OperationCall
} from "@lists-and-things/domain/model/CurrentOperation"
import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import type { AccountId } from "@lists-and-things/domain/model/Ids"
import type { OperationId } from "@lists-and-things/domain/model/Operation"
import type { TransactionOptions } from "@lists-and-things/domain/ports/Storage"
import { Effect } from "effect"
import { Database } from "../connection/Database.ts"
import { CurrentTransaction } from "../connection/Transaction.ts"
import { findOperation } from "./OperationRows.ts"
import { sendOperations } from "./OperationRecord.ts"

/** Rolls a dry run back; `answer` is what its body answered. */
class DryRun {
  readonly answer: unknown
  constructor(answer: unknown) {
    this.answer = answer
  }
}

/**
 * `Database.transactionFrom`, with the operation of each account whose write timestamp the transaction took. A call that
 * inspects its operation is a dry run.
 */
export const makeRecorded = Effect.gen(function* () {
  const db = yield* Database
  const keepsImages = (yield* HistoryRetention).days > 0

  const inspect = Effect.fnUntraced(function* (call: OperationCall, owner: AccountId, answer: unknown) {
    const tx = yield* CurrentTransaction
    const operation = yield* findOperation(db, owner, tx?.writeTimestamps.get(owner))
    yield* call.inspect!(operation)
    return yield* Effect.fail(new DryRun(answer))
  })

  return Effect.fnUntraced(function* <O, A, E, R, E2, R2>(
    owner: AccountId,
    opening: Effect.Effect<O, E, R>,
    body: (opened: O) => Effect.Effect<A, E2, R2>,
    options?: TransactionOptions
  ): Effect.fn.Return<A, E | E2 | StorageUnavailable, R | R2> {
    if ((yield* CurrentTransaction) !== undefined) return yield* db.transactionFrom(opening, body)
    const call = yield* CurrentOperation
    let operation: OperationId | undefined
    const recording = Effect.fnUntraced(function* (opened: O) {
      const answer = yield* body(opened)
      const tx = (yield* CurrentTransaction)!
      operation = undefined
      const added = (changed: string, id: OperationId) => {
        if (changed === owner) operation = id
      }
      yield* sendOperations(db, tx, { call, keepsImages: keepsImages || call?.inspect !== undefined, added })
      return call?.inspect === undefined ? answer : yield* inspect(call, owner, answer)
    })
    const answer = yield* db.transactionFrom(opening, recording, owner, options).pipe(
      Effect.catchIf(
        (error) => error instanceof DryRun,
        (dryRun) => Effect.succeed(dryRun.answer as A)
      ),
      Effect.ensuring(forgetWrite(call))
    )
    if (call?.inspect === undefined && operation !== undefined) committedAs(call, operation)
    return answer
  })
})
