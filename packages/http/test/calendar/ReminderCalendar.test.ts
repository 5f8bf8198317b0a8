import { readFileSync } from "node:fs"
import ICAL from "ical.js"
import { describe, expect, it } from "@effect/vitest"
import { instantToWall, wallOf, wallToInstant } from "@lists-and-things/domain/days/Zone"
import { type CalendarEntry, calendarEntries } from "@lists-and-things/domain/reminders/CalendarEntry"
import { nextOccurrence } from "@lists-and-things/domain/recurrence/Recurrence"
import type { Reminder, RepeatRule, TimeTrigger } from "@lists-and-things/domain/model/Reminder"
import { runStepsSync } from "@lists-and-things/domain/scheduling/Yielding"
import * as Fixtures from "@lists-and-things/testing/Fixtures"
import { reminderCalendar } from "../../src/calendar/ReminderCalendar.ts"
import { addMillis, EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

const now = EpochMillis(Date.UTC(2026, 10, 21, 12))
const account = Fixtures.account()
const thing = Fixtures.thing(account.id, Fixtures.list(account.id).id, { text: "Pay **rent**; call, ask\\n“why”" })

const reminderOf = (trigger: TimeTrigger, overrides: Partial<Reminder> = {}): Reminder => ({
  ...Fixtures.reminder(thing),
  trigger,
  ...overrides
})

const triggerOf = (zone: string, first: string, rule: Partial<RepeatRule>, overrides: Partial<TimeTrigger> = {}) =>
  Fixtures.timeTrigger(wallToInstant(zone, wallOf(first)), {
    first,
    rule: { repeat: "none", every: 1, days: [], until: null, ...rule },
    ...overrides
  })

const entriesOf = (reminder: Reminder, zone: string, of = thing) =>
  calendarEntries(reminder, of, zone, reminder.created)

const calendarOf = (zone: string, entries: ReadonlyArray<CalendarEntry>) => {
  const { text } = runStepsSync(reminderCalendar({ zone, entries }, "https://lists.example", now))
  const component = new ICAL.Component(ICAL.parse(text))
  for (const each of component.getAllSubcomponents("vtimezone")) {
    const zone = new ICAL.Timezone(each)
    ICAL.TimezoneService.register(zone, zone.tzid)
  }
  return { text, events: component.getAllSubcomponents("vevent").map((event) => new ICAL.Event(event)) }
}

/**
 * The instants of an event as ical.js expands it. A skipped or repeated wall time is resolved by RFC 5545, section
 * 3.3.5, which ical.js does not implement; any other by ical.js and the VTIMEZONE.
 */
const expand = (event: ICAL.Event, name: string, count: number): ReadonlyArray<number> => {
  const zone = ICAL.TimezoneService.get(name)!
  const instant = (time: ICAL.Time): number => {
    const wall = Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second)
    time.zone = zone
    return existsOnce(name, wall) ? time.toUnixTime() * 1000 : wallToInstant(name, wall)
  }
  if (!event.isRecurring()) return [instant(event.startDate)]
  const iterator = event.iterator()
  const found: Array<number> = []
  for (let next = iterator.next(); next && found.length < count; next = iterator.next()) found.push(instant(next))
  return found
}

const existsOnce = (zone: string, wall: number): boolean => {
  const hour = 3_600_000
  const earlier = wallToInstant(zone, wall)
  const later = [0.5, 1, 1.5, 2].map((hours) => earlier + hours * hour)
  return instantToWall(zone, earlier) === wall && later.every((ms) => instantToWall(zone, EpochMillis(ms)) !== wall)
}

interface Vector {
  readonly name: string
  readonly zone: string
  readonly first: string
  readonly rule: Omit<RepeatRule, "until"> & { readonly until: string | null }
}

const golden: { readonly vectors: ReadonlyArray<Vector> } = JSON.parse(
  readFileSync(new URL(import.meta.resolve("@lists-and-things/domain/golden/recurrence.json")), "utf8")
)

/** Expects ical.js to find the first twelve occurrences of a rule, as far as zone rules are known. */
const expectOurs = (zone: string, first: string, rule: Partial<RepeatRule>): void => {
  const trigger = triggerOf(zone, first, rule)
  const expected: Array<number> = [trigger.at]
  for (let at = nextOccurrence(trigger, zone, trigger.at); at !== undefined && expected.length < 12;) {
    expected.push(at)
    at = nextOccurrence(trigger, zone, at)
  }
  const { events } = calendarOf(zone, entriesOf(reminderOf(trigger), zone))
  const horizon = Date.UTC(2040, 0)
  const found = events.flatMap((event) => expand(event, zone, 12)).toSorted((a, b) => a - b)
  // iCalendar counts whole seconds.
  const wanted = expected.map((at) => Math.floor(at / 1000) * 1000).filter((at) => at < horizon)
  expect(found.slice(0, wanted.length).map((at) => new Date(at).toISOString())).toEqual(
    wanted.map((at) => new Date(at).toISOString())
  )
}

describe("ical.js expands to our occurrences", () => {
  it.each(golden.vectors)("$name", ({ first, rule, zone }) =>
    expectOurs(zone, first, { ...rule, until: rule.until === null ? null : EpochMillis(Date.parse(rule.until)) })
  )

  it.each([1, 2, 3, 4, 5, 6, 8, 12, 24])("at the end of the month, every %i", (every) => {
    for (const first of ["2026-11-29", "2027-01-29", "2028-02-29", "2026-12-30", "2026-08-31"])
      expectOurs("Europe/Vienna", `${first}T10:00:00.000`, { repeat: "monthly", every })
  })
})

describe("reminderCalendar", () => {
  it("lets no text begin a content line, and has no control characters", () => {
    const reminder = reminderOf(triggerOf("Europe/Berlin", "2026-11-30T09:00:00.000", {}), { alertMinutes: 10 })
    const hostile = {
      ...thing,
      text: "a\u001b[31m b\u0007\rX-OWN:1",
      note: "one\rX-OWN:2\u2028X-OWN:3\u0085four\r\nfive\u0000\tsix"
    }
    const { events, text } = calendarOf("Europe/Berlin", entriesOf(reminder, "Europe/Berlin", hostile))
    expect(text.replaceAll("\r\n", "")).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u007f\u0085\u2028\u2029]/)
    expect(text.split("\r\n").filter((line) => line.startsWith("X-OWN"))).toStrictEqual([])
    expect(events[0]?.summary).toBe("a\ufffd[31m b\ufffd X-OWN:1")
    expect(events[0]?.description).toBe("one\nX-OWN:2\nX-OWN:3\nfour\nfive\ufffd\tsix")
  })

  it("writes title, end, both alarms, URL and a stable id", () => {
    const trigger = triggerOf("Europe/Berlin", "2026-11-30T09:00:00.000", {})
    const reminder = reminderOf(
      { ...trigger, end: addMillis(trigger.at, 5_400_000), durationMinutes: 90 },
      { alertMinutes: 10, secondAlertMinutes: 1440 }
    )
    const { events, text } = calendarOf("Europe/Berlin", entriesOf(reminder, "Europe/Berlin"))
    const event = events[0]!
    expect(event.uid).toBe(`${reminder.id}@lists-and-things`)
    expect(event.summary).toBe("Pay rent; call, ask\\n“why”")
    expect(event.startDate.toString()).toBe("2026-11-30T09:00:00")
    expect(event.endDate.toString()).toBe("2026-11-30T10:30:00")
    expect(event.component.getFirstPropertyValue("url")).toBe(`https://lists.example/things/${thing.id}`)
    const alarms = event.component
      .getAllSubcomponents("valarm")
      .map((alarm) => String(alarm.getFirstPropertyValue("trigger")))
    expect(alarms).toEqual(["-PT10M", "-P1D"])
    expect(text).toMatch(/^BEGIN:VCALENDAR\r\n/)
    expect(text).toMatch(/\r\nEND:VCALENDAR\r\n$/)
    expect(text).toMatch(/\r\nDTSTAMP:\d{8}T\d{6}Z\r\n/)
    for (const line of text.split("\r\n")) expect(new TextEncoder().encode(line).length).toBeLessThanOrEqual(75)
  })

  it("has no alarm without advance notice, and one for two at the same time", () => {
    const trigger = triggerOf("Europe/Berlin", "2026-11-30T09:00:00.000", {})
    const alertsOf = (alertMinutes: number, secondAlertMinutes: number) =>
      entriesOf(reminderOf(trigger, { alertMinutes, secondAlertMinutes }), "Europe/Berlin").map(({ alerts }) => alerts)
    expect([alertsOf(0, 0), alertsOf(0, 10), alertsOf(10, 10)]).toStrictEqual([[[]], [[10]], [[10]]])
  })

  it("raises sequence, stamp and last-modified when an event changes", () => {
    const reminder = reminderOf(triggerOf("UTC", "2026-11-30T09:00:00.000", {}), { created: now })
    const written = (revised: EpochMillis) => {
      const [event] = calendarOf("UTC", calendarEntries(reminder, thing, "UTC", revised)).events
      const value = (name: string) => String(event!.component.getFirstPropertyValue(name))
      return [event!.sequence, value("dtstamp"), value("last-modified")]
    }
    expect(written(now)).toEqual([0, "2026-11-21T12:00:00Z", "2026-11-21T12:00:00Z"])
    expect(written(addMillis(now, 90_000))).toEqual([90, "2026-11-21T12:01:30Z", "2026-11-21T12:01:30Z"])
  })

  it("writes all-day reminders as dates, whatever the machine's zone", () => {
    for (const zone of ["Pacific/Kiritimati", "Pacific/Pago_Pago", "UTC"]) {
      const trigger = triggerOf(zone, "2026-11-30T00:00:00.000", { repeat: "monthly" }, { allDay: true })
      const { events } = calendarOf(zone, entriesOf(reminderOf(trigger), zone))
      expect(events[0]!.startDate.isDate).toBe(true)
      expect(events[0]!.startDate.toString()).toBe("2026-11-30")
      const dates = events.flatMap((event) => {
        const iterator = event.iterator()
        return [1, 2, 3].map(() => iterator.next().toString())
      })
      expect(dates).toEqual(["2026-11-30", "2026-12-30", "2027-01-30", "2027-02-28", "2028-02-29", "2029-02-28"])
    }
  })

  it("writes the end of a series as a date where its events are dates, else in UTC", () => {
    const until = wallToInstant("Pacific/Kiritimati", wallOf("2026-12-03T00:00:00.000"))
    const rule = (first: string, allDay: boolean) => {
      const trigger = triggerOf("Pacific/Kiritimati", first, { repeat: "daily", until }, { allDay })
      return calendarOf("Pacific/Kiritimati", entriesOf(reminderOf(trigger), "Pacific/Kiritimati")).text.split("\r\n")
    }
    expect(rule("2026-11-30T00:00:00.000", true)).toContain("RRULE:FREQ=DAILY;UNTIL=20261203")
    expect(rule("2026-11-30T09:00:00.000", false)).toContain("RRULE:FREQ=DAILY;UNTIL=20261202T100000Z")
  })

  it.each([
    ["0800-03-01", "DTSTART;VALUE=DATE:08000301"],
    ["0008-03-01", "DTSTART;VALUE=DATE:00080301"],
    ["2030-03-01", "DTSTART;VALUE=DATE:20300301"]
  ])("writes the year of the day %s with four digits", (date, line) => {
    const trigger = triggerOf("Europe/Berlin", `${date}T00:00:00.000`, {}, { allDay: true })
    const { text } = calendarOf("Europe/Berlin", entriesOf(reminderOf(trigger), "Europe/Berlin"))
    expect(text.split("\r\n")).toContain(line)
  })

  it("writes the years of a time and its end with four digits", () => {
    const end = wallToInstant("UTC", wallOf("0080-03-01T09:30:00.000"))
    const trigger = triggerOf("UTC", "0080-03-01T09:00:00.000", {}, { end })
    const { text } = calendarOf("UTC", entriesOf(reminderOf(trigger), "UTC"))
    expect(text.split("\r\n")).toEqual(expect.arrayContaining(["DTSTART:00800301T090000Z", "DTEND:00800301T093000Z"]))
  })

  it("limits times to the end of 9999 in a zone ahead of UTC", () => {
    const beyond = (trigger: TimeTrigger) =>
      calendarOf("Europe/Vienna", entriesOf(reminderOf(trigger), "Europe/Vienna"))
    const at = EpochMillis(Date.parse("9999-12-31T23:30:00Z"))
    const timed = triggerOf("Europe/Vienna", "9999-12-31T09:00:00.000", {}, { at, end: addMillis(at, 600_000) })
    const { events, text } = beyond(timed)
    expect(text).toContain("DTSTART;TZID=Europe/Vienna:99991231T235959\r\n")
    expect(text).not.toContain("DTEND")
    expect(events).toHaveLength(1)
    expect(beyond({ ...timed, allDay: true, end: null }).text).toContain("DTSTART;VALUE=DATE:99991231\r\n")
  })

  describe("in a repeated hour, of which programs read the earlier", () => {
    const zone = "Europe/Berlin"
    const earlier = EpochMillis(Date.parse("2026-10-25T00:30:00Z"))
    const later = addMillis(earlier, 3_600_000)
    const linesOf = (trigger: TimeTrigger) =>
      calendarOf(zone, entriesOf(reminderOf(trigger), zone))
        .text.split("\r\n")
        .filter((line) => /^(?:DT(?:START|END).*:2026|RRULE:FREQ=DAILY)/.test(line))

    it("writes a start in the later hour in UTC, with its end, and later occurrences as wall times", () => {
      const once = triggerOf(zone, "2026-10-25T02:30:00.000", {}, { at: later, end: addMillis(later, 1_200_000) })
      const daily = { ...once, end: null, rule: { ...once.rule, repeat: "daily" as const } }
      expect(linesOf({ ...once, at: earlier, end: null })).toEqual(["DTSTART;TZID=Europe/Berlin:20261025T023000"])
      expect(linesOf(once)).toEqual(["DTSTART:20261025T013000Z", "DTEND:20261025T015000Z"])
      expect(linesOf(daily)).toEqual([
        "DTSTART:20261025T013000Z",
        "DTSTART;TZID=Europe/Berlin:20261026T023000",
        "RRULE:FREQ=DAILY"
      ])
    })

    it("writes an end in the later hour in UTC, so that every occurrence has the same length", () => {
      const first = "2026-10-25T02:30:00.000"
      const trigger = triggerOf(zone, first, { repeat: "daily" }, { at: earlier, end: later, durationMinutes: 60 })
      expect(linesOf(trigger)).toEqual([
        "DTSTART;TZID=Europe/Berlin:20261025T023000",
        "DTEND:20261025T013000Z",
        "RRULE:FREQ=DAILY"
      ])
      const { events } = calendarOf(zone, entriesOf(reminderOf(trigger), zone))
      expect(events.map((event) => event.endDate.toUnixTime() * 1000)).toEqual([later])
    })
  })

  it("leaves out reminders of done things and at places", () => {
    const reminder = reminderOf(triggerOf("UTC", "2026-11-30T09:00:00.000", {}))
    expect(entriesOf(reminder, "UTC", { ...thing, completed: true })).toEqual([])
    const place = Fixtures.placeTrigger(Fixtures.place(account.id).id)
    expect(entriesOf({ ...reminder, trigger: place }, "UTC")).toEqual([])
  })

  it("takes one step per entry", () => {
    const trigger = triggerOf("Europe/Berlin", "2026-11-30T09:00:00.000", {})
    const entries = entriesOf(reminderOf(trigger), "Europe/Berlin")
    const many = Array.from({ length: 100 }, () => entries[0]!)
    const steps = reminderCalendar({ zone: "Europe/Berlin", entries: many }, "https://lists.example", now)
    let taken = 0
    while (steps.next().done !== true) taken++
    expect(taken).toBe(100)
  })

  it("cuts a note that is too long for a calendar", () => {
    const long = { ...thing, note: "🦊".repeat(20_000) }
    const [entry] = entriesOf(reminderOf(triggerOf("UTC", "2026-11-30T09:00:00.000", {})), "UTC", long)
    expect(entry!.note).toBe(`${"🦊".repeat(10_000)}…`)
  })
})
