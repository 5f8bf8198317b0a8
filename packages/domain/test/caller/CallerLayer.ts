import { NodeCrypto } from "@effect/platform-node"
import { layer as memory } from "@lists-and-things/storage-memory/MemoryStorage"
import { Effect, Layer, Result } from "effect"
import * as Redacted from "effect/Redacted"
import { Accounts } from "../../src/caller/Accounts.ts"
import { ApiKeys } from "../../src/caller/ApiKeys.ts"
import { PasswordHasher } from "../../src/caller/PasswordHasher.ts"
import { Ids } from "../../src/model/Ids.ts"

/** Keeps passwords readable; the adapter of the host has tests of its own. */
const readableHasher = Layer.succeed(
  PasswordHasher,
  PasswordHasher.of({
    hash: (password) => Effect.succeed(`plain:${Redacted.value(password)}`),
    verify: (password, encoded) => Effect.succeed(encoded === `plain:${Redacted.value(password)}`)
  })
)

/** Accounts and keys over the memory adapter; each test that provides it gets a fresh storage. */
export const callerLayer = Layer.mergeAll(Accounts.layer, ApiKeys.layer, readableHasher).pipe(
  Layer.provide(Ids.layer),
  Layer.provideMerge(memory),
  Layer.provide(NodeCrypto.layer)
)

/** The tag of the error that an effect fails with; `Success` when it succeeds. */
export const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.result(effect), (result) => (Result.isFailure(result) ? result.failure._tag : "Success"))
