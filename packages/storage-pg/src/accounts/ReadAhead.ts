import { type Account, isSameAccount } from "@lists-and-things/domain/model/Account"
import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import type { AdmittedRead, KeyStore, QuotaSlot } from "@lists-and-things/domain/ports/KeyStore"
import { Effect, Exit } from "effect"
import { begin } from "../connection/Pipeline.ts"
import { present, type RateLimiter } from "./RateLimiter.ts"
import { RememberedKeys } from "./RememberedKeys.ts"

type Read<A> = (account: Account) => Effect.Effect<A, StorageUnavailable>

/**
 * `KeyStore.admitWith`. A key and secret that were admitted before are remembered with their account, so that the next
 * request can read before its own admission is known: whose key it is never changes. What was read that way is used
 * only if the account has not changed either. A key that was refused is forgotten: it reads nothing until it is admitted
 * again.
 */
export const makeAdmitWith = (limiter: RateLimiter): KeyStore["Service"]["admitWith"] => {
  const remembered = new RememberedKeys<Account>()

  const readLater = <A>(slot: QuotaSlot, read: Read<A>): AdmittedRead<A> => ({
    slot,
    found: Effect.suspend(() => read(slot.account))
  })

  return (id, secretHash, read) =>
    Effect.withFiber(({ context }) => {
      const alone = present(id, secretHash)
      const { name } = alone
      const known = remembered.get(name)
      if (known === undefined)
        return Effect.map(limiter.answer(alone), (slot) => {
          if (slot?.admitted === true) remembered.set(name, slot.account)
          return slot && readLater(slot, read)
        })
      return Effect.callback((resume) => {
        let slot: QuotaSlot | undefined
        let found: AdmittedRead<Effect.Success<ReturnType<typeof read>>>["found"] | undefined
        let isEarly = false
        const answerIfComplete = () => {
          if (slot !== undefined && found !== undefined) resume(Effect.succeed({ slot, found }))
        }
        const beginning = begin(read(known), context, (exit) => {
          found = exit
          answerIfComplete()
        })
        const accompanying = {
          begin: beginning,
          onEarly: () => {
            isEarly = true
          }
        }
        limiter.enqueue({ ...alone, read: accompanying }, context, (exit) => {
          if (Exit.isFailure(exit)) return resume(Exit.failCause(exit.cause))
          const { value } = exit
          if (value?.admitted !== true) remembered.forget(name)
          if (value === undefined) return resume(Effect.undefined)
          const isCurrent = isSameAccount(known, value.account)
          if (value.admitted && !isCurrent) remembered.set(name, value.account)
          if (!value.admitted || !isCurrent || isEarly) return resume(Effect.succeed(readLater(value, read)))
          slot = value
          answerIfComplete()
        })
      })
    })
}
