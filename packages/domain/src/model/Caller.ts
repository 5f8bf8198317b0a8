import { Context, Effect } from "effect"
import { Forbidden } from "./Errors.ts"
import type { Account } from "./Account.ts"
import type { Scope } from "./Scope.ts"

/** On whose behalf a use case runs. A host provides it once it knows; no request names a user. */
export class Caller extends Context.Service<
  Caller,
  {
    readonly account: Account
    readonly scopes: ReadonlySet<Scope>
  }
>()("@lists-and-things/domain/Caller") {}

/** The caller, if it may do what needs this scope; else `Forbidden`. */
export const callerWith = (scope: Scope): Effect.Effect<Caller["Service"], Forbidden, Caller> =>
  Effect.flatMap(Caller, (caller) =>
    caller.scopes.has(scope) ? Effect.succeed(caller) : Effect.fail(new Forbidden({ scope }))
  )
