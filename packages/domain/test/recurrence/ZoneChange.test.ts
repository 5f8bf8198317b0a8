/// <reference lib="esnext.temporal" />
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { maxInstant, wallOf, wallText } from "../../src/days/Zone.ts"
import { advance, firstListedDay, nextOccurrence } from "../../src/recurrence/Recurrence.ts"
import { type TimeTrigger, weekdays } from "../../src/model/Reminder.ts"
import { summarize } from "../../src/recurrence/ReminderSummary.ts"
import { inZone } from "../../src/recurrence/ZoneChange.ts"
import { triggerAt } from "../reminders/EveryZone.ts"
import { slowOccurrences, slowWalls } from "./SlowRecurrence.ts"
import { addMillis, EpochMillis } from "../../src/model/EpochMillis.ts"

const zones = Intl.supportedValuesOf("timeZone")
const [vienna, newYork] = ["Europe/Vienna", "America/New_York"]

describe("a reminder whose owner changes the time zone", () => {
  it("keeps its wall-clock time and duration if it repeats, and its summary names the new time zone", () => {
    const end = EpochMillis(Date.parse("2026-12-01T08:30:00Z"))
    const daily = triggerAt("2026-12-01T09:00:00.000", vienna, { repeat: "daily" }, { end, durationMinutes: 30 })
    const moved = inZone(daily, vienna, newYork)
    expect(new Date(moved.at).toISOString()).toBe("2026-12-01T14:00:00.000Z")
    expect(moved.end).toBe(moved.at + 30 * 60_000)
    expect(nextOccurrence(moved, newYork, moved.at)).toBe(Date.parse("2026-12-02T14:00:00Z"))
    expect(summarize(moved, newYork)).toBe("every day at 09:00, America/New_York")
  })

  it("has no end afterwards if it had none", () => {
    const daily = triggerAt("2026-12-01T09:00:00.000", vienna, { repeat: "daily" })
    expect(inZone(daily, vienna, newYork).end).toBeNull()
  })

  it("keeps its date if it is all-day", () => {
    const once = triggerAt("2026-12-24T00:00:00.000", vienna, {}, { allDay: true })
    const moved = inZone(once, vienna, newYork)
    expect(new Date(moved.at).toISOString()).toBe("2026-12-24T05:00:00.000Z")
    expect(summarize(moved, newYork)).toMatch(/2026-12-24, all day/)
  })

  it("keeps its instant if it does not repeat, and is not due a second time", () => {
    const once = triggerAt("2026-12-01T09:00:00.000", vienna)
    const moved = inZone(once, vienna, newYork)
    expect(moved.at).toBe(once.at)
    expect(moved.first).toBe("2026-12-01T03:00:00.000")
    expect(nextOccurrence(moved, newYork, moved.at)).toBeUndefined()
    expect(summarize(moved, newYork)).toMatch(/2026-12-01 at 03:00/)
  })

  it("still counts months from its first occurrence", () => {
    const monthly = triggerAt("2026-01-31T09:00:00.000", vienna, { repeat: "monthly" })
    const february = advance(monthly, nextOccurrence(monthly, vienna, monthly.at)!)
    const moved = inZone(february, vienna, newYork)
    expect(new Date(moved.at).toISOString()).toBe("2026-02-28T14:00:00.000Z")
    expect(new Date(nextOccurrence(moved, newYork, moved.at)!).toISOString()).toBe("2026-03-31T13:00:00.000Z")
  })

  it("returns to its wall-clock time after a gap had shifted it", () => {
    const daily = triggerAt("2026-03-28T02:30:00.000", vienna, { repeat: "daily" })
    const shifted = advance(daily, nextOccurrence(daily, vienna, daily.at)!)
    expect(new Date(shifted.at).toISOString()).toBe("2026-03-29T01:30:00.000Z")
    expect(new Date(inZone(shifted, vienna, "Asia/Tokyo").at).toISOString()).toBe("2026-03-28T17:30:00.000Z")
  })

  it("gains no occurrence where its last moment falls into a gap of the new time zone", () => {
    const until = EpochMillis(Date.parse("2026-03-29T02:45:00Z"))
    const moved = inZone(triggerAt("2026-03-28T03:00:00.000", "UTC", { repeat: "daily", until }), "UTC", vienna)
    expect(nextOccurrence(moved, vienna, moved.at)).toBeUndefined()
  })

  it("keeps its last occurrence where a gap of the new time zone moves it past its last moment", () => {
    const until = EpochMillis(Date.parse("2026-03-29T03:10:00Z"))
    const moved = inZone(triggerAt("2026-03-28T02:30:00.000", "UTC", { repeat: "daily", until }), "UTC", vienna)
    expect(nextOccurrence(moved, vienna, moved.at)).toBe(Date.parse("2026-03-29T01:30:00Z"))
  })

  it("stays within the years that can be stored", () => {
    const last = triggerAt("9999-12-31T23:00:00.000", "UTC", { repeat: "daily" })
    expect(inZone(last, "UTC", newYork).at).toBe(maxInstant)
  })

  it.skipIf(typeof Temporal === "undefined")(
    "has the same wall-clock occurrences, compared with the slow reference",
    () => {
      const rule = fc.record({
        repeat: fc.constantFrom("daily", "weekly", "monthly", "yearly" as const),
        every: fc.integer({ min: 1, max: 14 }),
        days: fc.subarray([...weekdays])
      })
      const clock = fc.constantFrom("00:00:00.000", "01:30:00.000", "02:30:00.000", "09:00:00.000", "23:30:00.000")
      const date = fc.date({ min: new Date("2015-01-01"), max: new Date("2030-12-31"), noInvalidDate: true })
      const zone = fc.constantFrom(...zones)
      fc.assert(
        fc.property(
          zone,
          zone,
          date,
          clock,
          rule,
          fc.nat(3),
          fc.option(fc.nat({ max: 900 * 24 })),
          (from, to, day, time, { days, every, repeat }, steps, untilHours) => {
            const listed = repeat === "weekly" ? weekdays.filter((name) => days.includes(name)) : []
            const given = wallOf(`${day.toISOString().slice(0, 10)}T${time}`)
            const first = wallText(listed.length === 0 ? given : firstListedDay(given, listed))
            const base = triggerAt(first, from, { repeat, every, days: listed })
            const until = untilHours === null ? null : addMillis(base.at, untilHours * 3_600_000)
            let trigger: TimeTrigger = { ...base, rule: { ...base.rule, until } }
            for (let step = 0; step < steps; step++) {
              const next = nextOccurrence(trigger, from, trigger.at)
              if (next !== undefined) trigger = advance(trigger, next)
            }
            const range = [first.slice(0, 10), wallText(wallOf(first) + 1_000 * 86_400_000).slice(0, 10)] as const
            const walls = slowWalls(trigger, from, ...range)
            const expected = walls.map((wall) => wall.toZonedDateTime(to).epochMilliseconds)
            const moved = inZone(trigger, from, to)
            expect(slowOccurrences(moved, to, ...range)).toStrictEqual(expected)
            const current = walls.findIndex((wall) => wall.toZonedDateTime(from).epochMilliseconds === trigger.at)
            if (current >= 0) expect(moved.at).toBe(expected[current])
          }
        ),
        { numRuns: 300 }
      )
    }
  )
})
