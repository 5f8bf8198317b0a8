import { describe, expect, it } from "@effect/vitest"
import type { ApiKey } from "@lists-and-things/domain/model/ApiKey"
import { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { AccountId } from "@lists-and-things/domain/model/Ids"
import { Effect, Exit, Fiber, Latch, Result, Scope } from "effect"
import {
  type CountRequests,
  makeRateLimiter,
  present,
  type QuotaGrant,
  type QuotaRequest,
  type RateLimiter
} from "../../src/accounts/RateLimiter.ts"
import { contended } from "../../src/connection/Batcher.ts"
import { epoch, EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

const key: ApiKey = {
  id: "k",
  accountId: AccountId.make("a"),
  name: "",
  scopes: [],
  rateLimit: 10,
  secretHash: "h",
  created: epoch,
  lastUsed: null,
  revoked: null
}
const account = {} as QuotaGrant["account"]

/** Statements that wait for `gate`; meanwhile the key can be revoked or contended, or the connection lost. */
const slowCount = (gate: Latch.Latch) => {
  const state = {
    statements: [] as Array<string>,
    used: 0,
    revoked: false,
    lost: false,
    contendedKey: undefined as string | undefined
  }
  const letGo = Latch.makeUnsafe()
  const grant = ({ requests }: QuotaRequest): QuotaGrant => {
    const admitted = Math.min(requests, key.rateLimit - state.used)
    state.used += admitted
    return {
      key,
      account,
      stamps: { lastWrite: 0, settingsChanged: 0 },
      admitted,
      used: state.used,
      resetAt: EpochMillis(1)
    }
  }
  const count: CountRequests = (all, _now, mode) =>
    Effect.gen(function* () {
      const shown = all.map(({ id, requests }) => `${id} ${requests}`).join(", ")
      state.statements.push((mode === "wait" ? "alone: " : "") + shown)
      const { revoked, lost } = state
      yield* mode === "wait" ? letGo.await : gate.await
      if (lost) return yield* new StorageUnavailable({ outcome: "not-applied" })
      return all.map((each) => {
        if (revoked) return undefined
        return mode === "skip" && each.id === state.contendedKey ? contended : grant(each)
      })
    })
  return { state, letGo, count }
}

const takeFrom =
  ({ answer }: RateLimiter) =>
  (id: string, secretHash: string) =>
    answer(present(id, secretHash))

const setup = Effect.gen(function* () {
  const gate = yield* Latch.make()
  const { state, letGo, count } = slowCount(gate)
  const take = takeFrom(makeRateLimiter(count, yield* Effect.scope))
  const arriveWith = (id: string) => Effect.tap(Effect.forkChild(Effect.result(take(id, "h"))), () => settle)
  return { gate, state, letGo, arrive: arriveWith("k"), arriveWith }
})

/** Lets the other fibers run until they wait. */
const settle = Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow)

describe("concurrent requests of one key", () => {
  it.effect("wait for the statement in progress and are sent as one", () =>
    Effect.gen(function* () {
      const { gate, state, arrive } = yield* setup
      const fibers = [yield* arrive, yield* arrive, yield* arrive, yield* arrive]
      expect(state.statements).toStrictEqual(["k 1"])
      yield* gate.open
      const slots = yield* Effect.forEach(fibers, Fiber.join)
      expect(state.statements).toStrictEqual(["k 1", "k 3"])
      expect(slots.map((slot) => Result.getOrThrow(slot)?.remaining)).toStrictEqual([9, 8, 7, 6])
    })
  )

  it.effect("that exceed the window are refused, in order of arrival", () =>
    Effect.gen(function* () {
      const { gate, state, arrive } = yield* setup
      state.used = key.rateLimit - 2
      const fibers = yield* Effect.forEach(Array.from({ length: 5 }), () => arrive)
      yield* gate.open
      const slots = (yield* Effect.forEach(fibers, Fiber.join)).map(Result.getOrThrow)
      expect(state.statements).toStrictEqual(["k 1", "k 4"])
      expect(slots.map((slot) => slot?.admitted)).toStrictEqual([true, true, false, false, false])
      expect(slots.map((slot) => slot?.remaining)).toStrictEqual([1, 0, 0, 0, 0])
    })
  )

  it.effect("are never answered by a statement that began before they arrived", () =>
    Effect.gen(function* () {
      const { gate, state, arrive } = yield* setup
      const before = yield* arrive
      state.revoked = true
      const after = yield* arrive
      yield* gate.open
      expect(Result.getOrThrow(yield* Fiber.join(before))).toBeDefined()
      expect(Result.getOrThrow(yield* Fiber.join(after))).toBeUndefined()
    })
  )

  it.effect("all fail when their statement fails, and later ones use a new statement", () =>
    Effect.gen(function* () {
      const { gate, state, arrive } = yield* setup
      state.lost = true
      const lost = [yield* arrive, yield* arrive]
      yield* gate.open
      for (const fiber of lost) expect(Result.isFailure(yield* Fiber.join(fiber))).toBe(true)
      state.lost = false
      expect(Result.getOrThrow(yield* Fiber.join(yield* arrive))?.remaining).toBe(9)
      expect(state.statements).toStrictEqual(["k 1", "k 1", "k 1"])
    })
  )

  it.effect("do not hang when the first one is interrupted", () =>
    Effect.gen(function* () {
      const { gate, arrive } = yield* setup
      const first = yield* arrive
      const second = yield* arrive
      yield* Fiber.interrupt(first)
      yield* gate.open
      expect(Result.isSuccess(yield* Fiber.join(second))).toBe(true)
    })
  )

  it.effect("fail when the process closes during their statement", () =>
    Effect.gen(function* () {
      const gate = yield* Latch.make()
      const { count } = slowCount(gate)
      const scope = yield* Scope.make()
      const take = takeFrom(makeRateLimiter(count, scope))
      const waiting = [yield* Effect.forkChild(take("k", "h")), yield* Effect.forkChild(take("k", "h"))]
      yield* settle
      yield* Scope.close(scope, Exit.void)
      for (const fiber of waiting) expect(Exit.isFailure(yield* Fiber.await(fiber))).toBe(true)
      expect(Exit.isFailure(yield* Effect.exit(take("k", "h")))).toBe(true)
    })
  )
})

describe("requests of several keys", () => {
  it.effect("are sent as one statement", () =>
    Effect.gen(function* () {
      const { gate, state, arriveWith } = yield* setup
      const fibers = yield* Effect.forEach(["k", "l", "m", "l"], arriveWith)
      yield* gate.open
      for (const fiber of fibers) expect(Result.getOrThrow(yield* Fiber.join(fiber))).toBeDefined()
      expect(state.statements).toStrictEqual(["k 1", "l 2, m 1"])
    })
  )

  it.effect("do not wait for a contended key, and each of its requests is counted once", () =>
    Effect.gen(function* () {
      const { gate, state, letGo, arriveWith } = yield* setup
      state.contendedKey = "l"
      yield* gate.open
      const waiting = [yield* arriveWith("l"), yield* arriveWith("l")]
      const other = yield* arriveWith("k")
      expect(Result.getOrThrow(yield* Fiber.join(other))).toBeDefined()
      expect(state.statements).toStrictEqual(["l 1", "alone: l 1", "k 1"])
      state.contendedKey = undefined
      yield* letGo.open
      for (const fiber of waiting) expect(Result.getOrThrow(yield* Fiber.join(fiber))).toBeDefined()
      expect(state.statements).toStrictEqual(["l 1", "alone: l 1", "k 1", "l 1"])
      expect(state.used).toBe(3)
    })
  )
})
