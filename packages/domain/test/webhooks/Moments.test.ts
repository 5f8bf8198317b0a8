import { describe, expect, it } from "@effect/vitest"
import { EpochMillis } from "../../src/model/EpochMillis.ts"
import type { TimeReminder } from "../../src/ports/ReminderStore.ts"
import { nextMoment, type OwnerClock, announcementsAt } from "../../src/webhooks/Moments.ts"
import { account, list, reminder, thing, timeTrigger } from "@lists-and-things/testing/Fixtures"

const owner = account().id
const on = thing(owner, list(owner).id)

const time = (text: string) => EpochMillis(Date.parse(text))
const iso = (moment: EpochMillis | undefined) => (moment === undefined ? undefined : new Date(moment).toISOString())
const utc: OwnerClock = { zone: "UTC", allDayAt: "09:00" }

interface Given {
  readonly at: string
  readonly first?: string
  readonly repeat?: "daily" | "weekly"
  readonly allDay?: boolean
  readonly alerts?: readonly [number, number]
  readonly until?: string
}

const given = ({ alerts = [0, 0], allDay = false, at, first, repeat, until }: Given): TimeReminder => {
  const rule = {
    repeat: repeat ?? "none",
    every: 1,
    days: [],
    until: until === undefined ? null : time(until)
  } as const
  const trigger = timeTrigger(time(at), { allDay, rule, ...(first !== undefined && { first }) })
  return { ...reminder(on, { alertMinutes: alerts[0], secondAlertMinutes: alerts[1] }), trigger }
}

/** The moments after a time, each with its announcements. */
const moments = (of: TimeReminder, clock: OwnerClock, after: string, count: number) => {
  const found: Array<string> = []
  for (let at = nextMoment(of, clock, time(after)); at !== undefined && found.length < count;) {
    const announcements = announcementsAt(of, clock, at).map(({ alert, dueAt }) => `${alert ?? "due"} ${iso(dueAt)}`)
    found.push([iso(at), ...announcements].join(" | "))
    at = nextMoment(of, clock, at)
  }
  return found
}

describe("moments of a reminder", () => {
  it("are its time and those of its alerts, each strictly later than the given time", () => {
    const once = given({ at: "2026-11-21T12:00:00Z", alerts: [15, 60] })
    expect(moments(once, utc, "2026-11-01T00:00:00Z", 9)).toStrictEqual([
      "2026-11-21T11:00:00.000Z | second 2026-11-21T12:00:00.000Z",
      "2026-11-21T11:45:00.000Z | first 2026-11-21T12:00:00.000Z",
      "2026-11-21T12:00:00.000Z | due 2026-11-21T12:00:00.000Z"
    ])
    expect(iso(nextMoment(once, utc, time("2026-11-21T11:45:00Z")))).toBe("2026-11-21T12:00:00.000Z")
    expect(nextMoment(once, utc, time("2026-11-21T12:00:00Z"))).toBeUndefined()
    expect(announcementsAt(once, utc, time("2026-11-21T12:00:01Z"))).toStrictEqual([])
  })

  it("are its time alone, announced once, where it has no alerts", () => {
    const once = given({ at: "2026-11-21T12:00:00Z", alerts: [0, 0] })
    expect(moments(once, utc, "2026-11-01T00:00:00Z", 9)).toStrictEqual([
      "2026-11-21T12:00:00.000Z | due 2026-11-21T12:00:00.000Z"
    ])
  })

  it("follow for every occurrence from the current one on, though `at` stays", () => {
    const daily = given({
      ...{ at: "2026-11-21T12:00:00Z", first: "2026-11-01T12:00:00.000", repeat: "daily", alerts: [24 * 60, 0] },
      until: "2026-11-23T12:00:00Z"
    })
    expect(moments(daily, utc, "2026-11-01T00:00:00Z", 9)).toStrictEqual([
      "2026-11-20T12:00:00.000Z | first 2026-11-21T12:00:00.000Z",
      "2026-11-21T12:00:00.000Z | due 2026-11-21T12:00:00.000Z | first 2026-11-22T12:00:00.000Z",
      "2026-11-22T12:00:00.000Z | due 2026-11-22T12:00:00.000Z | first 2026-11-23T12:00:00.000Z",
      "2026-11-23T12:00:00.000Z | due 2026-11-23T12:00:00.000Z"
    ])
  })

  it("for a whole day are at the account's time of day, with alerts counted back from it", () => {
    const day = given({ at: "2026-11-20T23:00:00Z", allDay: true, alerts: [600, 0] })
    expect(moments(day, { zone: "Europe/Berlin", allDayAt: "07:30" }, "2026-11-01T00:00:00Z", 9)).toStrictEqual([
      "2026-11-20T20:30:00.000Z | first 2026-11-21T06:30:00.000Z",
      "2026-11-21T06:30:00.000Z | due 2026-11-21T06:30:00.000Z"
    ])
    expect(iso(nextMoment(day, { zone: "Europe/Berlin", allDayAt: "23:59" }, day.trigger.at))).toBe(
      "2026-11-21T12:59:00.000Z"
    )
  })

  const around = [
    // Clocks go back an hour at 01:00 UTC on 2026-10-25.
    {
      ...{ zone: "Europe/Berlin", after: "2026-10-24T00:00:00Z", first: "2026-10-01T02:30:00.000" },
      ...{ at: "2026-10-24T00:30:00Z", timed: ["2026-10-24T00:30", "2026-10-25T00:30", "2026-10-26T01:30"] },
      whole: ["2026-10-24T07:00", "2026-10-25T08:00", "2026-10-26T08:00"]
    },
    // At 02:00 on 2026-03-08 clocks go forward; 02:30 is not there and is 03:30.
    {
      ...{ zone: "America/New_York", after: "2026-03-07T06:00:00Z", first: "2026-03-01T02:30:00.000" },
      ...{ at: "2026-03-07T07:30:00Z", timed: ["2026-03-07T07:30", "2026-03-08T07:30", "2026-03-09T06:30"] },
      whole: ["2026-03-07T14:00", "2026-03-08T13:00", "2026-03-09T13:00"]
    },
    // Half an hour back at 02:00 on 2026-04-05.
    {
      ...{ zone: "Australia/Lord_Howe", after: "2026-04-03T13:00:00Z", first: "2026-04-01T01:45:00.000" },
      ...{ at: "2026-04-03T14:45:00Z", timed: ["2026-04-03T14:45", "2026-04-04T14:45", "2026-04-05T15:15"] },
      whole: ["2026-04-03T22:00", "2026-04-04T22:30", "2026-04-05T22:30"]
    }
  ]

  it.each(around)("follow the wall clock at a clock change in $zone", ({ after, at, first, timed, whole, zone }) => {
    const clock = { zone, allDayAt: "09:00" }
    const daily = given({ at, first, repeat: "daily" })
    const minutes = (found: ReadonlyArray<string>) => found.map((each) => each.slice(0, 16))
    expect(minutes(moments(daily, clock, after, 3))).toStrictEqual(timed)
    const midnight = `${first.slice(0, 10)}T00:00:00.000`
    const days = given({ at: after, first: midnight, repeat: "daily", allDay: true })
    expect(minutes(moments(days, clock, after, 3))).toStrictEqual(whole)
  })
})
