import { Context, type Effect } from "effect"
import type * as Redacted from "effect/Redacted"

/** A slow, salted, one-way hash; a port because the domain depends on no platform. */
export class PasswordHasher extends Context.Service<
  PasswordHasher,
  {
    /** The encoding includes parameters and salt, so that the parameters can be raised later. */
    readonly hash: (password: Redacted.Redacted) => Effect.Effect<string>
    /** In constant time; false for an unknown encoding. */
    readonly verify: (password: Redacted.Redacted, encoded: string) => Effect.Effect<boolean>
  }
>()("@lists-and-things/domain/caller/PasswordHasher") {}
