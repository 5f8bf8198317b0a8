import { expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Latch } from "effect"
import { forEachIsolated, turnsAtATime } from "../../src/webhooks/AnnouncementTurns.ts"

const accounts = Array.from({ length: turnsAtATime + 2 }, (_, at) => at)

it.effect("as many accounts as may have their turn at once, and no more", () =>
  Effect.gen(function* () {
    let [underWay, most] = [0, 0]
    const allBegan = Latch.makeUnsafe()
    yield* forEachIsolated(accounts, () =>
      Effect.gen(function* () {
        most = Math.max(most, ++underWay)
        if (underWay === turnsAtATime) yield* allBegan.open
        yield* allBegan.await
        underWay--
      })
    )
    expect(most).toBe(turnsAtATime)
  })
)

it.effect("an account that dies ends no other turn, and its defect is rethrown at the end", () =>
  Effect.gen(function* () {
    const had: Array<number> = []
    const exit = yield* Effect.exit(
      forEachIsolated(accounts, (each) => (each === 0 ? Effect.die("broken") : Effect.sync(() => void had.push(each))))
    )
    expect(had).toStrictEqual(accounts.slice(1))
    expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
  })
)

it.effect("after a failure no turn begins, and those under way are not cut off", () =>
  Effect.gen(function* () {
    const began: Array<number> = []
    const ended: Array<number> = []
    const [allBegan, failed] = [Latch.makeUnsafe(), Latch.makeUnsafe()]
    const exit = yield* Effect.exit(
      forEachIsolated(accounts, (each) =>
        Effect.gen(function* () {
          if (began.push(each) === turnsAtATime) yield* allBegan.open
          if (each > 0) return yield* Effect.map(failed.await, () => void ended.push(each))
          yield* allBegan.await
          yield* failed.open
          return yield* Effect.fail("unavailable")
        })
      )
    )
    expect(exit).toStrictEqual(Exit.fail("unavailable"))
    expect(began).toStrictEqual(accounts.slice(0, turnsAtATime))
    expect(ended).toStrictEqual(began.slice(1))
  })
)
