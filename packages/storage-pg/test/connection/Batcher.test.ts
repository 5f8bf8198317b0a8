import { describe, expect, it } from "@effect/vitest"
import { at } from "@lists-and-things/testing/Fixtures"
import { Clock, Effect, Exit, Fiber, Latch, Result, Scope } from "effect"
import { contended, makeBatcher } from "../../src/connection/Batcher.ts"

interface Ask {
  readonly key: string
  readonly text: string
}

/** Lets the other fibers run until they wait. */
const settle = Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow)

/** Runs that wait for `gate` and answer each text in capitals, but for a key that somebody else has. */
const setup = Effect.fnUntraced(function* (atOnce: number) {
  const gate = yield* Latch.make()
  const letGo = yield* Latch.make()
  const state = { runs: [] as Array<string>, heldKey: undefined as string | undefined, breaks: false }
  const scope = yield* Scope.make()
  const ask = makeBatcher<Ask, string, "broken">(
    {
      keyOf: ({ key }) => key,
      maxConcurrentBatches: atOnce,
      runBatch: (requests, mode) =>
        Effect.gen(function* () {
          state.runs.push((mode === "wait" ? "waits: " : "") + requests.map(({ text }) => text).join(" "))
          yield* gate.await
          if (mode === "wait") yield* letGo.await
          if (state.breaks) return yield* Effect.fail("broken" as const)
          return requests.map(({ key, text }) =>
            mode === "skip" && key === state.heldKey ? contended : text.toUpperCase()
          )
        })
    },
    scope
  )
  const arrive = (text: string) =>
    Effect.tap(Effect.forkChild(Effect.result(ask({ key: text[0]!, text }))), () => settle)
  return { gate, letGo, state, scope, arrive }
})

const answers = (fibers: ReadonlyArray<Fiber.Fiber<Result.Result<string, "broken">>>) =>
  Effect.map(Effect.forEach(fibers, Fiber.join), (results) => results.map((result) => Result.getOrThrow(result)))

describe("what is asked at the same time", () => {
  it.effect("runs together when enough runs are under way, and is answered in its order", () =>
    Effect.gen(function* () {
      const { gate, state, arrive } = yield* setup(2)
      const fibers = yield* Effect.forEach(["a1", "b1", "c1", "d1", "c2"], arrive)
      expect(state.runs).toStrictEqual(["a1", "b1"])
      yield* gate.open
      expect(yield* answers(fibers)).toStrictEqual(["A1", "B1", "C1", "D1", "C2"])
      expect(state.runs).toStrictEqual(["a1", "b1", "c1 c2 d1"])
    })
  )

  it.effect("never runs twice at a time for one key", () =>
    Effect.gen(function* () {
      const { gate, state, arrive } = yield* setup(3)
      const fibers = yield* Effect.forEach(["a1", "a2", "a3", "b1"], arrive)
      expect(state.runs).toStrictEqual(["a1", "b1"])
      yield* gate.open
      expect(yield* answers(fibers)).toStrictEqual(["A1", "A2", "A3", "B1"])
      expect(state.runs).toStrictEqual(["a1", "b1", "a2 a3"])
    })
  )

  it.effect("waits apart where somebody else holds its key, and keeps nobody else waiting", () =>
    Effect.gen(function* () {
      const { gate, letGo, state, arrive } = yield* setup(1)
      state.heldKey = "a"
      const first = yield* arrive("b1")
      const waiting = [yield* arrive("a1"), yield* arrive("a2")]
      const other = yield* arrive("c1")
      yield* gate.open
      expect(yield* answers([first, other])).toStrictEqual(["B1", "C1"])
      const late = yield* arrive("a3")
      const after = yield* arrive("d1")
      expect(yield* answers([after])).toStrictEqual(["D1"])
      expect(state.runs).toStrictEqual(["b1", "a1 a2 c1", "waits: a1 a2", "d1"])
      state.heldKey = undefined
      yield* letGo.open
      expect(yield* answers([...waiting, late])).toStrictEqual(["A1", "A2", "A3"])
      expect(state.runs.slice(4)).toStrictEqual(["a3"])
    })
  )

  it.effect("fails together, and what comes later starts afresh", () =>
    Effect.gen(function* () {
      const { gate, state, arrive } = yield* setup(1)
      state.breaks = true
      const lost = yield* Effect.forEach(["a1", "b1", "c1"], arrive)
      yield* gate.open
      for (const fiber of lost) expect(Result.isFailure(yield* Fiber.join(fiber))).toBe(true)
      state.breaks = false
      expect(yield* answers([yield* arrive("a2")])).toStrictEqual(["A2"])
      expect(state.runs).toStrictEqual(["a1", "b1 c1", "a2"])
    })
  )

  it.effect("runs in the context of the first request of its batch, whoever started the worker", () =>
    Effect.gen(function* () {
      const gate = yield* Latch.make()
      const now = makeBatcher<string, string, never>(
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

  it.effect("does not hang on the one who was interrupted, nor on a scope that closes", () =>
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
