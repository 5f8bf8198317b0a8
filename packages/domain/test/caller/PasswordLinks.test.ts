import { NodeCrypto } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { layer as memory } from "@lists-and-things/storage-memory/MemoryStorage"
import { Effect, Layer } from "effect"
import * as Redacted from "effect/Redacted"
import { TestClock } from "effect/testing"
import { Accounts } from "../../src/caller/Accounts.ts"
import { PasswordHasher } from "../../src/caller/PasswordHasher.ts"
import { PasswordLinks, passwordLinkLifetime } from "../../src/caller/PasswordLinks.ts"
import { AccountStore } from "../../src/ports/AccountStore.ts"
import { useCases } from "../../src/UseCases.ts"
import { tagOf } from "./CallerLayer.ts"

const hasher = Layer.succeed(
  PasswordHasher,
  PasswordHasher.of({
    hash: (password) => Effect.as(Effect.yieldNow, `plain:${Redacted.value(password)}`),
    verify: (password, encoded) => Effect.succeed(encoded === `plain:${Redacted.value(password)}`)
  })
)

const layer = Layer.mergeAll(useCases, hasher).pipe(Layer.provideMerge(memory), Layer.provideMerge(NodeCrypto.layer))

const password = Redacted.make("correct horse")
const email = "ann@example.com"

const given = Effect.gen(function* () {
  const accounts = yield* Accounts
  const account = yield* accounts.create({ email })
  return { account, accounts, links: yield* PasswordLinks }
})

describe("a password link", () => {
  it.effect("sets the password once", () =>
    Effect.gen(function* () {
      const { account, accounts, links } = yield* given
      expect(yield* accounts.hasPassword(email)).toBe(false)
      const { secret } = yield* links.create(email)
      expect(yield* links.account(secret)).toStrictEqual(account)
      expect(yield* links.use(secret, password)).toStrictEqual(account)
      expect(yield* accounts.hasPassword(email)).toBe(true)
      expect(yield* accounts.signIn(email, password)).toStrictEqual(account)
      expect(yield* tagOf(links.account(secret))).toBe("Unauthorized")
      expect(yield* tagOf(links.use(secret, Redacted.make("another password")))).toBe("Unauthorized")
      expect(yield* accounts.signIn(email, password)).toStrictEqual(account)
    }).pipe(Effect.provide(layer))
  )

  it.effect("replaces the password when it is used, not before", () =>
    Effect.gen(function* () {
      const { account, accounts, links } = yield* given
      yield* accounts.setPassword(email, Redacted.make("forgotten one"))
      const { secret } = yield* links.create(email)
      expect(yield* accounts.signIn(email, Redacted.make("forgotten one"))).toStrictEqual(account)
      yield* links.use(secret, password)
      expect(yield* accounts.signIn(email, password)).toStrictEqual(account)
      expect(yield* tagOf(accounts.signIn(email, Redacted.make("forgotten one")))).toBe("Unauthorized")
      expect(yield* tagOf(links.account(secret))).toBe("Unauthorized")
    }).pipe(Effect.provide(layer))
  )

  it.effect("is invalid after all access to the account was revoked, even if the password stays", () =>
    Effect.gen(function* () {
      const { accounts, links } = yield* given
      yield* accounts.setPassword(email, password)
      const { secret } = yield* links.create(email)
      yield* accounts.revokeAccess(email, { passwordStays: true })
      expect(yield* tagOf(links.account(secret))).toBe("Unauthorized")
    }).pipe(Effect.provide(layer))
  )

  it.effect("is stored as a hash", () =>
    Effect.gen(function* () {
      const { account, links } = yield* given
      const { secret } = yield* links.create(email)
      const { passwordLink } = yield* (yield* AccountStore).secrets(account.id)
      expect(passwordLink?.hash).toMatch(/^[0-9a-f]{64}$/)
      expect(JSON.stringify(passwordLink)).not.toContain(secret)
    }).pipe(Effect.provide(layer))
  )

  it.effect("works once when it is used twice at the same time", () =>
    Effect.gen(function* () {
      const { links } = yield* given
      const { secret } = yield* links.create(email)
      const both = [password, Redacted.make("another password")].map((each) => tagOf(links.use(secret, each)))
      expect((yield* Effect.all(both, { concurrency: 2 })).toSorted()).toEqual(["Success", "Unauthorized"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("expires after an hour", () =>
    Effect.gen(function* () {
      const { links } = yield* given
      const { expires, secret } = yield* links.create(email)
      expect(expires).toBe(passwordLinkLifetime)
      yield* TestClock.adjust(passwordLinkLifetime - 1)
      expect(yield* tagOf(links.account(secret))).toBe("Success")
      yield* TestClock.adjust(1)
      expect(yield* tagOf(links.account(secret))).toBe("Unauthorized")
      expect(yield* tagOf(links.use(secret, password))).toBe("Unauthorized")
    }).pipe(Effect.provide(layer))
  )

  it.effect("is invalid after a newer link was created or the password was set in another way", () =>
    Effect.gen(function* () {
      const { accounts, links } = yield* given
      const [first, second] = [yield* links.create(email), yield* links.create(email)]
      expect(yield* tagOf(links.account(first.secret))).toBe("Unauthorized")
      expect(yield* tagOf(links.account(second.secret))).toBe("Success")
      yield* accounts.setPassword(email, password)
      expect(yield* tagOf(links.use(second.secret, Redacted.make("another password")))).toBe("Unauthorized")
    }).pipe(Effect.provide(layer))
  )

  it.effect("stays valid after a password was refused", () =>
    Effect.gen(function* () {
      const { links } = yield* given
      const { secret } = yield* links.create(email)
      expect(yield* tagOf(links.use(secret, Redacted.make("short")))).toBe("InvalidInput")
      expect(yield* tagOf(links.use(secret, Redacted.make("x".repeat(1025))))).toBe("InvalidInput")
      expect(yield* tagOf(links.use(secret, password))).toBe("Success")
    }).pipe(Effect.provide(layer))
  )

  it.effect("is refused when its secret is wrong in any way", () =>
    Effect.gen(function* () {
      const { links } = yield* given
      const { secret } = yield* links.create(email)
      for (const other of ["", secret.slice(1), `${secret}x`, secret.toLowerCase(), "x".repeat(43), "\u0000"])
        expect(yield* tagOf(links.account(other))).toBe("Unauthorized")
    }).pipe(Effect.provide(layer))
  )
})
