import { expect, it } from "@effect/vitest"
import { readWhen } from "../../src/days/When.ts"
import { EpochMillis } from "../../src/model/EpochMillis.ts"

/** A Sunday, 14:30 in Vienna. */
const now = EpochMillis(Date.UTC(2026, 10, 22, 13, 30))

const cases: ReadonlyArray<readonly [string, string | undefined]> = [
  ["tomorrow", "2026-11-23"],
  ["Tomorrow 9:00", "2026-11-23T09:00"],
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
  ["tomorrow 09:00 09:00", undefined]
]

for (const [text, expected] of cases)
  it(`'${text}' is ${expected}`, () => {
    expect(readWhen(text, "Europe/Vienna", now)).toBe(expected)
  })
