import { Context } from "effect"
import type { Outdated } from "../days/ClockSkew.ts"
import type { AccountId } from "../model/Ids.ts"
import type { OperationId } from "../model/Operation.ts"
import type { Stored } from "./Storage.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"

/** The stored answer of a write that a client may repeat under its `Idempotency-Key`. */
export interface IdempotencyRecord {
  /** As the client sent it; of one account. */
  readonly key: string
  /** SHA-256 of the request, to detect a different request under the same key. */
  readonly fingerprint: string
  /** The answer as JSON text; empty when it is no longer kept. */
  readonly answer: string
  /** When the write was made; the record counts for 24 hours from then (docs/decisions.md#writes). */
  readonly created: EpochMillis
}

/** What identifies a write under a key before there is an answer. */
export interface KeyedWrite extends Pick<IdempotencyRecord, "key" | "fingerprint"> {
  /** Records created outside of these bounds count as absent. */
  readonly outdated: Outdated
  /** At most this many outdated records of the account are removed along with the write. */
  readonly maxPruned: number
}

/** A record that was read, with what its answer needs beside the text. */
export interface FoundRecord extends IdempotencyRecord {
  /** The operation of the write that stored the record; absent when that changed nothing, or was pruned. */
  readonly operationId?: OperationId
}

/** Used inside `Storage.transact`, so that the record exists exactly when the effect does. */
export class IdempotencyStore extends Context.Service<
  IdempotencyStore,
  {
    /** The record of a key that was created after a time, exclusive. */
    readonly get: (owner: AccountId, key: string, after: EpochMillis) => Stored<FoundRecord | undefined>
    /** Replaces an expired record of the same key. */
    readonly put: (owner: AccountId, record: IdempotencyRecord) => Stored<void>
    /**
     * Empties the answers of an account's records that exceed so many bytes in UTF-8, the oldest ones; contended records
     * are passed over. Returns how many. Fingerprint and operation stay.
     */
    readonly dropAnswers: (owner: AccountId, bytes: number) => Stored<number>
    /** Removes at most `max` outdated records of any account, oldest first; returns how many. */
    readonly prune: (created: Outdated, max: number) => Stored<number>
    /** Like `prune`, for one account, within its transaction. */
    readonly pruneOf: (owner: AccountId, created: Outdated, max: number) => Stored<number>
  }
>()("@lists-and-things/domain/ports/IdempotencyStore") {}
