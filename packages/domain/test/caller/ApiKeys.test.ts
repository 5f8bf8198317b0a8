import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { Accounts } from "../../src/caller/Accounts.ts"
import { ApiKeys, maxKeys, type NewKey } from "../../src/caller/ApiKeys.ts"
import { scopes } from "../../src/model/Scope.ts"
import { KeyStore } from "../../src/ports/KeyStore.ts"
import { callerLayer, tagOf } from "./CallerLayer.ts"

const hour = 3_600_000

const newKey = (settings: Partial<NewKey> = {}) =>
  Effect.gen(function* () {
    const account = yield* (yield* Accounts).create({ email: "ann@example.com" })
    const keys = yield* ApiKeys
    const { key, token } = yield* keys.create({ account: account.id, ...settings })
    return { account, keys, key, token }
  })

const test = (name: string, body: () => Effect.Effect<void, unknown, Accounts | ApiKeys | KeyStore>) =>
  it.effect(name, () => Effect.provide(body(), callerLayer))

describe("admission of a key", () => {
  test("returns the caller, the rate limit and the remaining requests", () =>
    Effect.gen(function* () {
      const { account, keys, key, token } = yield* newKey({ name: "laptop" })
      const admitted = yield* keys.admit(token, "read:lists")
      expect(admitted).toStrictEqual({
        caller: {
          account,
          scopes: new Set(scopes),
          stamps: { lastWrite: 0, settingsChanged: 0 },
          by: { type: "key", id: key.id, name: "laptop" }
        },
        limit: 1000,
        remaining: 999,
        resetAt: hour
      })
      expect((yield* keys.admit(token)).remaining).toBe(998)
    }))

  test("is refused alike for a missing, mistyped, unknown or revoked token", () =>
    Effect.gen(function* () {
      const { keys, key, token } = yield* newKey()
      const other = yield* keys.create({ account: "ANN@example.com" })
      yield* keys.revoke(other.key.id)
      const mistyped = token.slice(0, 20) + (token[20] === "a" ? "b" : "a") + token.slice(21)
      for (const wrong of [undefined, "", mistyped, "lat_x_y", other.token]) {
        expect(yield* tagOf(keys.admit(wrong, "search"))).toBe("Unauthorized")
      }
      yield* keys.revoke(key.id)
      expect(yield* tagOf(keys.admit(token, "search"))).toBe("Unauthorized")
    }))

  test("counts no request when the key is only identified", () =>
    Effect.gen(function* () {
      const { account, keys, key, token } = yield* newKey({ scopes: ["search"] })
      expect(yield* keys.identify(token)).toStrictEqual({
        account,
        scopes: new Set(["search" as const]),
        by: { type: "key", id: key.id, name: "" }
      })
      expect((yield* keys.admit(token)).remaining).toBe(999)
      const other = (yield* keys.create({ account: account.id })).token
      const crossed = `lat_${key.id}_${other.split("_")[2]}`
      for (const wrong of [undefined, `${token}x`, crossed]) {
        expect(yield* tagOf(keys.identify(wrong))).toBe("Unauthorized")
      }
      yield* keys.revoke(key.id)
      expect(yield* tagOf(keys.identify(token))).toBe("Unauthorized")
    }))

  test("counts a request without the scope, and refuses it with Forbidden even over the limit", () =>
    Effect.gen(function* () {
      const { keys, token } = yield* newKey({ scopes: ["search"], rateLimit: 2 })
      expect(yield* tagOf(keys.admit(token, "write:lists"))).toBe("Forbidden")
      expect((yield* keys.admit(token, "search")).remaining).toBe(0)
      expect(yield* tagOf(keys.admit(token, "search"))).toBe("RateLimited")
      expect(yield* tagOf(keys.admit(token, "write:lists"))).toBe("Forbidden")
    }))

  test("begins a new window an hour after the first request of the previous window", () =>
    Effect.gen(function* () {
      const { keys, token } = yield* newKey({ rateLimit: 1 })
      yield* TestClock.adjust(5000)
      yield* keys.admit(token)
      yield* TestClock.adjust(hour - 1)
      const refused = yield* Effect.flip(keys.admit(token))
      expect(refused).toEqual(expect.objectContaining({ _tag: "RateLimited", limit: 1, resetAt: hour + 5000 }))
      yield* TestClock.adjust(1)
      expect((yield* keys.admit(token)).resetAt).toBe(2 * hour + 5000)
    }))

  test("admits exactly as many concurrent requests as the limit, each with its own remaining count", () =>
    Effect.gen(function* () {
      const { keys, token } = yield* newKey({ rateLimit: 30 })
      const results = yield* Effect.forEach(
        Array.from({ length: 50 }),
        () => Effect.result(keys.admit(token, "search")),
        { concurrency: "unbounded" }
      )
      const remaining = results.filter(Result.isSuccess).map((result) => result.success.remaining)
      expect(remaining).toStrictEqual(Array.from({ length: 30 }, (_, at) => 29 - at))
      expect(results.filter(Result.isFailure).every((result) => result.failure._tag === "RateLimited")).toBe(true)
    }))

  test("continues after a waiting request is interrupted", () =>
    Effect.gen(function* () {
      const { keys, token } = yield* newKey()
      const first = yield* Effect.forkChild(keys.admit(token))
      const second = yield* Effect.forkChild(keys.admit(token))
      yield* Fiber.interrupt(first)
      yield* Fiber.await(second)
      expect((yield* keys.admit(token)).remaining).toBeLessThanOrEqual(998)
    }))
})

describe("keys", () => {
  test("are listed without secrets, of one account or of all", () =>
    Effect.gen(function* () {
      const { account, keys, key } = yield* newKey({ name: " phone ", scopes: ["search", "read:lists"], rateLimit: 5 })
      const bob = yield* (yield* Accounts).create({ email: "bob@example.com" })
      yield* keys.create({ account: bob.id })
      expect(yield* keys.list()).toHaveLength(2)
      expect(yield* keys.list(account.email)).toStrictEqual([key])
      expect(key).toEqual(expect.objectContaining({ name: "phone", scopes: ["read:lists", "search"], rateLimit: 5 }))
      expect(yield* tagOf(keys.list("carl@example.com"))).toBe("NotFound")
    }))

  test("have names of at most 200 code points, without U+0000 and lone surrogates", () =>
    Effect.gen(function* () {
      const { account, keys } = yield* newKey()
      const name = "🔑".repeat(200)
      expect((yield* keys.create({ account: account.id, name })).key.name).toBe(name)
      for (const wrong of [`${name}a`, "\u0000", "\ud800"])
        expect(yield* tagOf(keys.create({ account: account.id, name: wrong }))).toBe("InvalidInput")
    }))

  test("are at most 1,000 per account; revoked ones do not count", () =>
    Effect.gen(function* () {
      const { account, key, keys } = yield* newKey()
      const bob = yield* (yield* Accounts).create({ email: "bob@example.com" })
      for (let n = 1; n < maxKeys; n++) yield* keys.create({ account: account.id })
      const refused = yield* Effect.flip(keys.create({ account: account.id }))
      expect(refused.message).toBe("An account can have at most 1,000 keys: revoke one that is not needed any more.")
      yield* keys.create({ account: bob.id })
      yield* keys.revoke(key.id)
      yield* keys.create({ account: account.id })
    }))

  test("are refused for an unknown account, no scope or a limit out of bounds; an unknown one cannot be revoked", () =>
    Effect.gen(function* () {
      const { account, keys } = yield* newKey()
      expect(yield* tagOf(keys.create({ account: "nobody" }))).toBe("NotFound")
      expect(yield* tagOf(keys.create({ account: account.id, scopes: [] }))).toBe("InvalidInput")
      expect((yield* keys.create({ account: account.id, rateLimit: 1_000_000_000 })).key.rateLimit).toBe(1_000_000_000)
      for (const rateLimit of [0, 1.5, -1, Number.NaN, 1_000_000_001]) {
        expect(yield* tagOf(keys.create({ account: account.id, rateLimit }))).toBe("InvalidInput")
      }
      expect(yield* tagOf(keys.revoke("000000000000"))).toBe("NotFound")
    }))
})
