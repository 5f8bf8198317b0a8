import type { Account } from "@lists-and-things/domain/model/Account"
import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import type { KeyStore } from "@lists-and-things/domain/ports/KeyStore"
import { Context, Deferred, Effect } from "effect"
import { CurrentPipeline } from "../connection/Pipeline.ts"
import { type Accompanying, type makeRateLimiter, nameOf } from "./RateLimiter.ts"

/** Keys whose accounts are remembered; of more, the ones that were seen first are forgotten. */
const maxRemembered = 10_000

const isSame = (a: Account, b: Account): boolean =>
  (Object.keys(a) as ReadonlyArray<keyof Account>).every((field) => a[field] === b[field])

/**
 * `KeyStore.admitWith`. A key and secret that were admitted before are remembered with their account, so that the next
 * request can read before its own admission is known: whose key it is never changes. What was read that way is given out
 * only if the account has not changed either. A key that was refused is forgotten: it reads nothing until it is admitted
 * again.
 */
export const makeAdmitWith = (admit: ReturnType<typeof makeRateLimiter>): KeyStore["Service"]["admitWith"] => {
  const remembered = new Map<string, Account>()

  const remember = (name: string, account: Account): void => {
    remembered.set(name, account)
    if (remembered.size > maxRemembered) remembered.delete(remembered.keys().next().value!)
  }

  return <A>(id: string, secretHash: string, read: (account: Account) => Effect.Effect<A, StorageUnavailable>) =>
    Effect.withFiber(({ context }) => {
      const name = nameOf({ id, secretHash })
      const known = remembered.get(name)
      const ahead = known === undefined ? undefined : { account: known, ...begin(read(known), context) }
      return Effect.map(admit(id, secretHash, ahead?.accompanying), (slot) => {
        if (slot?.admitted !== true) remembered.delete(name)
        if (slot === undefined) return undefined
        const isCurrent = ahead !== undefined && isSame(ahead.account, slot.account)
        if (slot.admitted && !isCurrent) remember(name, slot.account)
        const isUsable = isCurrent && !ahead.accompanying.isEarly
        return { slot, found: isUsable ? Deferred.await(ahead.found) : Effect.suspend(() => read(slot.account)) }
      })
    })
}

/** The read has the context of its own request, and the flush of those that are counted together. */
const begin = <A>(
  read: Effect.Effect<A, StorageUnavailable>,
  context: Context.Context<never>
): { readonly accompanying: Accompanying; readonly found: Deferred.Deferred<A, StorageUnavailable> } => {
  const found = Deferred.makeUnsafe<A, StorageUnavailable>()
  const begin = Effect.updateContext(Effect.asVoid(Deferred.into(read, found)), (flushing: Context.Context<never>) =>
    Context.add(context, CurrentPipeline, Context.get(flushing, CurrentPipeline))
  )
  return { accompanying: { begin, isEarly: false }, found }
}
