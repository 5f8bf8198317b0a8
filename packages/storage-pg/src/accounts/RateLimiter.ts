import { Effect, type Scope } from "effect"
import type { Account, AccountStamps } from "@lists-and-things/domain/model/Account"
import type { ApiKey } from "@lists-and-things/domain/model/ApiKey"
import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import type { QuotaSlot } from "@lists-and-things/domain/ports/KeyStore"
import { type Batcher, contended, type Contended, type LockMode, makeBatcher } from "../connection/Batcher.ts"
import { late } from "../connection/Refusals.ts"
import type { StartRead } from "../connection/Pipeline.ts"
import { currentTime, type EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

/** A read that goes out with the statement that counts its request. */
export interface AccompanyingRead {
  /** Reads, up to the first answer that it waits for. */
  readonly begin: StartRead
  /** The request was counted after the read had begun. */
  readonly onEarly: () => void
}

/** What a request presented. */
export interface Presented {
  readonly id: string
  readonly secretHash: string
  /** The id and the hash in one string. */
  readonly name: string
  readonly read: AccompanyingRead | undefined
}

/** A request that presented this key, without a read. */
export const present = (id: string, secretHash: string): Presented => ({
  id,
  secretHash,
  name: `${id} ${secretHash}`,
  read: undefined
})

/** Requests of one key. */
export interface QuotaRequest extends Pick<Presented, "id" | "secretHash"> {
  /** Number of requests, at least 1. */
  readonly requests: number
}

/** What one counting step admitted for a key. */
export interface QuotaGrant {
  readonly key: ApiKey
  readonly account: Account
  readonly stamps?: AccountStamps
  /** How many of the requests fit in the window; the others are rejected and not counted. */
  readonly admitted: number
  /** Requests counted in this window, including these. */
  readonly used: number
  /** The end of the window. */
  readonly resetAt: EpochMillis
}

/**
 * Counts many keys in one atomic step, each pair of key and secret at most once; answers in request order, undefined
 * for a pair that is not valid. With lock mode `skip` a contended key is not counted. The reads begin in the same flush,
 * after the step; `onEarly` is called for those that began before it.
 */
export type CountRequests = (
  requests: ReadonlyArray<QuotaRequest>,
  now: EpochMillis,
  mode: LockMode,
  reads: ReadonlyArray<AccompanyingRead>
) => Effect.Effect<ReadonlyArray<QuotaGrant | Contended | undefined>, StorageUnavailable>

export type RateLimiter = Batcher<Presented, QuotaSlot | undefined, StorageUnavailable>

/**
 * Counts concurrent requests of all keys in one statement. A request is never answered by a statement that began before
 * it arrived, so a revocation takes effect when it is committed.
 */
export const makeRateLimiter = (count: CountRequests, scope: Scope.Scope): RateLimiter =>
  makeBatcher<Presented, QuotaSlot | undefined, StorageUnavailable>(
    {
      keyOf: ({ name }) => name,
      maxConcurrentBatches: 1,
      late,
      runBatch: (presented, mode) =>
        Effect.flatMap(currentTime, (now) => {
          const byKey = new Map<string, Requests>()
          const reads: Array<AccompanyingRead> = []
          for (const { id, name, read, secretHash } of presented) {
            const known = byKey.get(name)
            if (known === undefined) byKey.set(name, { id, secretHash, requests: 1 })
            else known.requests++
            if (read === undefined) continue
            // The statement that skipped this key has already begun its reads.
            if (mode === "wait") read.onEarly()
            else reads.push(read)
          }
          return Effect.map(count([...byKey.values()], now, mode, reads), (grants) => {
            const slots = new Map([...byKey.keys()].map((name, at) => [name, slotsOf(grants[at])]))
            return presented.map(({ name }) => slots.get(name)!())
          })
        })
    },
    scope
  )

type Requests = { -readonly [Field in keyof QuotaRequest]: QuotaRequest[Field] }

/** Assigns each request of a key its own quota slot, in order of arrival. */
const slotsOf = (grant: QuotaGrant | Contended | undefined): (() => QuotaSlot | Contended | undefined) => {
  if (grant === undefined || grant === contended) return () => grant
  const { account, key, resetAt } = grant
  const stamps = grant.stamps === undefined ? {} : { stamps: grant.stamps }
  const before = grant.used - grant.admitted
  let at = 0
  return () => {
    const index = at++
    const admitted = index < grant.admitted
    const remaining = admitted ? Math.max(0, key.rateLimit - before - index - 1) : 0
    return { key, account, ...stamps, admitted, remaining, resetAt }
  }
}
