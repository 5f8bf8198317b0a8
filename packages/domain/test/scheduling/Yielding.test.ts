import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import * as fc from "fast-check"
import { CurrentTimeSlices, makeTimeSlices } from "../../src/scheduling/TimeSlices.ts"
import {
  forEachYielding,
  mapYielding,
  runSteps,
  runStepsSync,
  sortYielding,
  yieldIfDue,
  type Steps
} from "../../src/scheduling/Yielding.ts"

/** A simulated event loop: each reading of its clock takes one unit, and the test runs its turns. */
const makeLoop = (length: number) => {
  let time = 0
  let turns: Array<() => void> = []
  const slices = makeTimeSlices({ length, now: () => ++time, nextTurn: (task) => void turns.push(task) })
  const turn = () => {
    const due = turns
    turns = []
    for (const task of due) task()
  }
  const start = <A>(work: Effect.Effect<A>) => Effect.runFork(Effect.provideService(work, CurrentTimeSlices, slices))
  /** Runs turns until the fibers are done; returns their number. */
  const finish = (...fibers: ReadonlyArray<Fiber.Fiber<unknown, unknown>>) => {
    let taken = 0
    for (; fibers.some((fiber) => fiber.pollUnsafe() === undefined); taken++) turn()
    return taken
  }
  return { finish, start, turn }
}

const result = <A>(fiber: Fiber.Fiber<A>) => {
  const exit = fiber.pollUnsafe()
  expect(exit !== undefined && Exit.isSuccess(exit)).toBe(true)
  return (exit as Exit.Success<A>).value
}

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)

function* sum(to: number): Steps<number> {
  let total = 0
  for (let each = 1; each <= to; each++) {
    total += each
    yield
  }
  return total
}

describe("Yielding", () => {
  it("does not yield in work that fits into a slice", () => {
    const { start } = makeLoop(10)
    const fiber = start(mapYielding(numbers(9), (each) => each * 2))
    expect(result(fiber)).toStrictEqual(numbers(9).map((each) => each * 2))
  })

  it("yields once per slice: the work of a turn is bounded, and the turns grow with the work", () => {
    const taken = (count: number) => {
      const { finish, start, turn } = makeLoop(10)
      let done = 0
      const fiber = start(forEachYielding(numbers(count), () => void done++))
      let before = 0
      for (let turns = 0; turns < 10; turns++) {
        expect(done - before).toBeLessThanOrEqual(11)
        before = done
        turn()
      }
      return finish(fiber)
    }
    const [once, twice] = [taken(1_000), taken(2_000)]
    expect(once).toBeGreaterThan(50)
    expect(Math.abs(twice - (2 * once + 10))).toBeLessThanOrEqual(3)
  })

  it("counts the time of all fibers in a turn together", () => {
    const { finish, start } = makeLoop(10)
    start(forEachYielding(numbers(6), () => {}))
    const second = start(forEachYielding(numbers(6), () => {}))
    expect(second.pollUnsafe()).toBeUndefined()
    finish(second)
  })

  it("resumes one waiting fiber per turn, in order", () => {
    const { finish, start, turn } = makeLoop(5)
    const said: Array<string> = []
    const work = (name: string) => forEachYielding(numbers(15), () => void said.push(name))
    const fibers = ["a", "b", "c"].map((name) => start(work(name)))
    const turns = numbers(6).map(() => {
      const before = said.length
      turn()
      return [...new Set(said.slice(before))]
    })
    expect(turns).toStrictEqual([["a"], ["b"], ["c"], ["a"], ["b"], ["c"]])
    finish(...fibers)
    expect(said.length).toBe(45)
  })

  it("begins a new slice for work that starts after other work has ended", () => {
    const { finish, start } = makeLoop(10)
    finish(start(forEachYielding(numbers(100), () => {})))
    const next = start(forEachYielding(numbers(9), () => {}))
    expect(next.pollUnsafe()).toBeDefined()
  })

  it("drops a fiber that is interrupted while it waits", () => {
    const { finish, start, turn } = makeLoop(5)
    let done = 0
    const gone = start(forEachYielding(numbers(100), () => void done++))
    const stays = start(forEachYielding(numbers(20), () => {}))
    gone.interruptUnsafe()
    const before = done
    turn()
    finish(stays)
    expect(done).toBe(before)
    expect(gone.pollUnsafe()).toBeDefined()
  })

  it("runs steps to their result, with yields or synchronously", () => {
    const { finish, start } = makeLoop(3)
    const fiber = start(runSteps(() => sum(100)))
    expect(finish(fiber)).toBeGreaterThan(20)
    expect(result(fiber)).toBe(5_050)
    expect(runStepsSync(sum(100))).toBe(5_050)
  })

  it("yields between effects", () => {
    const { finish, start } = makeLoop(3)
    const fiber = start(Effect.forEach(numbers(20), () => yieldIfDue))
    expect(finish(fiber)).toBeGreaterThan(3)
  })

  it("lets timers run on the real event loop", async () => {
    const slices = makeTimeSlices({ length: 0, now: () => 0, nextTurn: (task) => void setImmediate(task) })
    const seen = { timer: false }
    setTimeout(() => (seen.timer = true), 0)
    function* untilTimer(): Steps<boolean> {
      for (let steps = 0; !seen.timer && steps < 1_000_000; steps++) yield
      return seen.timer
    }
    expect(
      await Effect.runPromise(
        Effect.provideService(
          runSteps(() => untilTimer()),
          CurrentTimeSlices,
          slices
        )
      )
    ).toBe(true)
  })

  it("sorts like Array.prototype.toSorted, stably", () => {
    const { finish, start } = makeLoop(50)
    const byKey = (a: readonly [number, number], b: readonly [number, number]) => a[0] - b[0]
    fc.assert(
      fc.property(fc.array(fc.nat(20), { maxLength: 2_000, size: "max" }), (keys) => {
        const items = keys.map((key, at) => [key, at] as const)
        const fiber = start(sortYielding(items, byKey))
        finish(fiber)
        expect(result(fiber)).toStrictEqual(items.toSorted(byKey))
      }),
      { numRuns: 30, seed: 11 }
    )
  })
})
