import { Context } from "effect"
import type { Account } from "../model/Account.ts"
import type { ApiKey } from "../model/ApiKey.ts"
import type { AccountId } from "../model/Ids.ts"
import type { Contended } from "../scheduling/Batcher.ts"
import type { Stored } from "./Storage.ts"

/** What one counting step admitted for a key. */
export interface QuotaGrant {
  readonly key: ApiKey
  readonly account: Account
  /** How many of the requests fit in the window; the others are rejected and not counted. */
  readonly admitted: number
  /** Requests counted in this window, including these. */
  readonly used: number
  /** Epoch milliseconds at which the window ends. */
  readonly resetAt: number
}

/** Requests of one key. */
export interface QuotaRequest {
  readonly id: string
  readonly secretHash: string
  /** Number of requests, at least 1. */
  readonly requests: number
}

export class KeyStore extends Context.Service<
  KeyStore,
  {
    readonly insert: (key: ApiKey) => Stored<void>
    readonly get: (id: string) => Stored<ApiKey | undefined>
    /** By `created`, then id; the keys of every account when `owner` is omitted. */
    readonly list: (owner?: AccountId) => Stored<ReadonlyArray<ApiKey>>
    /** True when the key exists; the time of the first revocation is kept. */
    readonly revoke: (id: string, now: number) => Stored<boolean>
    /**
     * Reads a key that is not revoked and counts up to `requests` against its window in one atomic step, across
     * processes. Undefined, without counting, when `secretHash` does not match. A window begins with the first request
     * after the last one ended and lasts an hour; one that begins in the future (`ClockSkew`) is over. Also updates
     * `lastUsed`, which only moves backwards from the future.
     */
    readonly admit: (asked: QuotaRequest, now: number) => Stored<QuotaGrant | undefined>
    /**
     * The same for many keys in one step, each pair of key and secret at most once; answers in request order. Never
     * waits for a lock: a key that is `contended` is not counted, and is requested again on its own.
     */
    readonly admitAll: (
      asked: ReadonlyArray<QuotaRequest>,
      now: number
    ) => Stored<ReadonlyArray<QuotaGrant | Contended | undefined>>
  }
>()("@lists-and-things/domain/ports/KeyStore") {}
