/// <reference lib="esnext.temporal" />
import { readFileSync } from "node:fs"
import * as fc from "fast-check"
import { describe, expect, it } from "@effect/vitest"
import { maxInstant, minInstant, wallOf, wallText } from "../../src/days/Zone.ts"
import {
  advance,
  clockChangeOf,
  firstListedDay,
  nextOccurrence,
  occurrencesFrom
} from "../../src/recurrence/Recurrence.ts"
import { type RepeatRule, weekdays } from "../../src/model/Reminder.ts"
import { compareZones, triggerAt } from "../reminders/EveryZone.ts"
import { slowOccurrences } from "./SlowRecurrence.ts"
import { addMillis, EpochMillis } from "../../src/model/EpochMillis.ts"

const zones = Intl.supportedValuesOf("timeZone")
const canCompare = typeof Temporal !== "undefined"

interface Vector {
  readonly name: string
  readonly zone: string
  readonly first: string
  readonly rule: RepeatRule
  readonly after: string
  readonly occurrences: ReadonlyArray<string>
  readonly exhausted: boolean
}

const golden = JSON.parse(readFileSync(new URL("../../golden/recurrence.json", import.meta.url), "utf8")) as {
  readonly vectors: ReadonlyArray<Vector>
}

describe("golden vectors", () => {
  it("are more than 20", () => expect(golden.vectors.length).toBeGreaterThan(20))

  it.each(golden.vectors)("$name", ({ after, exhausted, first, occurrences, rule, zone }) => {
    const trigger = triggerAt(first, zone, {
      ...rule,
      until: rule.until === null ? null : EpochMillis(Date.parse(`${rule.until}`))
    })
    const found: Array<string> = []
    let at: EpochMillis | undefined = EpochMillis(Date.parse(after))
    while (found.length < occurrences.length) {
      at = nextOccurrence(trigger, zone, at)
      if (at === undefined) break
      found.push(new Date(at).toISOString())
    }
    expect(found).toEqual(occurrences)
    if (exhausted) expect(nextOccurrence(trigger, zone, at!)).toBeUndefined()
  })
})

describe("against the slow reference", () => {
  const time = fc.constantFrom(
    "00:00:00.000",
    "00:30:00.000",
    "01:30:00.000",
    "02:00:00.000",
    "02:30:00.000",
    "09:00:00.000",
    "23:30:00.000"
  )
  it.skipIf(!canCompare)("every kind of rule, over two years with their clock changes, in some time zones", () => {
    expect(compareZones(zones.filter((_, index) => index % 20 === 0))).toBeGreaterThan(15_000)
  })

  it.skipIf(!canCompare)("any first day and any rule, after any instant", () => {
    const rule = fc.record({
      repeat: fc.constantFrom("daily", "weekly", "monthly", "yearly" as const),
      every: fc.integer({ min: 1, max: 14 }),
      days: fc.subarray([...weekdays])
    })
    const date = fc.date({ min: new Date("1995-01-01"), max: new Date("2030-12-31"), noInvalidDate: true })
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        date,
        time,
        rule,
        fc.nat(1500),
        fc.option(fc.nat(900)),
        (zone, day, clock, { days, every, repeat }, ahead, untilDays) => {
          const listed = repeat === "weekly" ? weekdays.filter((name) => days.includes(name)) : []
          const given = wallOf(`${day.toISOString().slice(0, 10)}T${clock}`)
          const first = wallText(listed.length === 0 ? given : firstListedDay(given, listed))
          const base = triggerAt(first, zone, { repeat, every, days: listed })
          const until = untilDays === null ? null : addMillis(base.at, untilDays * 86_400_000)
          const trigger = { ...base, rule: { ...base.rule, until } }
          const after = addMillis(base.at, ahead * 86_400_000 - 3_600_000)
          const from = new Date(after - 3 * 86_400_000).toISOString().slice(0, 10)
          const years = repeat === "yearly" ? 15 * every : repeat === "monthly" ? 2 * every : 1
          const to = new Date(after + (years * 366 + 40) * 86_400_000).toISOString().slice(0, 10)
          const expected = slowOccurrences(trigger, zone, from, to).find((at) => at > after)
          if (expected !== undefined || until !== null) expect(nextOccurrence(trigger, zone, after)).toBe(expected)
        }
      ),
      { numRuns: 150 }
    )
  })
})

describe("nextOccurrence", () => {
  it("takes time that does not depend on how long ago the rule began", () => {
    const rules: ReadonlyArray<Partial<RepeatRule>> = [
      { repeat: "daily" },
      { repeat: "weekly", days: ["monday", "sunday"] },
      { repeat: "monthly" },
      { repeat: "yearly" }
    ]
    for (const rule of rules) {
      const trigger = triggerAt("0001-01-01T09:00:00.000", "Europe/Berlin", rule)
      // Stepping through two thousand years for every call would never end.
      for (let run = 0; run < 5_000; run++) {
        const after = EpochMillis(Date.UTC(2026, 10, 21 + (run % 300)))
        expect(nextOccurrence(trigger, "Europe/Berlin", after)).toBeGreaterThan(after)
      }
    }
  })

  it("begins with the first occurrence and ends in the year 9999", () => {
    const first = triggerAt("0001-01-02T00:00:00.000", "UTC", { repeat: "daily" })
    expect(nextOccurrence(first, "UTC", minInstant)).toBe(first.at)
    expect(nextOccurrence(first, "UTC", EpochMillis(Date.parse("9999-12-31T00:00:00Z")))).toBeUndefined()
    const lastDay = triggerAt("9999-12-31T00:00:00.000", "Europe/Vienna", { repeat: "daily" })
    expect(nextOccurrence({ ...lastDay, allDay: true }, "Europe/Vienna", lastDay.at)).toBeUndefined()
    const early = triggerAt("9999-12-31T05:00:00.000", "Asia/Tokyo", { repeat: "daily" })
    expect(nextOccurrence(early, "Asia/Tokyo", early.at)).toBe(Date.parse("9999-12-31T20:00:00Z"))
    expect(
      nextOccurrence(
        triggerAt("9999-01-31T00:00:00.000", "UTC", { repeat: "yearly", every: 999 }),
        "UTC",
        EpochMillis(Date.parse("9999-01-31T00:00:00Z"))
      )
    ).toBeUndefined()
  })

  it("is undefined after an occurrence that does not repeat", () => {
    const once = triggerAt("2026-11-21T09:00:00.000", "UTC", {})
    expect(nextOccurrence(once, "UTC", once.at)).toBeUndefined()
    expect(nextOccurrence(once, "UTC", addMillis(once.at, -1))).toBe(once.at)
  })

  it("gives no occurrence twice where the time zone skips a day", () => {
    const daily = triggerAt("2011-12-29T12:00:00.000", "Pacific/Apia", { repeat: "daily" })
    expect(occurrencesFrom(daily, "Pacific/Apia", daily.at, 4).map((at) => new Date(at).toISOString())).toEqual([
      "2011-12-29T22:00:00.000Z",
      "2011-12-30T22:00:00.000Z",
      "2011-12-31T22:00:00.000Z",
      "2012-01-01T22:00:00.000Z"
    ])
  })

  it("gives the day after a skipped one, also in the next month", () => {
    const monthly = triggerAt("1994-08-31T10:00:00.000", "Pacific/Kiritimati", { repeat: "monthly" })
    const newYear = EpochMillis(Date.parse("1994-12-31T10:00:00Z"))
    expect(nextOccurrence(monthly, "Pacific/Kiritimati", newYear)).toBe(Date.parse("1994-12-31T20:00:00Z"))
  })
})

it("advance moves the end by the elapsed time", () => {
  const trigger = { ...triggerAt("2026-03-28T01:00:00.000", "Europe/Berlin", { repeat: "daily" }), durationMinutes: 90 }
  const moved = advance({ ...trigger, end: addMillis(trigger.at, 90 * 60_000) }, addMillis(trigger.at, 86_400_000))
  expect(moved).toMatchObject({
    at: trigger.at + 86_400_000,
    end: trigger.at + 86_400_000 + 90 * 60_000,
    first: trigger.first
  })
})

it("occurrencesFrom gives the current occurrence and skips those between it and now", () => {
  const trigger = triggerAt("2020-01-01T09:00:00.000", "UTC", { repeat: "daily" })
  expect(
    occurrencesFrom(trigger, "UTC", EpochMillis(Date.UTC(2026, 10, 21, 12)), 3).map((at) => new Date(at).toISOString())
  ).toEqual(["2020-01-01T09:00:00.000Z", "2026-11-22T09:00:00.000Z", "2026-11-23T09:00:00.000Z"])
})

describe("clockChangeOf", () => {
  const rule: RepeatRule = { repeat: "daily", every: 1, days: [], until: null }
  const changeAt = (first: string, at: string, zone = "Europe/Berlin") =>
    clockChangeOf(advance(triggerAt(first, zone, rule), EpochMillis(Date.parse(at))), zone)

  it("distinguishes a skipped wall time from a repeated one", () => {
    const [skipped, shownTwice] = ["2027-03-27T02:30:00.000", "2026-10-24T02:30:00.000"]
    expect(changeAt(skipped, "2027-03-27T01:30Z")).toBeUndefined()
    expect(changeAt(skipped, "2027-03-28T01:30Z")).toStrictEqual({
      _tag: "Skipped",
      wall: wallOf("2027-03-28T02:30:00.000")
    })
    expect(changeAt(skipped, "2027-03-29T00:30Z")).toBeUndefined()
    expect(changeAt(shownTwice, "2026-10-25T00:30Z")).toStrictEqual({ _tag: "Repeated", isEarlier: true })
    expect(changeAt(shownTwice, "2026-10-25T01:30Z")).toStrictEqual({ _tag: "Repeated", isEarlier: false })
    expect(changeAt("2027-04-04T01:45:00.000", "2027-04-03T14:45Z", "Australia/Lord_Howe")).toStrictEqual({
      _tag: "Repeated",
      isEarlier: true
    })
  })

  it("looks at the clock of the owner's zone, where the first occurrence is on that of another one", () => {
    const once = triggerAt("2027-03-28T02:30:00.000", "UTC")
    expect(clockChangeOf(once, "Europe/Berlin")).toBeUndefined()
    expect(clockChangeOf({ ...once, at: EpochMillis(Date.parse("2026-10-25T00:30Z")) }, "Europe/Berlin")).toStrictEqual(
      {
        _tag: "Repeated",
        isEarlier: true
      }
    )
  })

  it("is undefined for an all-day reminder, even if its midnight is skipped", () => {
    const trigger = triggerAt("2026-09-06T00:00:00.000", "America/Santiago", { ...rule, repeat: "none" })
    expect(clockChangeOf(trigger, "America/Santiago")).toMatchObject({ _tag: "Skipped" })
    expect(clockChangeOf({ ...trigger, allDay: true }, "America/Santiago")).toBeUndefined()
  })
})

describe("a reminder at another occurrence", () => {
  const daily = triggerAt("2026-12-01T09:00:00.000", "Europe/Vienna", { repeat: "daily" })
  const next = addMillis(daily.at, 86_400_000)

  it("has no end if it had none", () => {
    expect(advance(daily, next)).toStrictEqual({ ...daily, at: next })
  })

  it("keeps its length", () => {
    const half = { ...daily, end: addMillis(daily.at, 1_800_000), durationMinutes: 30 }
    expect(advance(half, next).end).toBe(next + 1_800_000)
    expect(advance(half, addMillis(maxInstant, -1)).end).toBe(maxInstant)
  })
})
