import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { formatTime } from "../../src/days/IsoTime.ts"
import { decodeInput } from "../../src/json/Decode.ts"
import { SetReminderInput } from "../../src/json/ReminderJson.ts"
import type { Reminder } from "../../src/model/Reminder.ts"
import { draftReminder } from "../../src/reminders/ReminderDraft.ts"
import { account, list, reminder, thing, timeTrigger } from "@lists-and-things/testing/Fixtures"

const berlin = account({
  timezone: "Europe/Berlin",
  defaultReminderMinutes: 30,
  defaultAlertMinutes: 10,
  defaultReminderColor: "#aabbcc"
})

const draft = (body: Record<string, unknown>, earlier?: Reminder) =>
  Effect.flatMap(decodeInput(SetReminderInput)(body), (input) =>
    Effect.fromResult(draftReminder(input, berlin, earlier))
  )

const refusal = (body: Record<string, unknown>) => Effect.map(Effect.flip(draft(body)), (error) => error.message)

const nine = "2026-11-24T09:00"

describe("a drafted reminder", () => {
  it.effect("reads a time without offset in the owner's time zone, and takes defaults from the account", () =>
    Effect.gen(function* () {
      const { alertMinutes, color, secondAlertMinutes, trigger } = yield* draft({ at: nine })
      expect({
        at: formatTime(trigger.at),
        first: trigger.first,
        minutes: trigger.durationMinutes,
        end: formatTime(trigger.end!)
      }).toStrictEqual({
        at: "2026-11-24T08:00:00.000Z",
        first: "2026-11-24T09:00:00.000",
        minutes: 30,
        end: "2026-11-24T08:30:00.000Z"
      })
      expect([alertMinutes, secondAlertMinutes, color]).toStrictEqual([10, 0, "#aabbcc"])
      expect(trigger.rule).toStrictEqual({ repeat: "none", every: 1, days: [], until: null })
    })
  )

  it.effect("that is set again after a change of the zone is the same as before", () =>
    Effect.gen(function* () {
      const tokyo = account({ timezone: "Asia/Tokyo" })
      const at = "2026-11-24T08:00:00Z"
      const earlier = Effect.flatMap(decodeInput(SetReminderInput)({ at, duration_minutes: 30 }), (input) =>
        Effect.fromResult(draftReminder(input, tokyo))
      )
      const { trigger } = yield* earlier
      const before = reminder(thing(tokyo.id, list(tokyo.id).id), { trigger })
      expect((yield* draft({ at: nine }, before)).trigger).toStrictEqual(trigger)
      for (const other of [{ at: "2026-11-24T10:00" }, { at: nine, repeat: "daily" }])
        expect((yield* draft(other, before)).trigger.first).toBe(`${other.at}:00.000`)
    })
  )

  it.effect("prefers given values to the defaults, zero and empty ones included", () =>
    Effect.gen(function* () {
      const said = yield* draft({
        at: nine,
        duration_minutes: 0,
        alert_minutes: 0,
        second_alert_minutes: 1440,
        color: ""
      })
      expect([said.trigger.durationMinutes, said.trigger.end]).toStrictEqual([null, null])
      expect([said.alertMinutes, said.secondAlertMinutes, said.color]).toStrictEqual([0, 1440, ""])
    })
  )

  it.effect("is all-day at local midnight and without a duration if it is given a plain date", () =>
    Effect.gen(function* () {
      const { trigger } = yield* draft({ at: "2026-07-01" })
      expect([trigger.allDay, formatTime(trigger.at), trigger.end, trigger.durationMinutes]).toStrictEqual([
        true,
        "2026-06-30T22:00:00.000Z",
        null,
        null
      ])
      const timed = yield* draft({ at: "2026-07-01", all_day: false })
      expect([timed.trigger.allDay, timed.trigger.durationMinutes]).toStrictEqual([false, 30])
    })
  )

  it.effect("with all_day keeps only the date in the owner's time zone", () =>
    Effect.gen(function* () {
      const { trigger } = yield* draft({ at: "2026-11-24T23:30:00Z", all_day: true })
      expect(trigger.first).toBe("2026-11-25T00:00:00.000")
      expect(formatTime(trigger.at)).toBe("2026-11-24T23:00:00.000Z")
    })
  )

  it.effect("with days is weekly, in week order, and begins on the first listed weekday", () =>
    Effect.gen(function* () {
      const { trigger } = yield* draft({ at: nine, days: ["FRI", 1, "monday", "0"] })
      expect(trigger.rule).toStrictEqual({
        repeat: "weekly",
        every: 1,
        days: ["sunday", "monday", "friday"],
        until: null
      })
      expect(trigger.first).toBe("2026-11-27T09:00:00.000")
      const stays = yield* draft({ at: nine, days: ["tue"], repeat: "none" })
      expect(stays.trigger.first).toBe("2026-11-24T09:00:00.000")
    })
  )

  it.effect("moves its end when days move its start", () =>
    Effect.gen(function* () {
      const { trigger } = yield* draft({ at: nine, end: "2026-11-24T10:15", days: ["wed"] })
      expect(formatTime(trigger.end!)).toBe("2026-11-25T09:15:00.000Z")
      expect(trigger.durationMinutes).toBe(75)
    })
  )

  it.effect("keeps the instant of a time with an offset within a repeated hour", () =>
    Effect.gen(function* () {
      const { trigger } = yield* draft({ at: "2026-10-25T02:30:00+01:00", repeat: "daily" })
      expect(formatTime(trigger.at)).toBe("2026-10-25T01:30:00.000Z")
      expect(trigger.first).toBe("2026-10-25T02:30:00.000")
    })
  )

  it.effect("reads a plain date in repeat_until as its local midnight", () =>
    Effect.gen(function* () {
      const { trigger } = yield* draft({ at: nine, repeat: "daily", every: 2, repeat_until: "2026-12-01" })
      expect([trigger.rule.every, formatTime(trigger.rule.until!)]).toStrictEqual([2, "2026-11-30T23:00:00.000Z"])
    })
  )

  it.effect("writes colours as six lower-case digits", () =>
    Effect.gen(function* () {
      expect((yield* draft({ at: nine, color: "#FA0" })).color).toBe("#ffaa00")
      expect((yield* draft({ at: nine, color: "#00FFaa" })).color).toBe("#00ffaa")
    })
  )

  it.effect("has an end at most 525,600 minutes after at", () =>
    Effect.gen(function* () {
      const { trigger } = yield* draft({ at: "2026-11-24T09:00Z", end: "2027-11-24T09:00Z" })
      expect(trigger.durationMinutes).toBe(525_600)
      const message = yield* refusal({ at: "2026-11-24T09:00Z", end: "2027-11-24T09:00:00.001Z" })
      expect(message).toContain("end must be at most 525,600 minutes after at")
    })
  )

  it.effect("reads null as none, not as the account's default, and ignores read-only fields", () =>
    Effect.gen(function* () {
      const { alertMinutes, secondAlertMinutes, trigger } = yield* draft({
        id: "x",
        thing_id: "y",
        list_id: "z",
        text: "t",
        place: null,
        summary: "s",
        at: nine,
        end: null,
        duration_minutes: null,
        repeat_until: null,
        alert_minutes: null,
        second_alert_minutes: null,
        days: [],
        every: 1,
        repeat: "daily"
      })
      expect([trigger.durationMinutes, trigger.end, trigger.rule.until]).toStrictEqual([null, null, null])
      expect([alertMinutes, secondAlertMinutes]).toStrictEqual([0, 0])
      expect(trigger.rule.repeat).toBe("daily")
    })
  )
})

describe("a reminder that is sent as it was read", () => {
  const read = { id: "r", at: "2026-11-24T08:00:00.000Z", every: 1, days: [], end: null, duration_minutes: null }

  it.effect("may have both end and duration_minutes, and every beside days", () =>
    Effect.gen(function* () {
      const { trigger } = yield* draft({
        ...read,
        end: "2026-11-24T08:45:00.000Z",
        duration_minutes: 45,
        repeat: "weekly",
        days: ["tuesday"]
      })
      expect([trigger.durationMinutes, formatTime(trigger.end!)]).toStrictEqual([45, "2026-11-24T08:45:00.000Z"])
      expect(trigger.rule).toStrictEqual({ repeat: "weekly", every: 1, days: ["tuesday"], until: null })
      expect((yield* draft({ ...read, repeat: "daily", every: 3 })).trigger.rule.every).toBe(3)
    })
  )

  it.effect.each([
    [{ end: "2026-11-24T08:45:00.000Z", duration_minutes: 30 }, "duration_minutes cannot be combined with end"],
    [{ repeat: "weekly", days: ["tuesday"], every: 2 }, "every cannot be combined with days"]
  ] as const)("is refused if it contradicts itself: %j", ([change, expected]) =>
    Effect.gen(function* () {
      expect(yield* refusal({ ...read, ...change })).toContain(`${expected}. For example "`)
    })
  )

  const monthly = { repeat: "monthly", every: 1, days: [], until: null } as const
  const januaryEnd = "2027-01-31T09:00:00.000"
  const rent = reminder(thing(berlin.id, list(berlin.id).id), {
    trigger: timeTrigger(Date.UTC(2027, 1, 28, 8), { first: januaryEnd, rule: monthly })
  })
  const asRead = { id: rent.id, at: "2027-02-28T08:00:00.000Z", repeat: "monthly", every: 1, duration_minutes: null }

  it.effect("still counts from its first occurrence", () =>
    Effect.gen(function* () {
      expect((yield* draft({ ...asRead, color: "#ff0000" }, rent)).trigger.first).toBe("2027-01-31T09:00:00.000")
    })
  )

  it.effect.each([
    [{ at: "2027-03-05T08:00:00.000Z" }, "2027-03-05T09:00:00.000"],
    [{ at: "2027-02-28", all_day: true }, "2027-02-28T00:00:00.000"],
    [{ repeat: "yearly" }, "2027-02-28T09:00:00.000"],
    [{ every: 2 }, "2027-02-28T09:00:00.000"],
    [{ days: ["sunday"], repeat: "weekly" }, "2027-02-28T09:00:00.000"],
    [{ id: "another" }, "2027-02-28T09:00:00.000"]
  ] as const)("begins a new series if it is changed: %j", ([change, first]) =>
    Effect.gen(function* () {
      expect((yield* draft({ ...asRead, ...change }, rent)).trigger.first).toBe(first)
    })
  )

  it.effect("may end at its occurrence only if it was read so, as the last one of its series", () =>
    Effect.gen(function* () {
      const ending = { ...asRead, repeat_until: asRead.at }
      expect((yield* Effect.flip(draft(ending, rent))).message).toContain("repeat_until must be after at")
      const until = Date.UTC(2027, 1, 28, 8)
      const last = { ...rent, trigger: timeTrigger(until, { first: januaryEnd, rule: { ...monthly, until } }) }
      expect((yield* draft(ending, last)).trigger.rule.until).toBe(until)
    })
  )

  it.effect("begins a new series if it lasted all day and is now due at midnight", () =>
    Effect.gen(function* () {
      const first = "2027-01-31T00:00:00.000"
      const wholeDay = timeTrigger(Date.UTC(2027, 1, 27, 23), { first, allDay: true, rule: monthly })
      const sent = { ...asRead, at: "2027-02-27T23:00:00.000Z" }
      const firstOf = (all_day: boolean) =>
        Effect.map(draft({ ...sent, all_day }, { ...rent, trigger: wholeDay }), ({ trigger }) => trigger.first)
      expect(yield* firstOf(true)).toBe(first)
      expect(yield* firstOf(false)).toBe("2027-02-28T00:00:00.000")
    })
  )

  it.effect("ends no later than the last instant that can be stored", () =>
    Effect.gen(function* () {
      const { trigger } = yield* draft({ at: "9999-12-31T23:59:00Z", duration_minutes: 10 })
      expect(formatTime(trigger.end!)).toBe("9999-12-31T23:59:59.999Z")
    })
  )
})

describe("a refused reminder", () => {
  const cases: ReadonlyArray<readonly [Record<string, unknown>, ...Array<string>]> = [
    [{}, "at is required"],
    [{ at: "tomorrow" }, "at must be"],
    [{ at: null }, "at must be"],
    [{ at: "2026-02-30" }, "at must be"],
    [{ at: nine, duration_minutes: 30, end: "2026-11-24T10:00" }, "duration_minutes", "end"],
    [{ at: nine, duration_minutes: 30, all_day: true }, "duration_minutes", "all_day"],
    [{ at: nine, duration_minutes: 0, all_day: true }, "duration_minutes", "all_day"],
    [{ at: "2026-11-24", duration_minutes: 30 }, "duration_minutes", "all_day"],
    [{ at: nine, end: "2026-11-24T10:00", all_day: true }, "end", "all_day"],
    [{ at: nine, every: 2, days: ["mon"] }, "every", "days"],
    [{ at: nine, every: 1, days: ["mon"] }, "every", "days"],
    [{ at: nine, days: ["mon"], repeat: "daily" }, "days", "repeat"],
    [{ at: nine, days: ["mon"], repeat: "monthly" }, "days", "repeat"],
    [{ at: nine, end: "2026-11-24T10:00Z" }, "end", "same form as at"],
    [{ at: "2026-11-24T09:00Z", end: "2026-11-24T10:00" }, "end", "same form as at"],
    [{ at: nine, end: nine }, "end must be after at"],
    [{ at: nine, end: "2026-11-23T10:00" }, "end must be after at"],
    [{ at: nine, end: "2028-11-24T10:00" }, "end must be at most"],
    [{ at: nine, repeat: "daily", repeat_until: nine }, "repeat_until must be after at"],
    [{ at: nine, days: ["fri"], repeat_until: "2026-11-26" }, "repeat_until must be after at"],
    [{ at: nine, repeat: "custom" }, "repeat must be one of"],
    [{ at: nine, repeat: "hourly" }, "repeat must be one of"],
    [{ at: nine, every: 0 }, "every must be an integer from 1 to 999"],
    [{ at: nine, every: 1000 }, "every must be"],
    [{ at: nine, every: 1.5 }, "every must be"],
    [{ at: nine, every: "2" }, "every must be"],
    [{ at: nine, duration_minutes: -1 }, "duration_minutes must be"],
    [{ at: nine, duration_minutes: 525_601 }, "duration_minutes must be an integer from 0 to 525,600"],
    [{ at: nine, duration_minutes: "5" }, "duration_minutes must be a number or null"],
    [{ at: nine, repeat_until: "soon" }, "repeat_until must be an ISO 8601 date"],
    [{ at: nine, alert_minutes: 525_601 }, "alert_minutes must be"],
    [{ at: nine, second_alert_minutes: 0.5 }, "second_alert_minutes must be"],
    [{ at: nine, days: ["mon", "noday"] }, "days[1] must be a weekday"],
    [{ at: nine, days: [7] }, "days[0] must be a weekday"],
    [{ at: nine, days: [""] }, "days[0] must be a weekday"],
    [{ at: nine, days: [{}] }, "days[0] must be"],
    [{ at: nine, days: "mon" }, "days must be an array"],
    [{ at: nine, color: "red" }, "color must be"],
    [{ at: nine, color: "#12345" }, "color must be"],
    [{ at: nine, colour: "#123" }, "colour is not a known field: did you mean color?"]
  ]
  it.effect.each(cases)("%j", ([body, ...parts]) =>
    Effect.gen(function* () {
      const message = yield* refusal(body)
      for (const part of parts) expect(message).toContain(part)
    })
  )
})
