import { NodeCrypto } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { layer as memory } from "@lists-and-things/storage-memory/MemoryStorage"
import { Effect, Layer } from "effect"
import * as Redacted from "effect/Redacted"
import { Accounts } from "../../src/caller/Accounts.ts"
import { PasswordHasher } from "../../src/caller/PasswordHasher.ts"
import { PasswordLinks } from "../../src/caller/PasswordLinks.ts"
import { StorageUnavailable } from "../../src/model/Errors.ts"
import { SessionStore } from "../../src/ports/SessionStore.ts"
import { useCases } from "../../src/UseCases.ts"
import { tagOf } from "./CallerLayer.ts"

const hasher = Layer.succeed(
  PasswordHasher,
  PasswordHasher.of({
    hash: (password) => Effect.succeed(`plain:${Redacted.value(password)}`),
    verify: (password, encoded) => Effect.succeed(encoded === `plain:${Redacted.value(password)}`)
  })
)

/** A storage whose sessions cannot be ended. */
const failing = Layer.effect(
  SessionStore,
  Effect.map(SessionStore, (store) =>
    SessionStore.of({
      ...store,
      removeOf: () => Effect.fail(new StorageUnavailable({ cause: new Error("gone"), outcome: "not-applied" }))
    })
  )
).pipe(Layer.provideMerge(memory))

const layer = Layer.mergeAll(useCases, hasher).pipe(Layer.provideMerge(failing), Layer.provideMerge(NodeCrypto.layer))

const email = "ann@example.com"
const password = Redacted.make("correct horse")

describe("when the sessions of an account cannot be ended", () => {
  it.effect("its password, its links and what opens it otherwise stay as they were", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      yield* accounts.create({ email })
      const links = yield* PasswordLinks
      const { secret } = yield* links.create(email)
      const token = yield* accounts.feedToken(email)
      expect(yield* tagOf(accounts.setPassword(email, password))).toBe("StorageUnavailable")
      expect(yield* tagOf(links.use(secret, password))).toBe("StorageUnavailable")
      expect(yield* tagOf(accounts.revokeAccess(email))).toBe("StorageUnavailable")
      expect(yield* accounts.hasPassword(email)).toBe(false)
      expect((yield* links.account(secret)).email).toBe(email)
      expect(yield* accounts.feedToken(email)).toBe(token)
    }).pipe(Effect.provide(layer))
  )
})
