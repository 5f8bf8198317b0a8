import { describe, expect, it } from "@effect/vitest"
import { at } from "@lists-and-things/testing/Fixtures"
import { Clock, Effect, Exit, Fiber, Latch, Result, Scope } from "effect"
import { contended, makeBatcher } from "../../src/connection/Batcher.ts"

interface Request {
  readonly key: string
  readonly text: string
}

/** Lets the other fibers run until they wait. */
const settle = Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow)

/** Batches that wait for `gate` and answer each text in upper case, except for a contended key. */
const setup = Effect.fnUntraced(function* (maxConcurrentBatches: number, lateAfter?: number) {
  const gate = yield* Latch.make()
  const letGo = yield* Latch.make()
  const state = {
    batches: [] as Array<string>,
    contendedKey: undefined as string | undefined,
    breaks: false,
    refused: ""
  }
  const scope = yield* Scope.make()
  const { answer: request } = makeBatcher<Request, string, "broken" | "late">(
    {
      keyOf: ({ key }) => key,
      maxConcurrentBatches,
      isRefusal: (defect) => defect === "refused",
      ...(lateAfter !== undefined && { late: { after: () => lateAfter, failure: () => "late" as const } }),
      runBatch: (requests, mode) =>
        Effect.gen(function* () {
          state.batches.push((mode === "wait" ? "waits: " : "") + requests.map(({ text }) => text).join(" "))
          yield* gate.await
          if (mode === "wait") yield* letGo.await
          if (state.breaks) return yield* Effect.fail("broken" as const)
          if (requests.some(({ text }) => text === state.refused)) return yield* Effect.die("refused")
          return requests.map(({ key, text }) =>
            mode === "skip" && key === state.contendedKey ? contended : text.toUpperCase()
          )
        })
    },
    scope
  )
  const arrive = (text: string) =>
    Effect.tap(Effect.forkChild(Effect.result(request({ key: text[0]!, text }))), () => settle)
  return { gate, letGo, state, scope, arrive }
})

const answers = (fibers: ReadonlyArray<Fiber.Fiber<Result.Result<string, "broken" | "late">>>) =>
  Effect.map(Effect.forEach(fibers, Fiber.join), (results) => results.map((result) => Result.getOrThrow(result)))

describe("concurrent requests", () => {
  it.effect("form a batch when enough batches are in progress, and are answered in order", () =>
    Effect.gen(function* () {
      const { gate, state, arrive } = yield* setup(2)
      const fibers = yield* Effect.forEach(["a1", "b1", "c1", "d1", "c2"], arrive)
      expect(state.batches).toStrictEqual(["a1", "b1"])
      yield* gate.open
      expect(yield* answers(fibers)).toStrictEqual(["A1", "B1", "C1", "D1", "C2"])
      expect(state.batches).toStrictEqual(["a1", "b1", "c1 c2 d1"])
    })
  )

  it.effect("of one key are never in two batches at a time", () =>
    Effect.gen(function* () {
      const { gate, state, arrive } = yield* setup(3)
      const fibers = yield* Effect.forEach(["a1", "a2", "a3", "b1"], arrive)
      expect(state.batches).toStrictEqual(["a1", "b1"])
      yield* gate.open
      expect(yield* answers(fibers)).toStrictEqual(["A1", "A2", "A3", "B1"])
      expect(state.batches).toStrictEqual(["a1", "b1", "a2 a3"])
    })
  )

  it.effect("of a contended key wait separately, without delaying other keys", () =>
    Effect.gen(function* () {
      const { gate, letGo, state, arrive } = yield* setup(1)
      state.contendedKey = "a"
      const first = yield* arrive("b1")
      const waiting = [yield* arrive("a1"), yield* arrive("a2")]
      const other = yield* arrive("c1")
      yield* gate.open
      expect(yield* answers([first, other])).toStrictEqual(["B1", "C1"])
      const late = yield* arrive("a3")
      const after = yield* arrive("d1")
      expect(yield* answers([after])).toStrictEqual(["D1"])
      expect(state.batches).toStrictEqual(["b1", "a1 a2 c1", "waits: a1 a2", "d1"])
      state.contendedKey = undefined
      yield* letGo.open
      expect(yield* answers([...waiting, late])).toStrictEqual(["A1", "A2", "A3"])
      expect(state.batches.slice(4)).toStrictEqual(["a3"])
    })
  )

  it.effect("of a batch fail together, and later ones succeed", () =>
    Effect.gen(function* () {
      const { gate, state, arrive } = yield* setup(1)
      state.breaks = true
      const lost = yield* Effect.forEach(["a1", "b1", "c1"], arrive)
      yield* gate.open
      for (const fiber of lost) expect(Result.isFailure(yield* Fiber.join(fiber))).toBe(true)
      state.breaks = false
      expect(yield* answers([yield* arrive("a2")])).toStrictEqual(["A2"])
      expect(state.batches).toStrictEqual(["a1", "b1 c1", "a2"])
    })
  )

  it.effect("fail with the previous batch if they have waited for too long, and are run otherwise", () =>
    Effect.gen(function* () {
      for (const [lateAfter, failures, batches] of [
        [0, ["broken", "late", "late"], ["a1"]],
        [Infinity, ["broken", "broken", "broken"], ["a1", "a2 b1"]]
      ] as const) {
        const { gate, state, arrive } = yield* setup(1, lateAfter)
        state.breaks = true
        const fibers = yield* Effect.forEach(["a1", "a2", "b1"], arrive)
        yield* gate.open
        const results = yield* Effect.forEach(fibers, Fiber.join)
        expect(results.map((result) => Result.isFailure(result) && result.failure)).toStrictEqual(failures)
        expect(state.batches).toStrictEqual(batches)
        state.breaks = false
        expect(yield* answers([yield* arrive("a3")])).toStrictEqual(["A3"])
      }
    })
  )

  it.effect("of a batch are answered although one of them is refused", () =>
    Effect.gen(function* () {
      const { gate, state, arrive } = yield* setup(1)
      state.refused = "b2"
      const fibers = yield* Effect.forEach(["a1", "b1", "b2", "b3", "c1"], arrive)
      yield* gate.open
      const exits = yield* Effect.forEach(fibers, Fiber.await)
      expect(exits.map(Exit.isSuccess)).toStrictEqual([true, true, false, true, true])
      expect(state.batches).toStrictEqual(["a1", "b1 b2 b3 c1", "b1", "b2", "b3", "c1"])
    })
  )

  it.effect("run in the context of the first request of their batch, not of the worker's", () =>
    Effect.gen(function* () {
      const gate = yield* Latch.make()
      const { answer: now } = makeBatcher<string, string, never>(
        {
          maxConcurrentBatches: 1,
          runBatch: (requests) =>
            Effect.andThen(
              gate.await,
              Effect.map(Clock.currentTimeMillis, (moment) => requests.map((each) => `${each} at ${moment}`))
            )
        },
        yield* Effect.scope
      )
      const arrive = (text: string, moment: number) => Effect.tap(Effect.forkChild(at(moment)(now(text))), () => settle)
      const fibers = [yield* arrive("a", 1), yield* arrive("b", 2), yield* arrive("c", 3)]
      yield* gate.open
      expect(yield* Effect.forEach(fibers, Fiber.join)).toStrictEqual(["a at 1", "b at 2", "c at 2"])
    })
  )

  it.effect("do not hang when one is interrupted or the scope is closed", () =>
    Effect.gen(function* () {
      const { gate, scope, arrive } = yield* setup(1)
      const [first, second] = [yield* arrive("a1"), yield* arrive("b1")]
      yield* Fiber.interrupt(first)
      yield* gate.open
      expect(yield* answers([second])).toStrictEqual(["B1"])
      yield* gate.close
      const waiting = [yield* arrive("a2"), yield* arrive("b2")]
      yield* Scope.close(scope, Exit.void)
      for (const fiber of waiting) expect(Exit.isFailure(yield* Fiber.await(fiber))).toBe(true)
    })
  )
})
