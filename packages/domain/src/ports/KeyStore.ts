import { Context } from "effect"
import type { Account, AccountStamps } from "../model/Account.ts"
import type { ApiKey } from "../model/ApiKey.ts"
import type { AccountId } from "../model/Ids.ts"
import type { Stored } from "./Storage.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"

/** The key that a request presented, and that request's place in the key's rate limit window. */
export interface QuotaSlot {
  readonly key: ApiKey
  readonly account: Account
  /** Absent where they are stored on another server than the keys; they are then read when needed. */
  readonly stamps?: AccountStamps
  /** Whether the request fits in the window; one that does not is not counted. */
  readonly admitted: boolean
  /** Requests left in the window after this one. */
  readonly remaining: number
  /** The end of the window, exclusive. */
  readonly resetAt: EpochMillis
}

/** A slot, and what was read along with it; `found` is not for requests that are not admitted. */
export interface AdmittedRead<A> {
  readonly slot: QuotaSlot
  readonly found: Stored<A>
}

/**
 * API keys, and the requests that each has made in its window (docs/decisions.md#rate-limit). A request names a key and
 * no account, so an id comes first.
 */
export class KeyStore extends Context.Service<
  KeyStore,
  {
    /** Stores a new key of an existing account. */
    readonly insert: (key: ApiKey) => Stored<void>
    /** Whether it is revoked or not. */
    readonly get: (id: string) => Stored<ApiKey | undefined>
    /** By `created`, then id; the keys of every account when `owner` is omitted. */
    readonly list: (owner?: AccountId) => Stored<ReadonlyArray<ApiKey>>
    /** Those of an account that are not revoked, in the same order. */
    readonly valid: (owner: AccountId) => Stored<ReadonlyArray<ApiKey>>
    /** True when the key exists; the time of the first revocation is kept. Switches off the webhooks that it made. */
    readonly revoke: (id: string, now: EpochMillis) => Stored<boolean>
    /** Revokes those of an account that are not revoked, and switches off the webhooks that they made; returns how many. */
    readonly revokeAll: (owner: AccountId, now: EpochMillis) => Stored<number>
    /**
     * Reads a key that is not revoked and counts one request against its window in one atomic step, across processes
     * and apart from a transaction around it. Undefined, without counting, when `secretHash` does not match. A
     * revocation takes effect when it is committed. A window begins with the first request after the last one ended and
     * lasts an hour; one that begins in the future (`ClockSkew`) is over. Also updates `lastUsed`, which only moves
     * backwards from the future. Adapters may count concurrent requests together.
     */
    readonly admit: (id: string, secretHash: string) => Stored<QuotaSlot | undefined>
    /**
     * Like `admit`, for a request that begins with a read. Adapters may send both together, and then throw away what was
     * read for a request that is refused. `read` gets the account of the slot, and sees all that the slot's stamps cover.
     */
    readonly admitWith: <A>(
      id: string,
      secretHash: string,
      read: (account: Account) => Stored<A>
    ) => Stored<AdmittedRead<A> | undefined>
  }
>()("@lists-and-things/domain/ports/KeyStore") {}
