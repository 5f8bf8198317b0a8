import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { Pending, settled } from "../../src/scheduling/Pending.ts"

/** A pending result that the test ends itself. */
const byHand = () => {
  let goOn: ((next: Effect.Effect<number | Pending<number, string>, string>) => void) | undefined
  const pending = new Pending<number, string>((ended) => {
    goOn = ended
    return () => {
      goOn = undefined
    }
  })
  return {
    pending,
    end: (next: Effect.Effect<number | Pending<number, string>, string>) => goOn?.(next),
    isWaiting: () => goOn !== undefined
  }
}

describe("a pending result", () => {
  it.effect("is awaited by the fiber, also through a further pending result", () =>
    Effect.gen(function* () {
      const [first, second] = [byHand(), byHand()]
      const fiber = yield* Effect.forkChild(settled(first.pending), { startImmediately: true })
      first.end(Effect.succeed(second.pending))
      yield* Effect.yieldNow
      expect(fiber.pollUnsafe()).toBeUndefined()
      second.end(Effect.succeed(7))
      expect(yield* Fiber.join(fiber)).toBe(7)
    })
  )

  it.effect("is cancelled when its fiber is interrupted", () =>
    Effect.gen(function* () {
      const { isWaiting, pending } = byHand()
      const fiber = yield* Effect.forkChild(settled(pending), { startImmediately: true })
      expect(isWaiting()).toBe(true)
      yield* Fiber.interrupt(fiber)
      expect(isWaiting()).toBe(false)
    })
  )

  it.effect("applies the given functions in order, to failures too", () =>
    Effect.gen(function* () {
      const outcome = Effect.fnUntraced(function* (next: Effect.Effect<number, string>) {
        const { end, pending } = byHand()
        const came = yield* Deferred.make<number | string>()
        const used = pending
          .through<number, string>(Effect.map((found) => (found as number) + 1))
          .through<string, never>((later) =>
            Effect.match(later, {
              onFailure: (error) => `failed: ${error}`,
              onSuccess: (found) => `found ${String(found)}`
            })
          )
        used.begin((later) => Deferred.doneUnsafe(came, later as Effect.Effect<string>))
        end(next)
        return yield* Deferred.await(came)
      })
      expect(yield* outcome(Effect.succeed(1))).toBe("found 2")
      expect(yield* outcome(Effect.fail("gone"))).toBe("failed: gone")
    })
  )
})
