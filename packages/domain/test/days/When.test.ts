import { expect, it } from "@effect/vitest"
import { readWhen, whyUnclear } from "../../src/days/When.ts"
import { EpochMillis } from "../../src/model/EpochMillis.ts"

/** A Sunday, 14:30 in Vienna. */
const now = EpochMillis(Date.UTC(2026, 10, 22, 13, 30))

it("minutes and hours are counted from the minute that has begun", () => {
  const later = EpochMillis(now + 59_999)
  expect(readWhen("in 1 minute", "Europe/Vienna", later)).toBe("2026-11-22T13:31:00.000Z")
})

const clockSetBack: ReadonlyArray<readonly [string, number, string]> = [
  ["before it is shown", Date.UTC(2027, 9, 31, 0, 20), "2027-10-31T02:30"],
  ["at its first moment", Date.UTC(2027, 9, 31, 0, 30), "2027-10-31T01:30:00.000Z"],
  ["between both", Date.UTC(2027, 9, 31, 0, 40), "2027-10-31T01:30:00.000Z"],
  ["while the hour is shown again", Date.UTC(2027, 9, 31, 1, 20), "2027-10-31T01:30:00.000Z"]
]

it.each(clockSetBack)("a time that the clock shows twice is the coming one %s", (_, at, expected) => {
  const read = (text: string) => readWhen(text, "Europe/Vienna", EpochMillis(at))
  expect([read("2:30"), read("today at 2:30")]).toEqual([expected, expected])
})

it("a time that the clock has shown twice comes on the next day", () => {
  expect(readWhen("2:30", "Europe/Vienna", EpochMillis(Date.UTC(2027, 9, 31, 1, 30)))).toBe("2027-11-01T02:30")
})

it("months are counted to the last day of a shorter month", () => {
  const october = EpochMillis(Date.UTC(2026, 9, 31, 12))
  expect(readWhen("in 4 months at 9", "Europe/Vienna", october)).toBe("2027-02-28T09:00")
})

it("February 29 is the coming one, across a century without it", () => {
  const march = EpochMillis(Date.UTC(2096, 2, 1, 12))
  expect(readWhen("29 february", "Europe/Vienna", march)).toBe("2104-02-29")
})

it("a weekday is the coming one on every day of the week", () => {
  const thursday = EpochMillis(Date.UTC(2026, 10, 26, 12))
  const coming = ["thursday", "friday", "wed"].map((name) => readWhen(name, "Europe/Vienna", thursday))
  expect(coming).toEqual(["2026-12-03", "2026-11-27", "2026-12-02"])
})

const bothTuesdays = "'next tuesday' can be 2026-11-24 or 2026-12-01: say 'tuesday' for the first, or the date"
const unclear: ReadonlyArray<readonly [string, string | undefined]> = [
  ["next tuesday", bothTuesdays],
  ["Next Tuesday at 9", bothTuesdays],
  ["9am next tuesday", bothTuesdays],
  ["next week", "'next week' is no day: say 'monday' for 2026-11-23, or another day or date"],
  ["tonight", "'tonight' is no time: say one, such as 'today 21:00'"],
  ["Tomorrow morning", "'tomorrow morning' is no time: say one, such as 'tomorrow 9:00'"],
  ["this evening", "'this evening' is no time: say one, such as 'today 19:00'"],
  ["good morning", undefined],
  ["next", undefined],
  ["next to the door", undefined],
  ["next tuesday or so", undefined],
  ["tuesday", undefined]
]

for (const [text, expected] of unclear)
  it(`'${text}' ${expected === undefined ? "is not called unclear" : "is called unclear"}`, () => {
    expect(whyUnclear(text, "Europe/Vienna", now)).toBe(expected)
  })

const cases: ReadonlyArray<readonly [string, string | undefined]> = [
  ["tomorrow", "2026-11-23"],
  ["Tomorrow 9:00", "2026-11-23T09:00"],
  [" tomorrow 9:00 ", "2026-11-23T09:00"],
  [" 2026-12-24 18:00 ", "2026-12-24T18:00"],
  ["today  at 18:30", "2026-11-22T18:30"],
  ["saturday 09:00", "2026-11-28T09:00"],
  ["Mon", "2026-11-23"],
  ["sunday", "2026-11-29"],
  ["18:30", "2026-11-22T18:30"],
  ["at 14:30", "2026-11-23T14:30"],
  ["7:15", "2026-11-23T07:15"],
  ["2026-12-24", "2026-12-24"],
  ["2026-12-24 18:00", "2026-12-24T18:00"],
  ["2026-12-24 8:00", "2026-12-24T08:00"],
  ["2026-12-24T18:00", "2026-12-24T18:00"],
  ["2026-12-24T18:00:00Z", "2026-12-24T18:00:00Z"],
  ["2026-12-24 18:00+01:00", "2026-12-24T18:00+01:00"],
  ["soon", undefined],
  ["", undefined],
  ["at", undefined],
  ["tomorrow 9am", "2026-11-23T09:00"],
  ["Friday at 6:30 PM", "2026-11-27T18:30"],
  ["12am", "2026-11-23T00:00"],
  ["tomorrow 12:05pm", "2026-11-23T12:05"],
  ["13pm", undefined],
  ["0am", undefined],
  ["24:00", undefined],
  ["tomorrow 9", undefined],
  ["tomorrow morning", undefined],
  ["milk tomorrow", undefined],
  ["2026-02-30", undefined],
  ["tomorrow 09:00 09:00", undefined],
  ["tomorrow at 9", "2026-11-23T09:00"],
  ["at 9", "2026-11-23T09:00"],
  ["at 24", undefined],
  ["tomorrow at noon", "2026-11-23T12:00"],
  ["on friday", "2026-11-27"],
  ["on 2026-12-24 at 18:00", "2026-12-24T18:00"],
  ["9am tomorrow", "2026-11-23T09:00"],
  ["at 6:30 pm on Friday", "2026-11-27T18:30"],
  ["9:00 9:00", undefined],
  ["in 2 hours", "2026-11-22T15:30:00.000Z"],
  ["in an hour", "2026-11-22T14:30:00.000Z"],
  ["in 1 minute", "2026-11-22T13:31:00.000Z"],
  ["in 2 hours tomorrow", undefined],
  ["in 0 minutes", undefined],
  ["in 12345 days", undefined],
  ["in two days", undefined],
  ["in 3 days", "2026-11-25"],
  ["in a week", "2026-11-29"],
  ["in 2 days at 6:30 pm", "2026-11-24T18:30"],
  ["in 2 months", "2027-01-22"],
  ["in a year", "2027-11-22"],
  ["in 9999 years", undefined],
  ["24 december", "2026-12-24"],
  ["Dec 24", "2026-12-24"],
  ["Dec. 24, 2027", "2027-12-24"],
  ["on the 24th of December 2026 at 6:30 pm", "2026-12-24T18:30"],
  ["9:00 on 1 march", "2027-03-01T09:00"],
  ["22 november", "2026-11-22"],
  ["21 november", "2027-11-21"],
  ["feb 29", "2028-02-29"],
  ["29 february 2027", undefined],
  ["30 february", undefined],
  ["24 may be", undefined],
  ["24 of", undefined],
  ["december", undefined],
  ["next tuesday", undefined],
  ["next tuesday 9:00", undefined],
  ["next week", undefined]
]

for (const [text, expected] of cases)
  it(`'${text}' is ${expected}`, () => {
    expect(readWhen(text, "Europe/Vienna", now)).toBe(expected)
  })
