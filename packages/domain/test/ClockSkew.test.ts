import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { clockTolerance, dateOf, dateOfWrite, isAlive, isOpen, makeSkewWarning, spanText } from "../src/ClockSkew.ts"

const noon = Date.UTC(2026, 0, 5, 12)
const hour = 3_600_000

describe("clock skew", () => {
  it("a window is open from its beginning until its end, and over when it begins in the future", () => {
    assert.isTrue(isOpen(noon, hour, noon))
    assert.isTrue(isOpen(noon, hour, noon + hour - 1))
    assert.isFalse(isOpen(noon, hour, noon + hour))
    assert.isTrue(isOpen(noon + clockTolerance, hour, noon))
    assert.isFalse(isOpen(noon + clockTolerance + 1, hour, noon))
  })

  it("what was given by a clock that was ahead has expired", () => {
    assert.isTrue(isAlive(noon + hour, hour, noon))
    assert.isTrue(isAlive(noon + hour + clockTolerance, hour, noon))
    assert.isFalse(isAlive(noon + hour, hour, noon + hour))
    assert.isFalse(isAlive(noon + 8760 * hour, hour, noon))
  })

  it.effect("a write is dated by its stamp, or by the clock where the stamps have run ahead", () =>
    Effect.gen(function* () {
      assert.strictEqual(dateOf(noon + clockTolerance, noon), noon + clockTolerance)
      assert.strictEqual(dateOf(noon + clockTolerance + 1, noon), noon)
      yield* TestClock.setTime(noon)
      assert.strictEqual(yield* dateOfWrite(noon + 5), noon + 5)
      assert.strictEqual(yield* dateOfWrite(noon + hour), noon)
    })
  )

  it("spans are said in a unit that fits", () => {
    assert.deepStrictEqual([1_499, 90_000, 150_000, hour * 3, hour * 24 * 364].map(spanText), [
      "1 seconds",
      "90 seconds",
      "2 minutes",
      "3 hours",
      "364 days"
    ])
  })

  it.effect("is said in the log once a minute, also when the clock goes back", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => void lines.push(String(message)))
      const warn = makeSkewWarning()
      const say = (now: number, ahead: number) =>
        warn("A write", now + ahead, now).pipe(Effect.provide(Logger.layer([logger])))
      yield* say(noon, clockTolerance)
      assert.lengthOf(lines, 0)
      yield* say(noon, 364 * 24 * hour)
      yield* say(noon + 59_999, hour)
      assert.lengthOf(lines, 1)
      assert.match(lines[0]!, /^A write is dated 364 days ahead/)
      yield* say(noon + 60_000, hour)
      assert.lengthOf(lines, 2)
      yield* say(noon - hour, hour)
      assert.lengthOf(lines, 3)
    })
  )
})
