/// <reference lib="esnext.temporal" />
import * as fc from "fast-check"
import { describe, expect, it } from "@effect/vitest"
import {
  addDays,
  instantToLocal,
  instantToWall,
  isTimeZone,
  localDateOf,
  localToInstant,
  zoneSpelling
} from "../../src/days/Zone.ts"
import { startOfDay, wallOf, wallText, wallToInstant } from "../../src/days/Zone.ts"
import { EpochMillis } from "../../src/model/EpochMillis.ts"

const at = (zone: string, wall: string): string => new Date(wallToInstant(zone, wallOf(wall))).toISOString()

describe("wallToInstant", () => {
  it.each([
    ["forward by the gap", "Europe/Berlin", "2026-03-29T02:30:00.000", "2026-03-29T01:30:00.000Z"],
    ["the earlier of two", "Europe/Berlin", "2026-10-25T02:30:00.000", "2026-10-25T00:30:00.000Z"],
    ["forward by half an hour", "Australia/Lord_Howe", "2026-10-04T02:15:00.000", "2026-10-03T15:45:00.000Z"],
    ["forward by a skipped day", "Pacific/Apia", "2011-12-30T12:00:00.000", "2011-12-30T22:00:00.000Z"],
    ["a midnight that is skipped", "America/Santiago", "2026-09-06T00:00:00.000", "2026-09-06T04:00:00.000Z"],
    ["local mean time with seconds", "Europe/Berlin", "1800-01-01T00:00:00.000", "1799-12-31T23:06:32.000Z"],
    ["the first year", "Europe/Berlin", "0001-01-02T00:00:00.000", "0001-01-01T23:06:32.000Z"]
  ])("%s", (_, zone, wall, expected) => expect(at(zone, wall)).toBe(expected))
})

describe("against Temporal, in every zone", () => {
  const zones = Intl.supportedValuesOf("timeZone")
  const zone = fc.constantFrom(...zones)

  it.skipIf(typeof Temporal === "undefined")("around every change of offset from 2025 to 2028", () => {
    for (const name of zones) {
      let change = Temporal.Instant.from("2025-01-01T00:00Z").toZonedDateTimeISO(name).getTimeZoneTransition("next")
      while (change !== null && change.year < 2029) {
        for (const minutes of [-90, -60, -30, -1, 0, 1, 15, 30, 59, 60, 90]) {
          const local = change.toPlainDateTime().add({ minutes })
          const expected = local.toZonedDateTime(name, { disambiguation: "compatible" }).epochMilliseconds
          expect(wallToInstant(name, wallOf(local.toString({ smallestUnit: "millisecond" }))), `${name} ${local}`).toBe(
            expected
          )
        }
        change = change.getTimeZoneTransition("next")
      }
    }
  })

  it.skipIf(typeof Temporal === "undefined")("at any time of the years 1 to 9999", () => {
    fc.assert(
      fc.property(zone, fc.integer({ min: -62_135_000_000_000, max: 253_402_000_000_000 }), (name, ms) => {
        const zoned = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(name)
        expect(wallText(instantToWall(name, EpochMillis(ms)))).toBe(
          zoned.toPlainDateTime().toString({ smallestUnit: "millisecond" })
        )
        expect(instantToLocal(name, EpochMillis(ms)).date).toBe(zoned.toPlainDate().toString())
      }),
      { numRuns: 3000 }
    )
  })

  it("a local time is converted back to its instant, or to an earlier one with the same wall time", () => {
    fc.assert(
      fc.property(zone, fc.integer({ min: 0, max: 4_102_444_800_000 }), (name, ms) => {
        const back = localToInstant(name, instantToLocal(name, EpochMillis(ms)))
        expect(back).toBeLessThanOrEqual(ms)
        expect(instantToWall(name, back)).toBe(instantToWall(name, EpochMillis(ms)))
      }),
      { numRuns: 3000 }
    )
  })
})

it("isTimeZone accepts names of time zones only", () => {
  expect(["Europe/Berlin", "UTC", "Etc/GMT+5", "America/Argentina/Buenos_Aires"].every(isTimeZone)).toBe(true)
  expect(["", "+01:00", "Berlin", "Europe/Nowhere", "Europe/Berlin ", "local"].some(isTimeZone)).toBe(false)
})

it("zoneSpelling corrects the case of time zone names, and keeps aliases", () => {
  expect(["europe/berlin", "UTC", "utc", "AMERICA/NEW_YORK"].map(zoneSpelling)).toEqual([
    "Europe/Berlin",
    "UTC",
    "UTC",
    "America/New_York"
  ])
  expect(["Asia/Kathmandu", "US/Pacific", "Europe/Kyiv"].map(zoneSpelling)).toEqual([
    "Asia/Kathmandu",
    "US/Pacific",
    "Europe/Kyiv"
  ])
})

it("addDays, localDateOf and startOfDay follow the calendar and the time zone", () => {
  expect(addDays("2024-02-28", 1)).toBe("2024-02-29")
  expect(addDays("2026-01-01", -1)).toBe("2025-12-31")
  expect(addDays("0099-12-31", 1)).toBe("0100-01-01")
  expect(localDateOf("Asia/Kolkata", EpochMillis(Date.parse("2026-11-21T18:30:00Z")))).toBe("2026-11-22")
  expect(new Date(startOfDay("Europe/Berlin", "2026-07-01")).toISOString()).toBe("2026-06-30T22:00:00.000Z")
})
