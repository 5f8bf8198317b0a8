import { Clock, Effect, type Scope } from "effect"
import type { StorageUnavailable } from "../Errors.ts"
import { held, type Held, makeGathering } from "../Gathering.ts"
import type { Admission, KeyStore } from "../ports/KeyStore.ts"

/** The part of a statement's answer that belongs to one request. */
export interface Turn {
  readonly admission: Admission
  /** Whether this request fitted in the window. */
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
 * Counts requests that come together in one statement, for all keys. No request is answered by a statement that began
 * before the request came, so that a revocation holds from the moment it is committed.
 */
export const makeAdmissions = (
  store: KeyStore["Service"],
  scope: Scope.Scope
): ((id: string, secretHash: string) => Effect.Effect<Turn | undefined, StorageUnavailable>) => {
  const admit = makeGathering<Presented, Turn | undefined, StorageUnavailable>(
    {
      keyOf: nameOf,
      atOnce: 1,
      run: (requests, waits) =>
        Effect.gen(function* () {
          const byKey = Map.groupBy(requests, nameOf)
          const asked = [...byKey.values()].map((own) => ({ ...own[0]!, requests: own.length }))
          const now = yield* Clock.currentTimeMillis
          const answers = waits ? [yield* store.admit(asked[0]!, now)] : yield* store.admitAll(asked, now)
          const turns = new Map([...byKey.keys()].map((name, at) => [name, turnsOf(answers[at])]))
          return requests.map((request) => turns.get(nameOf(request))!())
        })
    },
    scope
  )
  return (id, secretHash) => admit({ id, secretHash })
}

/** Gives each request of a key its own place in the window, in the order in which they came. */
const turnsOf = (admission: Admission | Held | undefined): (() => Turn | Held | undefined) => {
  if (admission === undefined || admission === held) return () => admission
  const before = admission.used - admission.admitted
  let at = 0
  return () => {
    const place = at++
    const admitted = place < admission.admitted
    const remaining = admitted ? Math.max(0, admission.key.rateLimit - before - place - 1) : 0
    return { admission, admitted, remaining }
  }
}
