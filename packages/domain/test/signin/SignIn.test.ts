import { NodeCrypto } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { layer as memory } from "@lists-and-things/storage-memory/MemoryStorage"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import * as Crypto from "effect/Crypto"
import * as Hex from "effect/encoding/Hex"
import * as Redacted from "effect/Redacted"
import { TestClock } from "effect/testing"
import { Accounts } from "../../src/caller/Accounts.ts"
import { PasswordHasher } from "../../src/caller/PasswordHasher.ts"
import { PasswordLinks } from "../../src/caller/PasswordLinks.ts"
import { Ids } from "../../src/model/Ids.ts"
import { AccountStore } from "../../src/ports/AccountStore.ts"
import { SessionStore } from "../../src/ports/SessionStore.ts"
import { AttemptLimiter } from "../../src/signin/AttemptLimiter.ts"
import { deviceLifetime } from "../../src/signin/KnownDevices.ts"
import { hmac } from "../../src/caller/Hashing.ts"
import { type Attempt, SignIn } from "../../src/signin/SignIn.ts"

/** The steps that were taken, in order, and the hashes of the sessions that were stored. */
class Journal extends Context.Service<
  Journal,
  { readonly done: Array<string>; readonly sessions: Array<string>; slow: Deferred.Deferred<void> | undefined }
>()("test/Journal") {}

const journal = Layer.sync(Journal, () => ({ done: [], sessions: [], slow: undefined }))

const hasher = Layer.effect(
  PasswordHasher,
  Effect.map(Journal, (journal) => {
    const hashing = (password: Redacted.Redacted) =>
      Effect.suspend(() => {
        journal.done.push("hash")
        const wait = Redacted.value(password) === "slow password" ? journal.slow : undefined
        return wait === undefined ? Effect.void : Deferred.await(wait)
      })
    return PasswordHasher.of({
      hash: (password) => Effect.as(hashing(password), `plain:${Redacted.value(password)}:${journal.done.length}`),
      verify: (password, encoded) =>
        Effect.as(hashing(password), encoded.startsWith(`plain:${Redacted.value(password)}:`))
    })
  })
)

const watched = Layer.effectContext(
  Effect.gen(function* () {
    const { done, sessions: stored } = yield* Journal
    const [sessions, accounts] = [yield* SessionStore, yield* AccountStore]
    return Context.make(SessionStore, {
      ...sessions,
      put: (session) => Effect.tap(sessions.put(session), () => Effect.sync(() => stored.push(session.hash))),
      countAttempt: (key, now, window) =>
        Effect.suspend(() => {
          done.push(key.replace(/[0-9a-f]{64}$/, "ACCOUNT"))
          return sessions.countAttempt(key, now, window)
        })
    }).pipe(
      Context.add(AccountStore, {
        ...accounts,
        byEmail: (email) =>
          Effect.suspend(() => {
            done.push("look up")
            return accounts.byEmail(email)
          })
      })
    )
  })
)

const world = SignIn.layer.pipe(
  Layer.provide([AttemptLimiter.layer, PasswordLinks.layer]),
  Layer.provideMerge(Layer.merge(Accounts.layer, hasher)),
  Layer.provide(Ids.layer),
  Layer.provideMerge(watched),
  Layer.provideMerge(memory),
  Layer.provideMerge(journal),
  Layer.provideMerge(NodeCrypto.layer)
)

const email = "ann@example.com"
const right = "correct horse"
const quarter = 15 * 60_000

const attempt = (change: Partial<Omit<Attempt, "password">> & { readonly password?: string } = {}) =>
  Effect.flatMap(SignIn, (signIn) =>
    signIn.signIn({
      email,
      address: "203.0.113.9",
      device: "",
      ...change,
      password: Redacted.make(change.password ?? right)
    })
  )
const outcome = (change: Parameters<typeof attempt>[0] = {}) =>
  Effect.match(attempt(change), { onFailure: ({ _tag }) => _tag as string, onSuccess: () => "in" })

/** An account with a password, and an empty journal. */
const ann = Effect.gen(function* () {
  const accounts = yield* Accounts
  const account = yield* accounts.create({ email })
  yield* accounts.setPassword(account.id, Redacted.make(right))
  const journal = yield* Journal
  journal.done.length = 0
  return { account, accounts, journal }
})

const strangers = (count: number) =>
  Effect.forEach(Array.from({ length: count }), (_, at) =>
    outcome({ password: "a wrong guess", address: `198.51.100.${at}` })
  )

describe("a sign-in attempt", () => {
  it.effect("is first counted by its address, then by its account, then looked up and hashed", () =>
    Effect.gen(function* () {
      const { journal } = yield* ann
      expect(yield* outcome({ email: " ANN@example.com " })).toBe("in")
      expect(journal.done).toStrictEqual(["sign-in from 203.0.113.9", "sign-in ACCOUNT", "look up", "hash"])
    }).pipe(Effect.provide(world))
  )

  it.effect("with too long an email or password fails and is counted, without a look-up or a hash", () =>
    Effect.gen(function* () {
      const { journal } = yield* ann
      const long = `${"\u0345\u0334".repeat(16_000)}@example.com`
      for (let at = 0; at < 25; at++) {
        expect(yield* outcome({ email: long })).toBe("Unauthorized")
        expect(yield* outcome({ email: "x".repeat(321) })).toBe("Unauthorized")
      }
      expect(new Set(journal.done)).toStrictEqual(new Set(["sign-in from 203.0.113.9"]))
      expect(journal.done).toHaveLength(50)
      expect(yield* outcome({ email: long })).toBe("RateLimited")
      expect(yield* outcome()).toBe("RateLimited")
      expect(journal.done).toHaveLength(52)
      const elsewhere = { address: "203.0.113.10", password: "x".repeat(1_025) }
      for (let at = 0; at < 10; at++) expect(yield* outcome(elsewhere)).toBe("Unauthorized")
      expect(yield* outcome(elsewhere)).toBe("RateLimited")
      expect(journal.done).not.toContain("hash")
      expect(journal.done).not.toContain("look up")
    }).pipe(Effect.provide(world))
  )

  it.effect("may have an email of 320 and a password of 1,024 code points", () =>
    Effect.gen(function* () {
      const { journal } = yield* ann
      expect(yield* outcome({ email: "🦊".repeat(320), password: "🦊".repeat(1_024) })).toBe("Unauthorized")
      expect(journal.done.slice(-2)).toStrictEqual(["look up", "hash"])
    }).pipe(Effect.provide(world))
  )

  it.effect("that is refused by its address is still counted, without a look-up or a hash", () =>
    Effect.gen(function* () {
      const { journal } = yield* ann
      for (let at = 0; at < 50; at++) yield* outcome({ email: `nobody-${at}@example.com` })
      journal.done.length = 0
      for (let at = 0; at < 5; at++) expect(yield* outcome()).toBe("RateLimited")
      expect(journal.done).toStrictEqual(Array(5).fill("sign-in from 203.0.113.9"))
    }).pipe(Effect.provide(world))
  )
})

describe("a browser that signed in to the account before", () => {
  it.effect("can sign in after strangers used up the attempts of the account and of its address", () =>
    Effect.gen(function* () {
      yield* ann
      const { device } = yield* attempt()
      expect((yield* strangers(12)).slice(-3)).toStrictEqual(["Unauthorized", "RateLimited", "RateLimited"])
      for (let at = 0; at < 60; at++) yield* outcome({ email: `nobody-${at}@example.com` })
      expect(yield* outcome()).toBe("RateLimited")
      expect(yield* outcome({ device })).toBe("in")
      expect(yield* outcome({ address: "192.0.2.1" })).toBe("RateLimited")
    }).pipe(Effect.provide(world))
  )

  it.effect("has ten attempts of its own, which a right password resets", () =>
    Effect.gen(function* () {
      yield* ann
      const { device } = yield* attempt()
      const wrong = { device, password: "a wrong guess" }
      for (let at = 0; at < 9; at++) expect(yield* outcome(wrong)).toBe("Unauthorized")
      const { device: renewed } = yield* attempt({ device })
      expect(renewed.split(".")[1]).toBe(device.split(".")[1])
      for (let at = 0; at < 10; at++) expect(yield* outcome(wrong)).toBe("Unauthorized")
      expect(yield* outcome({ device })).toBe("RateLimited")
      expect(yield* outcome({ device: renewed })).toBe("RateLimited")
      expect(yield* outcome()).toBe("in")
      yield* TestClock.adjust(quarter)
      expect(yield* outcome({ device })).toBe("in")
    }).pipe(Effect.provide(world))
  )

  it.effect("is known to the five accounts that it signed in to last", () =>
    Effect.gen(function* () {
      const { accounts } = yield* ann
      let { device } = yield* attempt()
      const signIn = Effect.fnUntraced(function* (other: string) {
        const { id } = yield* accounts.create({ email: other })
        yield* accounts.setPassword(id, Redacted.make(right))
        device = (yield* attempt({ email: other, device })).device
      })
      yield* strangers(11)
      for (let at = 0; at < 4; at++) yield* signIn(`bob-${at}@example.com`)
      expect(yield* outcome({ device })).toBe("in")
      yield* signIn("eve@example.com")
      expect(yield* outcome({ device })).toBe("RateLimited")
    }).pipe(Effect.provide(world))
  )

  it.effect("is unknown after a new password, after a year, for another account, and with a forged cookie", () =>
    Effect.gen(function* () {
      const { account, accounts } = yield* ann
      const { device } = yield* attempt()
      const other = yield* accounts.create({ email: "bob@example.com" })
      yield* accounts.setPassword(other.id, Redacted.make(right))
      const { device: both } = yield* attempt({ email: "bob@example.com", device })
      expect(both.split("~").length).toBe(2)
      const [owner, id, expires, signature] = device.split(".")
      const forged = [
        "x",
        "~".repeat(600),
        both.split("~")[0]!,
        [owner, id, Number(expires) + 1, signature].join("."),
        [owner, "A".repeat(22), expires, signature].join("."),
        [other.id, id, expires, signature].join("."),
        ["00000000-0000-4000-8000-000000000000", id, expires, signature].join(".")
      ]
      yield* strangers(11)
      for (const cookie of forged) expect(yield* outcome({ device: cookie }), cookie).toBe("RateLimited")
      expect(yield* outcome({ device: both })).toBe("in")
      yield* accounts.setPassword(account.id, Redacted.make(right))
      expect(yield* outcome({ device })).toBe("RateLimited")
      yield* TestClock.adjust(quarter)
      const { device: fresh } = yield* attempt()
      yield* TestClock.adjust(deviceLifetime - 1)
      yield* strangers(11)
      expect(yield* outcome({ device: fresh })).toBe("in")
      yield* TestClock.adjust(1)
      expect(yield* outcome({ device: fresh })).toBe("RateLimited")
    }).pipe(Effect.provide(world))
  )

  it.effect("does not wait for strangers, of whom one is checked and at most sixteen wait", () =>
    Effect.gen(function* () {
      const { journal } = yield* ann
      const { device } = yield* attempt()
      journal.slow = yield* Deferred.make<void>()
      const guesses = yield* Effect.forEach(Array.from({ length: 20 }), (_, at) =>
        Effect.forkChild(
          outcome({ email: `x${at}@example.com`, password: "slow password", address: `198.51.100.${at}` }),
          { startImmediately: true }
        )
      )
      for (const guess of guesses.slice(17)) expect(yield* Fiber.join(guess)).toBe("RateLimited")
      expect(yield* outcome({ device })).toBe("in")
      yield* Deferred.succeed(journal.slow, undefined)
      for (const guess of guesses.slice(0, 17)) expect(yield* Fiber.join(guess)).toBe("Unauthorized")
      expect(yield* outcome()).toBe("in")
    }).pipe(Effect.provide(world))
  )

  it.effect("waits for at most two attempts of another account, whose further attempts are refused", () =>
    Effect.gen(function* () {
      const { accounts, journal } = yield* ann
      const bob = yield* accounts.create({ email: "bob@example.com" })
      yield* accounts.setPassword(bob.id, Redacted.make("slow password"))
      const { device } = yield* attempt()
      const busy = { email: "bob@example.com", password: "slow password" }
      const { device: bobs } = yield* attempt(busy)
      journal.slow = yield* Deferred.make<void>()
      const again = Effect.forkChild(outcome({ ...busy, device: bobs }), { startImmediately: true })
      const tries = yield* Effect.replicateEffect(again, 5)
      const anns = yield* Effect.forkChild(outcome({ device }), { startImmediately: true })
      for (const refused of tries.slice(2)) expect(yield* Fiber.join(refused)).toBe("RateLimited")
      yield* Deferred.succeed(journal.slow, undefined)
      expect(yield* Fiber.join(anns)).toBe("in")
      for (const taken of tries.slice(0, 2)) expect(yield* Fiber.join(taken)).toBe("in")
      expect(yield* outcome({ ...busy, device: bobs })).toBe("in")
    }).pipe(Effect.provide(world))
  )
})

describe("a password that is changed while it is verified", () => {
  /** The stored sessions that still exist. */
  const begun = Effect.gen(function* () {
    const { sessions } = yield* Journal
    const store = yield* SessionStore
    const found = yield* Effect.forEach(sessions, store.get)
    return found.filter((each) => each !== undefined)
  })

  /** Begins an effect that hashes a slow password, and lets it continue after `meanwhile`. */
  const during = Effect.fnUntraced(function* <A, E, R, B, F, S>(
    slow: Effect.Effect<A, E, R>,
    meanwhile: Effect.Effect<B, F, S>
  ) {
    const journal = yield* Journal
    journal.slow = yield* Deferred.make<void>()
    const begun = yield* Effect.forkChild(slow, { startImmediately: true })
    yield* meanwhile
    yield* Deferred.succeed(journal.slow, undefined)
    return yield* Fiber.join(begun)
  })

  it.effect("begins no session, since the change could not have ended it", () =>
    Effect.gen(function* () {
      const { account, accounts } = yield* ann
      yield* accounts.setPassword(account.id, Redacted.make("slow password"))
      const old = outcome({ password: "slow password" })
      expect(yield* during(old, accounts.setPassword(account.id, Redacted.make(right)))).toBe("Unauthorized")
      expect(yield* begun).toStrictEqual([])
      expect(yield* outcome()).toBe("in")
      expect(yield* begun).toHaveLength(1)
    }).pipe(Effect.provide(world))
  )

  it.effect("begins no session if all access was revoked meanwhile", () =>
    Effect.gen(function* () {
      const { account, accounts } = yield* ann
      yield* accounts.setPassword(account.id, Redacted.make("slow password"))
      expect(yield* during(outcome({ password: "slow password" }), accounts.revokeAccess(account.id))).toBe(
        "Unauthorized"
      )
      expect(yield* begun).toStrictEqual([])
    }).pipe(Effect.provide(world))
  )
})

describe("a key that is created for a session", () => {
  const made = Effect.fnUntraced(function* <A, E, R>(meanwhile: Effect.Effect<A, E, R>) {
    const signIn = yield* SignIn
    const { session } = yield* attempt()
    const takenBack: Array<string> = []
    const result = yield* signIn
      .whileSignedIn(session, Effect.as(meanwhile, "a key"), (key) => Effect.sync(() => void takenBack.push(key)))
      .pipe(Effect.match({ onFailure: (error) => (error as { _tag: string })._tag, onSuccess: (key) => key }))
    return { result, takenBack }
  })

  it.effect("stays if the session still exists", () =>
    Effect.gen(function* () {
      yield* ann
      expect(yield* made(Effect.void)).toStrictEqual({ result: "a key", takenBack: [] })
    }).pipe(Effect.provide(world))
  )

  it.effect("is removed if all access was revoked before it was created", () =>
    Effect.gen(function* () {
      const { account, accounts } = yield* ann
      const ended = accounts.revokeAccess(account.id, { passwordStays: true })
      expect(yield* made(ended)).toStrictEqual({ result: "Unauthorized", takenBack: ["a key"] })
    }).pipe(Effect.provide(world))
  )
})

/** Test cases 1 and 2 of RFC 4231. */
it.effect.each([
  ["\u000b".repeat(20), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"],
  ["Jefe", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"]
] as const)("a signature is HMAC-SHA-256: %#", ([key, text, expected]) =>
  Effect.gen(function* () {
    expect(Hex.encode(yield* hmac(yield* Crypto.Crypto, key, text))).toBe(expected)
  }).pipe(Effect.provide(NodeCrypto.layer))
)

it.effect("a signature with a key longer than a block uses the digest of the key", () =>
  Effect.gen(function* () {
    const crypto = yield* Crypto.Crypto
    const long = "k".repeat(200)
    const expected = "0213fa56a4d26fac09aee9ef2a6faf1f38dfce0d3c4238d63981b8af5d6228ba"
    expect(Hex.encode(yield* hmac(crypto, long, "text"))).toBe(expected)
  }).pipe(Effect.provide(NodeCrypto.layer))
)
