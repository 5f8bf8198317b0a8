import { describe, expect, it } from "@effect/vitest"
import { isDayWord, parseDay, todayIn } from "../../src/days/Day.ts"
import { EpochMillis } from "../../src/model/EpochMillis.ts"

const now = EpochMillis(Date.parse("2026-11-21T23:30:00Z"))

describe("parseDay", () => {
  it.each([
    ["today", "Europe/Berlin", "2026-11-22"],
    ["yesterday", "Europe/Berlin", "2026-11-21"],
    ["tomorrow", "Europe/Berlin", "2026-11-23"],
    ["today", "America/New_York", "2026-11-21"],
    ["2026-02-28", "Europe/Berlin", "2026-02-28"],
    ["2026-03-01T23:30:00Z", "Europe/Berlin", "2026-03-02"],
    ["2026-03-01T23:30:00", "Europe/Berlin", "2026-03-01"]
  ])("%j in %s", (text, zone, expected) => expect(parseDay(text, zone, now)).toBe(expected))

  it.each(["Today", " today ", "2026-02-28 ", "now", "", "2026-02-30", "21.11.2026", "next week"])(
    "refuses %j",
    (text) => expect(parseDay(text, "Europe/Berlin", now)).toBeUndefined()
  )

  it("refuses a moment whose local date is beyond the year 9999", () =>
    expect(parseDay("9999-12-31T23:00:00Z", "Asia/Tokyo", now)).toBeUndefined())
})

it("isDayWord recognizes the names of day lists", () => {
  expect(["today", "yesterday", "tomorrow", "2026-11-21", " today"].every(isDayWord)).toBe(true)
  expect(["Today", "2026-02-30", "2026-11-21T09:00", "Groceries", ""].some(isDayWord)).toBe(false)
})

it("todayIn changes at midnight of the given time zone", () => {
  expect(todayIn("Pacific/Kiritimati", EpochMillis(Date.parse("2026-11-21T09:59:59.999Z")))).toBe("2026-11-21")
  expect(todayIn("Pacific/Kiritimati", EpochMillis(Date.parse("2026-11-21T10:00:00Z")))).toBe("2026-11-22")
})
