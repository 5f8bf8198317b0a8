import { expect, it } from "@effect/vitest"
import { readRepeatedWhen, type RepeatedWhen, whyUnclearRepeated } from "../../src/days/RepeatedWhen.ts"
import { EpochMillis } from "../../src/model/EpochMillis.ts"

/** A Sunday, 14:30 in Vienna. */
const now = EpochMillis(Date.UTC(2026, 10, 22, 13, 30))
const read = (text: string) => readRepeatedWhen(text, "Europe/Vienna", now)

const cases: ReadonlyArray<readonly [string, RepeatedWhen]> = [
  ["tomorrow 9:00", { at: "2026-11-23T09:00" }],
  ["daily", { at: "2026-11-22", repeat: "daily" }],
  ["daily at 9", { at: "2026-11-23T09:00", repeat: "daily" }],
  ["tomorrow 9:00 Weekly", { at: "2026-11-23T09:00", repeat: "weekly" }],
  ["monthly on 24 december", { at: "2026-12-24", repeat: "monthly" }],
  ["every year on the 24th of december", { at: "2026-12-24", repeat: "yearly" }],
  ["every day 18:30", { at: "2026-11-22T18:30", repeat: "daily" }],
  ["every other week", { at: "2026-11-22", repeat: "weekly", every: 2 }],
  ["Every 2 weeks  on Monday at 6:30 pm", { at: "2026-11-23T18:30", repeat: "weekly", every: 2 }],
  ["in 3 days every 3 months", { at: "2026-11-25", repeat: "monthly", every: 3 }],
  ["every monday", { at: "2026-11-22", days: ["monday"] }],
  ["9am every mon", { at: "2026-11-23T09:00", days: ["monday"] }],
  ["every weekday at 7", { at: "2026-11-23T07:00", days: ["monday", "tuesday", "wednesday", "thursday", "friday"] }],
  ["every tue, thu and saturday at noon", { at: "2026-11-23T12:00", days: ["tuesday", "thursday", "saturday"] }]
]

it.each(cases)("'%s' is a time and how often it comes again", (text, expected) => {
  expect(read(text)).toStrictEqual(expected)
})

const other = ["", "every", "every hour", "every 0 days", "every funday", "every mon and", "soon daily", "daily weekly"]

it.each(other)("'%s' is no time", (text) => {
  expect([read(text), whyUnclearRepeated(text, "Europe/Vienna", now)]).toStrictEqual([undefined, undefined])
})

it("a long text is no time", () => {
  expect(read("every day ".repeat(100_000))).toBeUndefined()
})

const unclear: ReadonlyArray<readonly [string, string]> = [
  ["Every evening", "'every evening' is no time: say one, such as 'every day 19:00'"],
  ["every 2 weeks tonight", "'tonight' is no time: say one, such as 'today 21:00'"],
  ["next week", "'next week' is no day: say 'monday' for 2026-11-23, or another day or date"]
]

it.each(unclear)("'%s' is called unclear", (text, expected) => {
  expect(whyUnclearRepeated(text, "Europe/Vienna", now)).toBe(expected)
})
