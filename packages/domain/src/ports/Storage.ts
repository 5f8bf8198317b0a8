import { Context, type Effect } from "effect"
import type { NotFound, StorageUnavailable } from "../model/Errors.ts"
import type { AccountId } from "../model/Ids.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"

/** The only way to write: every change of a use case happens inside `transact`, all or nothing. */
export class Storage extends Context.Service<
  Storage,
  {
    /**
     * Runs `body` in a transaction that first locks the owner's account, so that writes of one account are
     * serialized. `writeTimestamp` is the time of this write: later than that of the account's last one, and never
     * earlier than the clock. Write timestamps continue from where a clock that was ahead has left them, which is
     * logged; new entities are therefore dated by `ClockSkew.dateOf`. Joins an outer `transact` of the
     * same fiber and passes on its `writeTimestamp`. Serialization failures and deadlocks are retried as a whole.
     * `NotFound` when the account does not exist. With `unlimited`, nothing ends a statement that takes long, nor a
     * transaction whose statements are far apart: for programs that do nothing else meanwhile.
     */
    readonly transact: <A, E, R>(
      owner: AccountId,
      body: (writeTimestamp: EpochMillis) => Effect.Effect<A, E, R>,
      options?: TransactionOptions
    ) => Effect.Effect<A, E | NotFound | StorageUnavailable, R>
    /**
     * Like `transact`, for a write that begins with a read. `read` runs inside the transaction, after the lock; it only
     * reads. Adapters may send it together with the lock.
     */
    readonly transactWith: <A, E, R, B>(
      owner: AccountId,
      read: Stored<B>,
      body: (writeTimestamp: EpochMillis, read: B) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | NotFound | StorageUnavailable, R>
    /**
     * Runs `body`, which only reads, on a consistent snapshot, without seeing or blocking concurrent writes. Takes no
     * lock, has no overall timeout and is never retried. A write inside fails. Joins an outer `transact` of the same
     * fiber.
     */
    readonly snapshot: <A, E, R>(
      owner: AccountId,
      body: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | StorageUnavailable, R>
    /** Succeeds when the storage answers within its time limits. */
    readonly ping: Effect.Effect<void, StorageUnavailable>
  }
>()("@lists-and-things/domain/ports/Storage") {}

export interface TransactionOptions {
  readonly unlimited: boolean
}

/** The result of every method of a storage port. */
export type Stored<A> = Effect.Effect<A, StorageUnavailable>

/** One page of an ordered result. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly hasMore: boolean
}
