import { Context } from "effect"
import type { Account } from "../model/Account.ts"
import type { ApiKey } from "../model/ApiKey.ts"
import type { AccountId } from "../model/Ids.ts"
import type { Contended } from "../scheduling/Batcher.ts"
import type { Stored } from "./Storage.ts"

/** What one statement finds out about a key and counts against it. */
export interface QuotaGrant {
  readonly key: ApiKey
  readonly account: Account
  /** Of the requests asked for, how many fit in the window; the others are refused and not counted. */
  readonly admitted: number
  /** Requests counted in this window, these included. */
  readonly used: number
  /** Epoch milliseconds at which the window ends. */
  readonly resetAt: number
}

/** Requests of one key. */
export interface QuotaRequest {
  readonly id: string
  readonly secretHash: string
  /** How many, at least 1. */
  readonly requests: number
}

export class KeyStore extends Context.Service<
  KeyStore,
  {
    readonly insert: (key: ApiKey) => Stored<void>
    readonly get: (id: string) => Stored<ApiKey | undefined>
    /** By `created`, then id; of every account when none is named. */
    readonly list: (owner?: AccountId) => Stored<ReadonlyArray<ApiKey>>
    /** True when there was such a key; the moment of the first revocation stays. */
    readonly revoke: (id: string, now: number) => Stored<boolean>
    /**
     * Reads a key that is not revoked and counts up to `requests` against its window in one atomic step,
     * across processes. Counts nothing and answers undefined when `secretHash` is not the key's.
     * A window begins with the first request after the last one ended and lasts an hour; one that begins in the
     * future (`ClockSkew`) is over. Also keeps `lastUsed`, which goes back only from the future.
     */
    readonly admit: (asked: QuotaRequest, now: number) => Stored<QuotaGrant | undefined>
    /**
     * The same for many keys in one step, each with each of its secrets at most once; answers in their order. Waits for nobody: a key
     * that is `contended` is not counted, and is asked for alone.
     */
    readonly admitAll: (
      asked: ReadonlyArray<QuotaRequest>,
      now: number
    ) => Stored<ReadonlyArray<QuotaGrant | Contended | undefined>>
  }
>()("@lists-and-things/domain/ports/KeyStore") {}
