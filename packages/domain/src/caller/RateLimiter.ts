import { Clock, Effect, type Scope } from "effect"
import type { StorageUnavailable } from "../model/Errors.ts"
import { contended, type Contended, makeBatcher } from "../scheduling/Batcher.ts"
import type { QuotaGrant, KeyStore } from "../ports/KeyStore.ts"

/** One request's share of a quota grant. */
export interface QuotaSlot {
  readonly grant: QuotaGrant
  /** Whether this request fits in the window. */
  readonly admitted: boolean
  /** Requests left in the window after this one. */
  readonly remaining: number
}

interface Presented {
  readonly id: string
  readonly secretHash: string
}

const nameOf = ({ id, secretHash }: Presented): string => `${id} ${secretHash}`

/**
 * Counts concurrent requests of all keys in one statement. A request is never answered by a statement that began before
 * it arrived, so a revocation takes effect when it is committed.
 */
export const makeRateLimiter = (
  store: KeyStore["Service"],
  scope: Scope.Scope
): ((id: string, secretHash: string) => Effect.Effect<QuotaSlot | undefined, StorageUnavailable>) => {
  const admit = makeBatcher<Presented, QuotaSlot | undefined, StorageUnavailable>(
    {
      keyOf: nameOf,
      maxConcurrentBatches: 1,
      runBatch: (requests, mode) =>
        Effect.gen(function* () {
          const byKey = Map.groupBy(requests, nameOf)
          const asked = [...byKey.values()].map((own) => ({ ...own[0]!, requests: own.length }))
          const now = yield* Clock.currentTimeMillis
          const answers = mode === "wait" ? [yield* store.admit(asked[0]!, now)] : yield* store.admitAll(asked, now)
          const slots = new Map([...byKey.keys()].map((name, at) => [name, slotsOf(answers[at])]))
          return requests.map((request) => slots.get(nameOf(request))!())
        })
    },
    scope
  )
  return (id, secretHash) => admit({ id, secretHash })
}

/** Assigns each request of a key its own quota slot, in order of arrival. */
const slotsOf = (grant: QuotaGrant | Contended | undefined): (() => QuotaSlot | Contended | undefined) => {
  if (grant === undefined || grant === contended) return () => grant
  const before = grant.used - grant.admitted
  let at = 0
  return () => {
    const index = at++
    const admitted = index < grant.admitted
    const remaining = admitted ? Math.max(0, grant.key.rateLimit - before - index - 1) : 0
    return { grant, admitted, remaining }
  }
}
