import { Context, Effect } from "effect"
import { Forbidden, type RateLimited, type StorageUnavailable, type Unauthorized } from "./Errors.ts"
import type { Account, AccountStamps } from "./Account.ts"
import type { Actor } from "./Operation.ts"
import { missingScopes, type Scope, scopes } from "./Scope.ts"

/** Why a request is not admitted. */
export type Refusal = Unauthorized | Forbidden | RateLimited | StorageUnavailable

/** Who a use case runs for. Provided by the host after authentication; requests never name a user. */
export class Caller extends Context.Service<
  Caller,
  {
    readonly account: Account
    readonly scopes: ReadonlySet<Scope>
    /** As they were when the request was admitted, thus before whatever it reads; not every host knows them. */
    readonly stamps?: AccountStamps | undefined
    /** Whom operations name as the one who made them. */
    readonly by: Actor
    /** Present while admission is deferred to the first read (`callerReading`), which precedes any other use of the caller. */
    readonly admitWith?: <A>(
      read: (account: Account) => Effect.Effect<A, StorageUnavailable>
    ) => Effect.Effect<A, Refusal>
  }
>()("@lists-and-things/domain/Caller") {}

/** A caller that may do everything on an account. */
export const ownerBy = (account: Account, by: Actor): Caller["Service"] => ({ account, scopes: new Set(scopes), by })

/** The caller if it has these scopes; otherwise fails with `Forbidden`. */
export const callerWith = (...required: ReadonlyArray<Scope>): Effect.Effect<Caller["Service"], Forbidden, Caller> =>
  Effect.flatMap(Caller, (caller) => allowed(caller, required, caller))

const allowed = <A>(
  { scopes }: Caller["Service"],
  required: ReadonlyArray<Scope>,
  answer: A
): Effect.Effect<A, Forbidden> => {
  const refusal = forbidden(scopes, required)
  return refusal === undefined ? Effect.succeed(answer) : Effect.fail(refusal)
}

/** What refuses a caller that does not have all of the required scopes. */
export const forbidden = (held: ReadonlySet<Scope>, required: ReadonlyArray<Scope>): Forbidden | undefined => {
  const missing = missingScopes(held, required)
  return missing.length === 0 ? undefined : new Forbidden({ scopes: missing })
}

/**
 * `callerWith` together with the first read of a use case. If the host has not admitted the request yet, it is admitted
 * together with this read, whose result a refused request never sees. A use case calls it once, before it asks for the
 * caller.
 */
export const callerReading = <A>(
  required: Scope,
  read: (account: Account) => Effect.Effect<A, StorageUnavailable>
): Effect.Effect<{ readonly caller: Caller["Service"]; readonly found: A }, Refusal, Caller> =>
  Effect.flatMap(Caller, (caller) =>
    caller.admitWith === undefined
      ? Effect.flatMap(callerWith(required), ({ account }) => Effect.map(read(account), (found) => ({ caller, found })))
      : Effect.flatMap(caller.admitWith(read), (found) => allowed(caller, [required], { caller, found }))
  )
