import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Latch, Result, Scope } from "effect"
import { makeAdmissions } from "../../src/caller/Admissions.ts"
import type { ApiKey } from "../../src/caller/ApiKey.ts"
import { StorageUnavailable } from "../../src/Errors.ts"
import { AccountId } from "../../src/Ids.ts"
import type { Admission, KeyStore } from "../../src/ports/KeyStore.ts"

const key: ApiKey = {
  id: "k",
  accountId: AccountId.make("a"),
  name: "",
  scopes: [],
  rateLimit: 10,
  secretHash: "h",
  created: 0,
  lastUsed: null,
  revoked: null
}
const account = {} as Admission["account"]

/** A key store whose statements wait for `gate`, and that can be revoked or lost in between. */
const slowStore = (gate: Latch.Latch) => {
  const state = { statements: [] as Array<number>, used: 0, revoked: false, lost: false }
  const admit: KeyStore["Service"]["admit"] = (_id, _hash, requests) =>
    Effect.gen(function* () {
      state.statements.push(requests)
      const { revoked, lost } = state
      yield* gate.await
      if (lost) return yield* new StorageUnavailable({ outcome: "not-applied" })
      if (revoked) return undefined
      const admitted = Math.min(requests, key.rateLimit - state.used)
      state.used += admitted
      return { key, account, admitted, used: state.used, resetAt: 1 }
    })
  return { state, store: { admit } as KeyStore["Service"] }
}

const setup = Effect.gen(function* () {
  const gate = yield* Latch.make()
  const { state, store } = slowStore(gate)
  const take = makeAdmissions(store, yield* Effect.scope)
  const arrive = Effect.tap(Effect.forkChild(Effect.result(take("k", "h"))), () => settle)
  return { gate, state, arrive }
})

/** Lets the other fibers run until they wait. */
const settle = Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow)

describe("requests of one key that come together", () => {
  it.effect("wait for the statement under way and go as one", () =>
    Effect.gen(function* () {
      const { gate, state, arrive } = yield* setup
      const fibers = [yield* arrive, yield* arrive, yield* arrive, yield* arrive]
      assert.deepStrictEqual(state.statements, [1])
      yield* gate.open
      const turns = yield* Effect.forEach(fibers, Fiber.join)
      assert.deepStrictEqual(state.statements, [1, 3])
      assert.deepStrictEqual(
        turns.map((turn) => Result.getOrThrow(turn)?.remaining),
        [9, 8, 7, 6]
      )
    })
  )

  it.effect("are never answered by a statement that began before they came", () =>
    Effect.gen(function* () {
      const { gate, state, arrive } = yield* setup
      const before = yield* arrive
      state.revoked = true
      const after = yield* arrive
      yield* gate.open
      assert.isDefined(Result.getOrThrow(yield* Fiber.join(before)))
      assert.isUndefined(Result.getOrThrow(yield* Fiber.join(after)))
    })
  )

  it.effect("all fail when their statement does, and the next ones start afresh", () =>
    Effect.gen(function* () {
      const { gate, state, arrive } = yield* setup
      state.lost = true
      const lost = [yield* arrive, yield* arrive]
      yield* gate.open
      for (const fiber of lost) assert.isTrue(Result.isFailure(yield* Fiber.join(fiber)))
      state.lost = false
      assert.strictEqual(Result.getOrThrow(yield* Fiber.join(yield* arrive))?.remaining, 9)
      assert.deepStrictEqual(state.statements, [1, 1, 1])
    })
  )

  it.effect("do not hang on the first one, which may be interrupted", () =>
    Effect.gen(function* () {
      const { gate, arrive } = yield* setup
      const first = yield* arrive
      const second = yield* arrive
      yield* Fiber.interrupt(first)
      yield* gate.open
      assert.isTrue(Result.isSuccess(yield* Fiber.join(second)))
    })
  )

  it.effect("are let go when the process closes in the middle of their statement", () =>
    Effect.gen(function* () {
      const gate = yield* Latch.make()
      const { store } = slowStore(gate)
      const scope = yield* Scope.make()
      const take = makeAdmissions(store, scope)
      const waiting = [yield* Effect.forkChild(take("k", "h")), yield* Effect.forkChild(take("k", "h"))]
      yield* settle
      yield* Scope.close(scope, Exit.void)
      for (const fiber of waiting) assert.isTrue(Exit.isFailure(yield* Fiber.await(fiber)))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(take("k", "h"))))
    })
  )
})
