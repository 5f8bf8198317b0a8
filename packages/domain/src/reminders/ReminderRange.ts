import { Effect, Result } from "effect"
import { parseDay, todayIn } from "../days/Day.ts"
import { parseIsoTime, toInstant } from "../days/IsoTime.ts"
import { maxInstant, minInstant, startOfDay, wallOf, wallToInstant } from "../days/Zone.ts"
import { shownValue } from "../json/ShownValue.ts"
import { InvalidInput, type StorageUnavailable } from "../model/Errors.ts"
import type { AccountId } from "../model/Ids.ts"
import type { Reminder } from "../model/Reminder.ts"
import type { ReminderStore } from "../ports/ReminderStore.ts"
import { nextOccurrence } from "../recurrence/Recurrence.ts"
import { addMillis, type EpochMillis, msPerDay } from "../model/EpochMillis.ts"

/** The requested range: dates, day words or times as a client wrote them, both ends inclusive. */
export interface ReminderRange {
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** Default true. */
  readonly includePlace?: boolean | undefined
  /** Default 50. */
  readonly limit?: number | undefined
}

/** `from` inclusive, `to` exclusive. */
interface Bounds {
  readonly from: EpochMillis
  readonly to: EpochMillis
}

/** Undefined when no range was requested. Fails where it would hold no instant. */
export const rangeOf = (
  range: ReminderRange,
  zone: string,
  now: EpochMillis
): Result.Result<Bounds | undefined, InvalidInput> =>
  Result.gen(function* () {
    if (range.from === undefined && range.to === undefined) return undefined
    const from = range.from === undefined ? minInstant : (yield* bound("from", range.from, zone, now)).start
    const to = range.to === undefined ? addMillis(maxInstant, 1) : (yield* bound("to", range.to, zone, now)).end
    return from < to ? { from, to } : yield* Result.fail(reversed(range.from!, range.to!))
  })

const reversed = (from: string, to: string): InvalidInput =>
  new InvalidInput({
    field: "to",
    reason: `must not be before from, which is ${shownValue(from)}`,
    sent: shownValue(to),
    example: '"from": "2026-11-23", "to": "2026-11-30"'
  })

/** A date spans the whole local day, a time one millisecond. */
const bound = (
  field: string,
  text: string,
  zone: string,
  now: EpochMillis
): Result.Result<{ readonly start: EpochMillis; readonly end: EpochMillis }, InvalidInput> => {
  const trimmed = text.trim()
  const time = parseIsoTime(trimmed)
  if (time !== undefined && time._tag !== "Date") {
    const start = toInstant(time, zone)
    return Result.succeed({ start, end: addMillis(start, 1) })
  }
  const date = parseDay(trimmed, zone, now)
  if (date === undefined)
    return Result.fail(
      new InvalidInput({
        field,
        reason: "must be an ISO 8601 date or date-time, or today, tomorrow or yesterday",
        sent: shownValue(text),
        example: `"${field}": "${todayIn(zone, now)}"`
      })
    )
  return Result.succeed({ start: startOfDay(zone, date), end: wallToInstant(zone, wallOf(date) + msPerDay) })
}

/** The first occurrence within the bounds, which begin after the current one; undefined if none is. */
export const occurrenceIn = (
  trigger: Reminder["trigger"],
  zone: string,
  { from, to }: Bounds
): EpochMillis | undefined => {
  const next = trigger._tag === "Time" ? nextOccurrence(trigger, zone, addMillis(from, -1)) : undefined
  return next !== undefined && next < to ? next : undefined
}

/** Upcoming reminders, soonest first, then overdue ones of open things, most recent first; at most `limit` together. */
export const futureThenOverdue = Effect.fnUntraced(function* (
  store: ReminderStore["Service"],
  owner: AccountId,
  now: EpochMillis,
  limit: number
): Effect.fn.Return<ReadonlyArray<Reminder>, StorageUnavailable> {
  const future = yield* store.upcoming(owner, now, limit)
  if (future.length >= limit) return future
  return [...future, ...(yield* store.overdue(owner, now, limit - future.length))]
})
