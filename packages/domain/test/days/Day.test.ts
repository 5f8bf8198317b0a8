import { describe, expect, it } from "@effect/vitest"
import { isDayWord, parseDay, resemblesDay, todayIn } from "../../src/days/Day.ts"
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

it("a list name resembles a day within one edit of a short day word, and within two of a long one", () => {
  expect(["toda", "tday", "tomorow", "tommorow", "yesteday", "yestrdy", " TOMOROW "].filter(resemblesDay)).toHaveLength(
    7
  )
  expect(["toy", "tody's", "tomrw", "yestrd", "sundae"].filter(resemblesDay)).toStrictEqual([])
})

it("a list name resembles a day when it is a weekday or a date in another form, and nothing around it", () => {
  const days = ["Monday", "next friday", "on sunday", "21.11.", "21.11.2026", "11/21/2026", "2026/11/21"]
  expect(days.filter(resemblesDay)).toStrictEqual(days)
  expect(["every monday", "monday night", "21.11.26 trip", "12345.1.1", "1.2"].filter(resemblesDay)).toStrictEqual([])
})
