import ICAL from "ical.js"
import { describe, expect, it } from "@effect/vitest"
import { instantToWall } from "@lists-and-things/domain/days/Zone"
import { EpochMillis, msPerDay } from "@lists-and-things/domain/model/EpochMillis"
import { zoneComponent } from "../../src/calendar/ZoneComponent.ts"

const now = EpochMillis(Date.UTC(2026, 10, 21, 12))

const rulesOf = (zone: string): ReadonlyArray<string> =>
  zoneComponent(zone, now, now)
    .split("\r\n")
    .filter((line) => line.startsWith("RRULE:"))

describe("a calendar program computes the clock of a zone for a century", () => {
  it.each([
    "Europe/Vienna",
    "America/New_York",
    "America/Santiago",
    "America/Havana",
    "America/Nuuk",
    "Africa/Cairo",
    "Africa/Casablanca",
    "Asia/Gaza",
    "Asia/Jerusalem",
    "Asia/Kolkata",
    "Australia/Lord_Howe",
    "Antarctica/Troll",
    "Pacific/Chatham",
    "UTC"
  ])("%s", (zone) => {
    const read = new ICAL.Timezone(new ICAL.Component(ICAL.parse(zoneComponent(zone, now, now))))
    const wrong: Array<string> = []
    for (let ms: number = now; ms < Date.UTC(2126, 0); ms += 5 * msPerDay) {
      const wall = new Date(instantToWall(zone, EpochMillis(ms)))
      const time = ICAL.Time.fromJSDate(wall, true)
      if (read.utcOffset(time) * 1000 !== wall.getTime() - ms) wrong.push(wall.toISOString())
    }
    expect(wrong).toStrictEqual([])
  })

  it("lists the changes one by one for the years before a rule began", () => {
    const zone = "America/New_York"
    const since = EpochMillis(Date.UTC(2003, 5))
    const read = new ICAL.Timezone(new ICAL.Component(ICAL.parse(zoneComponent(zone, since, now))))
    for (let ms = Date.UTC(2003, 0, 5); ms < Date.UTC(2010, 0); ms += 5 * msPerDay) {
      const wall = new Date(instantToWall(zone, EpochMillis(ms)))
      expect(read.utcOffset(ICAL.Time.fromJSDate(wall, true)) * 1000, wall.toISOString()).toBe(wall.getTime() - ms)
    }
  })
})

describe("a zone that kept its offset for decades and changed it later", () => {
  it.each(["Pacific/Norfolk", "Pacific/Bougainville", "Pacific/Apia", "Asia/Karachi"])(
    "of %s is right since 1972",
    (zone) => {
      const since = EpochMillis(Date.UTC(1972, 5))
      const read = new ICAL.Timezone(new ICAL.Component(ICAL.parse(zoneComponent(zone, since, now))))
      const wrong: Array<string> = []
      for (let ms: number = since; ms < Date.UTC(2060, 0); ms += 5 * msPerDay) {
        const wall = new Date(instantToWall(zone, EpochMillis(ms)))
        if (read.utcOffset(ICAL.Time.fromJSDate(wall, true)) * 1000 !== wall.getTime() - ms)
          wrong.push(wall.toISOString())
      }
      expect(wrong).toStrictEqual([])
    }
  )
})

describe("zoneComponent", () => {
  it.each([
    ["Europe/Vienna", ["BYMONTH=3;BYDAY=-1SU", "BYMONTH=10;BYDAY=-1SU"]],
    ["America/New_York", ["BYMONTH=3;BYDAY=2SU", "BYMONTH=11;BYDAY=1SU"]],
    ["Asia/Jerusalem", ["BYMONTH=3;BYMONTHDAY=23,24,25,26,27,28,29;BYDAY=FR", "BYMONTH=10;BYDAY=-1SU"]],
    ["Asia/Kolkata", []]
  ])("names the changes of %s that come every year", (zone, rules) => {
    expect(rulesOf(zone)).toStrictEqual(rules.map((rule) => `RRULE:FREQ=YEARLY;${rule}`))
  })
})
