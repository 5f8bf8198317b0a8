import { Context, type Effect } from "effect"
import type { NotFound, StorageUnavailable } from "../model/Errors.ts"
import type { AccountId } from "../model/Ids.ts"

/**
 * The one door to writing. Everything that a use case changes happens inside `transact`: all of it or none.
 */
export class Storage extends Context.Service<
  Storage,
  {
    /**
     * Runs `body` in a transaction that has locked the owner's account row first, so that writes of one
     * account have one order. `writeTimestamp` is the time of this write in epoch milliseconds, strictly later than
     * the account's last one and never earlier than the clock; what is made is dated by `ClockSkew.dateOf`, since
     * writeTimestamps go on from where a clock that was ahead has left them, which is said in the log. Joins an outer `transact` of the same fiber
     * and hands out its writeTimestamp again. Serialization failures and deadlocks are retried as a whole.
     * `NotFound` when the account is gone.
     */
    readonly transact: <A, E, R>(
      owner: AccountId,
      body: (writeTimestamp: number) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | NotFound | StorageUnavailable, R>
    /**
     * Runs `body`, which only reads, on what is there at one moment: what others write meanwhile does not show, and
     * nobody waits for it. Takes no lock, has no limit of time as a whole and is never repeated. A write inside fails.
     * Joins an outer `transact` of the same fiber.
     */
    readonly snapshot: <A, E, R>(
      owner: AccountId,
      body: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | StorageUnavailable, R>
    /** Succeeds when the storage answers within its time limits. */
    readonly ping: Effect.Effect<void, StorageUnavailable>
  }
>()("@lists-and-things/domain/ports/Storage") {}

/** What every reading and writing method of a port can end in. */
export type Stored<A> = Effect.Effect<A, StorageUnavailable>

/** One page of an ordered reading. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly hasMore: boolean
}
