import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { decodeInput } from "../../src/json/Decode.ts"
import { SetReminderInput } from "../../src/json/ReminderJson.ts"
import { draftReminder } from "../../src/reminders/ReminderDraft.ts"
import { summarize } from "../../src/recurrence/ReminderSummary.ts"
import { account, place, placeTrigger } from "@lists-and-things/testing/Fixtures"

const zone = "Europe/Berlin"
const owner = account({ timezone: zone })

describe("the summary of a reminder", () => {
  it.effect.each([
    [{ at: "2026-11-24T09:00" }, "once on Tuesday 2026-11-24 at 09:00, Europe/Berlin"],
    [{ at: "2026-11-24" }, "once on Tuesday 2026-11-24, all day, Europe/Berlin"],
    [{ at: "2026-11-24T09:00:30", repeat: "daily" }, "every day at 09:00:30, Europe/Berlin"],
    [
      { at: "2026-11-24T09:00", repeat: "weekly", every: 2, repeat_until: "2027-03-01" },
      "every 2 weeks on Tuesday at 09:00, Europe/Berlin, until 2027-03-01"
    ],
    [
      { at: "2026-11-24T09:00", days: ["fri", "mon", "wed"], repeat_until: "2027-03-01T18:00" },
      "every week on Monday, Wednesday and Friday at 09:00, Europe/Berlin, until 2027-03-01 18:00"
    ],
    [
      { at: "2026-11-24T09:00", repeat: "daily", repeat_until: "2027-03-01T23:59:59.999" },
      "every day at 09:00, Europe/Berlin, until the end of 2027-03-01"
    ],
    [
      { at: "2026-11-24T09:00", repeat: "daily", repeat_until: "2027-03-01T23:59" },
      "every day at 09:00, Europe/Berlin, until 2027-03-01 23:59"
    ],
    [
      { at: "2026-11-24T09:00", repeat: "daily", repeat_until: "2027-03-01T23:59:59" },
      "every day at 09:00, Europe/Berlin, until the end of 2027-03-01"
    ],
    [
      { at: "2026-11-24T09:00", days: [0, 1, 2, 3, 4, 5, 6] },
      "every week on every day of the week at 09:00, Europe/Berlin"
    ],
    [{ at: "2026-11-02", repeat: "monthly" }, "every month on the 2nd, all day, Europe/Berlin"],
    [{ at: "2026-11-11", repeat: "monthly" }, "every month on the 11th, all day, Europe/Berlin"],
    [{ at: "2026-11-13", repeat: "monthly" }, "every month on the 13th, all day, Europe/Berlin"],
    [{ at: "2026-11-23", repeat: "monthly" }, "every month on the 23rd, all day, Europe/Berlin"],
    [{ at: "2026-11-21", repeat: "monthly" }, "every month on the 21st, all day, Europe/Berlin"],
    [{ at: "2026-11-12T09:00", repeat: "monthly", every: 3 }, "every 3 months on the 12th at 09:00, Europe/Berlin"],
    [
      { at: "2026-01-31T09:00", repeat: "monthly" },
      "every month on the 31st (or the last day of a shorter month) at 09:00, Europe/Berlin"
    ],
    [{ at: "2026-01-28", repeat: "monthly" }, "every month on the 28th, all day, Europe/Berlin"],
    [
      { at: "2026-01-29", repeat: "monthly" },
      "every month on the 29th (or the last day of a shorter month), all day, Europe/Berlin"
    ],
    [{ at: "2026-02-28", repeat: "yearly" }, "every year on February 28, all day, Europe/Berlin"],
    [{ at: "2026-03-29", repeat: "yearly" }, "every year on March 29, all day, Europe/Berlin"],
    [{ at: "2026-07-04T09:00", repeat: "yearly" }, "every year on July 4 at 09:00, Europe/Berlin"],
    [
      { at: "2024-02-29", repeat: "yearly" },
      "every year on February 29 (February 28 in common years), all day, Europe/Berlin"
    ]
  ] as const)("%j", ([body, sentence]) =>
    Effect.gen(function* () {
      const input = yield* decodeInput(SetReminderInput)(body)
      const { trigger } = yield* Effect.fromResult(draftReminder(input, owner))
      expect(summarize(trigger, zone)).toBe(sentence)
    })
  )

  it.effect("names the last day alone where that day begins an hour late", () =>
    Effect.gen(function* () {
      const cairo = account({ timezone: "Africa/Cairo" })
      const input = yield* decodeInput(SetReminderInput)({
        at: "2027-04-28",
        repeat: "daily",
        repeat_until: "2027-04-30"
      })
      const { trigger } = yield* Effect.fromResult(draftReminder(input, cairo))
      expect(summarize(trigger, "Africa/Cairo")).toBe("every day, all day, Africa/Cairo, until 2027-04-30")
    })
  )

  it("names a place and whether it is entered or left", () => {
    const home = place(owner.id, { name: "Home" })
    expect(summarize(placeTrigger(home.id), zone, home)).toBe("on arriving at Home")
    expect(summarize(placeTrigger(home.id, { on: "leave" }), zone, home)).toBe("on leaving Home")
  })
})
