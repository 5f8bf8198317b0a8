import { expect } from "@effect/vitest"
import { wallOf, wallToInstant } from "../../src/days/Zone.ts"
import { nextOccurrence } from "../../src/recurrence/Recurrence.ts"
import type { RepeatRule, TimeTrigger } from "../../src/model/Reminder.ts"
import { slowOccurrences } from "../recurrence/SlowRecurrence.ts"
import { addMillis, type EpochMillis } from "../../src/model/EpochMillis.ts"

/** A trigger whose first occurrence is at this wall time of a time zone. */
export const triggerAt = (
  first: string,
  zone: string,
  rule: Partial<RepeatRule> = {},
  others: Partial<TimeTrigger> = {}
): TimeTrigger => ({
  _tag: "Time",
  at: wallToInstant(zone, wallOf(first)),
  first,
  allDay: false,
  rule: { repeat: "none", every: 1, days: [], until: null, ...rule },
  durationMinutes: null,
  end: null,
  ...others
})

const following = (trigger: TimeTrigger, zone: string, after: EpochMillis, end: number): Array<number> => {
  const found: Array<number> = []
  for (let at: EpochMillis | undefined = after; found.length < 1000; found.push(at)) {
    at = nextOccurrence(trigger, zone, at)
    if (at === undefined || at >= end) break
  }
  return found
}

const kinds: ReadonlyArray<Partial<RepeatRule>> = [
  { repeat: "daily" },
  { repeat: "daily", every: 3 },
  { repeat: "weekly" },
  { repeat: "weekly", every: 2 },
  { repeat: "weekly", days: ["sunday", "wednesday", "saturday"] },
  { repeat: "weekly", every: 3, days: ["monday", "friday"] },
  { repeat: "monthly" },
  { repeat: "monthly", every: 5 },
  { repeat: "yearly" }
]

/** Compares rules over two years in each of these zones with the slow reference; returns the number of occurrences. */
export const compareZones = (zones: ReadonlyArray<string>): number => {
  let compared = 0
  zones.forEach((zone, index) => {
    const rule = kinds[index % kinds.length]!
    const hour = ["00:00", "01:30", "02:30", "23:30"][index % 4]!
    const trigger = triggerAt(`2026-01-31T${hour}:00.000`, zone, { repeat: "daily" })
    const expected = slowOccurrences(trigger, zone, "2026-01-31", "2028-01-31").slice(0, -1)
    expect(following(trigger, zone, addMillis(trigger.at, -1), expected.at(-1)! + 1), zone).toEqual([
      ...new Set(expected)
    ])
    const other = triggerAt(`2026-01-31T${hour}:00.000`, zone, rule)
    const slow = slowOccurrences(other, zone, "2026-01-31", "2028-01-31")
    expect(
      following(other, zone, addMillis(other.at, -1), slow.at(-1)! + 1),
      `${zone} ${JSON.stringify(rule)}`
    ).toEqual(slow)
    compared += expected.length + slow.length
  })
  return compared
}
