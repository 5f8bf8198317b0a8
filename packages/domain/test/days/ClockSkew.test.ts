import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import {
  clockTolerance,
  dateOf,
  dateOfWrite,
  isAlive,
  isOutdated,
  isRunning,
  madeBefore,
  makeSkewWarning,
  spanText
} from "../../src/days/ClockSkew.ts"
import { addMillis, EpochMillis } from "../../src/model/EpochMillis.ts"

const noon = EpochMillis(Date.UTC(2026, 0, 5, 12))
const hour = 3_600_000

describe("clock skew", () => {
  it("a window runs from its beginning until its end, and is over if it begins in the future", () => {
    expect(isRunning(noon, hour, noon)).toBe(true)
    expect(isRunning(noon, hour, addMillis(noon, hour - 1))).toBe(true)
    expect(isRunning(noon, hour, addMillis(noon, hour))).toBe(false)
    expect(isRunning(addMillis(noon, clockTolerance), hour, noon)).toBe(true)
    expect(isRunning(addMillis(noon, clockTolerance + 1), hour, noon)).toBe(false)
  })

  it("a value that was issued by a clock far ahead has expired", () => {
    expect(isAlive(addMillis(noon, hour), hour, noon)).toBe(true)
    expect(isAlive(addMillis(noon, hour + clockTolerance), hour, noon)).toBe(true)
    expect(isAlive(addMillis(noon, hour), hour, addMillis(noon, hour))).toBe(false)
    expect(isAlive(addMillis(noon, 8760 * hour), hour, noon)).toBe(false)
  })

  it("a record is outdated beyond its lifetime, in the past or the future; a clock set back outdates nothing", () => {
    const made = madeBefore(noon, hour)
    for (const millis of [-hour, 0, hour, hour + clockTolerance])
      expect(isOutdated(addMillis(noon, millis), made)).toBe(false)
    for (const millis of [-hour - 1, hour + clockTolerance + 1])
      expect(isOutdated(addMillis(noon, millis), made)).toBe(true)
  })

  it.effect("a write is dated by its writeTimestamp, or by the clock if the writeTimestamp is too far ahead", () =>
    Effect.gen(function* () {
      expect(dateOf(addMillis(noon, clockTolerance), noon)).toBe(noon + clockTolerance)
      expect(dateOf(addMillis(noon, clockTolerance + 1), noon)).toBe(noon)
      yield* TestClock.setTime(noon)
      expect(yield* dateOfWrite(addMillis(noon, 5))).toBe(noon + 5)
      expect(yield* dateOfWrite(addMillis(noon, hour))).toBe(noon)
    })
  )

  it("time spans are written in a fitting unit", () => {
    expect([1_499, 90_000, 119_000, 120_000, 150_000, hour * 3, hour * 24 * 364].map(spanText)).toStrictEqual([
      "1 seconds",
      "90 seconds",
      "119 seconds",
      "2 minutes",
      "2 minutes",
      "3 hours",
      "364 days"
    ])
  })

  it.effect("is logged once a minute, and again when the clock is set back", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => void lines.push(String(message)))
      const warn = makeSkewWarning()
      const say = (now: EpochMillis, ahead: number) =>
        warn("A write", addMillis(now, ahead), now).pipe(Effect.provide(Logger.layer([logger])))
      yield* say(noon, clockTolerance)
      expect(lines).toHaveLength(0)
      yield* say(noon, 364 * 24 * hour)
      yield* say(addMillis(noon, 59_999), hour)
      expect(lines).toHaveLength(1)
      expect(lines[0]!).toMatch(/^A write is dated 364 days ahead/)
      yield* say(addMillis(noon, 60_000), hour)
      expect(lines).toHaveLength(2)
      yield* say(addMillis(noon, -hour), hour)
      expect(lines).toHaveLength(3)
    })
  )
})
