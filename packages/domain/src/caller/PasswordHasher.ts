import { Context, type Effect } from "effect"
import type * as Redacted from "effect/Redacted"

/** A slow, salted, one-way hash; a port because the domain imports no platform. */
export class PasswordHasher extends Context.Service<
  PasswordHasher,
  {
    /** Encoded with its parameters and its salt, so that they may grow later. */
    readonly hash: (password: Redacted.Redacted) => Effect.Effect<string>
    /** In constant time; false for an encoding that is not ours. */
    readonly verify: (password: Redacted.Redacted, encoded: string) => Effect.Effect<boolean>
  }
>()("@lists-and-things/domain/caller/PasswordHasher") {}
