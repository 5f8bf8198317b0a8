import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { ConcurrencyLimiter } from "../../src/connection/ConcurrencyLimiter.ts"

/** Statements of owners, each of which runs until the test ends it. */
const givenLimiter = (permits: number) => {
  const limiter = new ConcurrencyLimiter(permits, 60_000)
  const running: Array<string> = []
  const ends = new Map<string, Deferred.Deferred<void>>()
  const begin = Effect.fnUntraced(function* (name: string, owner?: string) {
    const ended = yield* Deferred.make<void>()
    ends.set(name, ended)
    const work = Effect.andThen(
      Effect.sync(() => running.push(name)),
      Deferred.await(ended)
    )
    return yield* Effect.forkChild(limiter.withPermit(work, owner), { startImmediately: true })
  })
  const end = (name: string) =>
    Effect.andThen(Deferred.succeed(ends.get(name)!, undefined), Effect.replicateEffect(Effect.yieldNow, 5))
  return { begin, end, limiter, running }
}

it.live("one owner leaves a permit to others, which do not wait for all of its statements", () =>
  Effect.gen(function* () {
    const { begin, end, limiter, running } = givenLimiter(3)
    const fibers = []
    for (const name of ["ada 1", "ada 2", "ada 3", "ada 4"]) fibers.push(yield* begin(name, "ada"))
    expect(running).toStrictEqual(["ada 1", "ada 2"])
    for (const name of ["bob 1", "bob 2", "bob 3"]) fibers.push(yield* begin(name, "bob"))
    expect(running).toStrictEqual(["ada 1", "ada 2", "bob 1"])
    yield* end("bob 1")
    expect(running.at(-1)).toBe("bob 2")
    yield* end("ada 1")
    expect(running.at(-1)).toBe("ada 3")
    yield* end("ada 2")
    expect(running.at(-1)).toBe("ada 4")
    yield* end("bob 2")
    expect(running.at(-1)).toBe("bob 3")
    for (const name of ["bob 3", "ada 3", "ada 4"]) yield* end(name)
    yield* Fiber.joinAll(fibers)
    expect(limiter.counts).toStrictEqual({ running: 0, waiting: 0, refused: 0 })
  })
)

it.live("statements without an owner run in order of arrival, with all permits", () =>
  Effect.gen(function* () {
    const { begin, end, running } = givenLimiter(2)
    const names = ["one", "two", "three", "four"]
    const fibers = []
    for (const name of names) fibers.push(yield* begin(name))
    expect(running).toStrictEqual(["one", "two"])
    for (const name of names) yield* end(name)
    expect(running).toStrictEqual(names)
    yield* Fiber.joinAll(fibers)
  })
)

it.live("a statement that is interrupted while it waits, or runs, keeps no permit", () =>
  Effect.gen(function* () {
    const { begin, end, limiter, running } = givenLimiter(1)
    const first = yield* begin("first")
    const waiting = yield* begin("waiting")
    yield* Fiber.interrupt(waiting)
    expect(limiter.counts).toStrictEqual({ running: 1, waiting: 0, refused: 0 })
    yield* Fiber.interrupt(first)
    const last = yield* begin("last")
    expect(running).toStrictEqual(["first", "last"])
    yield* end("last")
    yield* Fiber.join(last)
    expect(limiter.counts).toStrictEqual({ running: 0, waiting: 0, refused: 0 })
  })
)
