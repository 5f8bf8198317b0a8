import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { EpochMillis } from "../../src/model/EpochMillis.ts"
import { formatTime, parseIsoTime, toInstant } from "../../src/days/IsoTime.ts"

const read = (text: string, zone = "Europe/Berlin"): string | undefined => {
  const time = parseIsoTime(text)
  return time === undefined ? undefined : formatTime(toInstant(time, zone))
}

describe("parseIsoTime", () => {
  it.each([
    ["2026-11-21T09:00:00Z", "2026-11-21T09:00:00.000Z"],
    ["2026-11-21T09:00+01:00", "2026-11-21T08:00:00.000Z"],
    ["2026-11-21T09:00:30.1239-0530", "2026-11-21T14:30:30.123Z"],
    ["2026-11-21T09:00:30,5+02", "2026-11-21T07:00:30.500Z"],
    ["2026-11-21T09:00", "2026-11-21T08:00:00.000Z"],
    ["2026-07-21T09:00:00", "2026-07-21T07:00:00.000Z"],
    ["2026-11-21", "2026-11-20T23:00:00.000Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
    ["2024-02-29", "2024-02-28T23:00:00.000Z"]
  ])("reads %s", (text, expected) => expect(read(text)).toBe(expected))

  it.each([
    "2026-02-30",
    "2026-02-29",
    "2026-13-01",
    "2026-00-10",
    "2026-01-00",
    "0000-01-01",
    "10000-01-01",
    "+002026-01-01",
    "-0001-01-01",
    "1",
    "",
    "infinity",
    "now",
    "20261121",
    "2026-11-21 09:00",
    "2026-11-21T24:00",
    "2026-11-21T09",
    "2026-11-21T09:60",
    "2026-11-21T09:00:60",
    "2026-11-21T09:00+24:00",
    "2026-11-21T09:00 ",
    "2026-11-21Z",
    "2026-11-21T09:00[Europe/Berlin]",
    "0001-01-01T00:00:00+01:00",
    "9999-12-31T23:59:59-00:01",
    "２０２６-11-21"
  ])("refuses %j", (text) => expect(parseIsoTime(text)).toBeUndefined())

  it("clamps local times to the range from year 1 to year 9999", () => {
    expect(read("9999-12-31T20:00", "Pacific/Honolulu")).toBe("9999-12-31T23:59:59.999Z")
    expect(read("0001-01-01", "Asia/Tokyo")).toBe("0001-01-01T00:00:00.000Z")
  })
})

describe("formatTime", () => {
  it("formats every time as Date.toISOString does", () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), fc.nat(100_000), (date, later) => {
        for (const ms of [date.getTime(), date.getTime(), Math.min(date.getTime() + later, 8.64e15)])
          expect(formatTime(EpochMillis(ms))).toBe(new Date(ms).toISOString())
      }),
      { seed: 12, numRuns: 1_000 }
    )
  })
})
