import { Context, Effect } from "effect"
import { Forbidden } from "./Errors.ts"
import type { Account, AccountStamps } from "./Account.ts"
import type { Actor } from "./Operation.ts"
import { type Scope, scopes } from "./Scope.ts"

/** Who a use case runs for. Provided by the host after authentication; requests never name a user. */
export class Caller extends Context.Service<
  Caller,
  {
    readonly account: Account
    readonly scopes: ReadonlySet<Scope>
    /** As they were when the request was admitted, thus before whatever it reads; not every host knows them. */
    readonly stamps?: AccountStamps
    /** Whom operations name as the one who made them. */
    readonly by: Actor
  }
>()("@lists-and-things/domain/Caller") {}

/** A caller that may do everything on an account. */
export const ownerBy = (account: Account, by: Actor): Caller["Service"] => ({ account, scopes: new Set(scopes), by })

/** The caller if it has these scopes; otherwise fails with `Forbidden`, which names the first that is missing. */
export const callerWith = (...required: ReadonlyArray<Scope>): Effect.Effect<Caller["Service"], Forbidden, Caller> =>
  Effect.flatMap(Caller, (caller) => {
    const missing = required.find((scope) => !caller.scopes.has(scope))
    return missing === undefined ? Effect.succeed(caller) : Effect.fail(new Forbidden({ scope: missing }))
  })
