import { Result } from "effect"
import type { Account } from "../model/Account.ts"
import { type IsoTime, parseIsoTime, toInstant } from "../days/IsoTime.ts"
import {
  dateOfWall,
  instantToWall,
  isStorableInstant,
  localDateOf,
  maxInstant,
  wallOf,
  wallOfLocal,
  wallText,
  wallToInstant
} from "../days/Zone.ts"
import { caps } from "../model/Caps.ts"
import { InvalidInput } from "../model/Errors.ts"
import type { SetReminderInput } from "../json/ReminderJson.ts"
import { shownValue } from "../json/ShownValue.ts"
import { inFigures } from "../text/Wording.ts"
import { firstListedDay, isOnceAtTime } from "../recurrence/Recurrence.ts"
import { type Reminder, type RepeatRule, type TimeTrigger, weekdays } from "../model/Reminder.ts"
import { addMillis, earlierOf, type EpochMillis, msPerMinute } from "../model/EpochMillis.ts"

/** A time reminder without a thing, with all defaults applied. */
export interface ReminderDraft {
  readonly trigger: TimeTrigger
  /** Minutes before `at`, as the second one; 0 = none. */
  readonly alertMinutes: number
  readonly secondAlertMinutes: number
  readonly color: string
}

type Series = Pick<TimeTrigger, "at" | "allDay" | "rule">
type Checked<A> = Result.Result<A, InvalidInput>

/**
 * Interprets a request (docs/contract.md#reminders, docs/decisions.md#reminders), or fails with the first rule that it
 * breaks. `earlier` is the reminder that it replaces.
 */
export const draftReminder = (given: SetReminderInput, account: Account, earlier?: Reminder): Checked<ReminderDraft> =>
  Result.gen(function* () {
    const zone = account.timezone
    const read = readTrigger(given, earlier)
    const input = given.id === undefined ? given : chosenOf(given, zone)
    const time = parseIsoTime(input.at)!
    const allDay = input.allDay ?? time._tag === "Date"
    const broken = brokenCombination(input, allDay)
    if (broken !== undefined) return yield* Result.fail(broken)
    const days = inWeekOrder(input.days ?? [])
    const start = yield* startOf({ sent: input.at, time, allDay, days }, zone)
    const end = yield* endOf(input, time, zone)
    const rule = yield* ruleOf(input, { days, start, given: toInstant(time, zone), zone, read })
    return {
      trigger: {
        _tag: "Time",
        at: start.at,
        first: keptFirst(read ?? ofFormerZone(earlier, zone), { at: start.at, allDay, rule }) ?? wallText(start.wall),
        allDay,
        rule,
        ...spanOf(start.at, end ?? (allDay ? 0 : minutesOf(input, account) * msPerMinute))
      },
      alertMinutes: input.alertMinutes === undefined ? account.defaultAlertMinutes : (input.alertMinutes ?? 0),
      secondAlertMinutes: input.secondAlertMinutes ?? 0,
      color: input.color ?? account.defaultReminderColor
    }
  })

/** The trigger of a one-off with a time that was set in another zone, which its `first` shows. */
const ofFormerZone = (earlier: Reminder | undefined, zone: string): TimeTrigger | undefined => {
  if (earlier?.trigger._tag !== "Time") return undefined
  const { trigger } = earlier
  return isOnceAtTime(trigger) && wallToInstant(zone, wallOf(trigger.first)) !== trigger.at ? trigger : undefined
}

const keptFirst = (kept: TimeTrigger | undefined, series: Series): string | undefined =>
  kept !== undefined && isSameSeries(kept, series) ? kept.first : undefined

/** The earlier reminder, if the request sends it back, which its id shows. */
const readTrigger = (given: SetReminderInput, earlier: Reminder | undefined): TimeTrigger | undefined =>
  earlier !== undefined && given.id === earlier.id && earlier.trigger._tag === "Time" ? earlier.trigger : undefined

/**
 * Whether the request continues the same series from the same occurrence, so that it still counts from the same first
 * one.
 */
const isSameSeries = (read: TimeTrigger, { allDay, at, rule }: Series): boolean =>
  at === read.at &&
  allDay === read.allDay &&
  rule.repeat === read.rule.repeat &&
  rule.every === read.rule.every &&
  rule.days.join() === read.rule.days.join()

/**
 * Drops redundant fields from a reminder that was read and is sent back (recognized by its id), which states its span
 * twice and `every` next to `days`. Fields that contradict the others are kept, and rejected later.
 */
const chosenOf = (read: SetReminderInput, zone: string): SetReminderInput => {
  const { durationMinutes, every, ...rest } = read
  const follows = (read.days ?? []).length > 0 && every === 1
  const isSpan = read.end != null && durationMinutes === minutesBetween(read.at, read.end, zone)
  return {
    ...rest,
    ...(follows || every === undefined ? {} : { every }),
    ...(isSpan || durationMinutes === undefined ? {} : { durationMinutes })
  }
}

const minutesBetween = (at: string, end: string, zone: string): number =>
  Math.round((toInstant(parseIsoTime(end)!, zone) - toInstant(parseIsoTime(at)!, zone)) / msPerMinute)

/** Mutually exclusive fields; the message names both. */
const brokenCombination = (input: SetReminderInput, allDay: boolean): InvalidInput | undefined => {
  const duration = input.durationMinutes != null
  const end = input.end != null
  const days = (input.days ?? []).length > 0
  if (duration && end) return exclusive("duration_minutes", "end")
  const why =
    input.allDay === undefined ? "; at is a plain date, so the reminder is all-day unless all_day is false" : ""
  if (duration && allDay) return exclusive("duration_minutes", "all_day", why)
  if (end && allDay) return exclusive("end", "all_day", why)
  if (days && input.every !== undefined) return exclusive("every", "days")
  if (days && !["weekly", "none", undefined].includes(input.repeat))
    return exclusive("days", `repeat ${input.repeat}`, "; days make a reminder weekly")
  return undefined
}

const exclusive = (field: string, other: string, why = ""): InvalidInput =>
  new InvalidInput({ field, reason: `cannot be combined with ${other}${why}`, example: alone[field]! })

/** Each field without the one that it excludes. */
const alone: Readonly<Record<string, string>> = {
  at: '"at": "2026-11-23T09:00"',
  duration_minutes: '"at": "2026-11-23T09:00", "duration_minutes": 30',
  end: '"at": "2026-11-23T09:00", "end": "2026-11-23T09:30"',
  every: '"repeat": "weekly", "every": 2',
  days: '"days": ["mon", "thu"]'
}

const inWeekOrder = (days: RepeatRule["days"]): RepeatRule["days"] => weekdays.filter((day) => days.includes(day))

interface Start {
  /** After moving to the first listed weekday. */
  readonly at: EpochMillis
  readonly wall: number
}

/** An `at` as it was sent and as it was read, with what decides where it begins. */
interface GivenStart {
  readonly sent: string
  readonly time: IsoTime
  readonly allDay: boolean
  readonly days: RepeatRule["days"]
}

const startOf = ({ allDay, days, sent, time }: GivenStart, zone: string): Checked<Start> => {
  const given = allDay ? wallOf(dateIn(time, zone)) : wallIn(time, zone)
  const wall = days.length === 0 ? given : firstListedDay(given, days)
  // An instant is kept exactly: it may be the later of two with the same wall time.
  const at = time._tag === "Instant" && !allDay && wall === given ? time.ms : wallToInstant(zone, wall)
  return isStorableInstant(at)
    ? Result.succeed({ at, wall })
    : refuse("at", "must be between the years 0001 and 9999 in UTC", sent)
}

const wallIn = (time: IsoTime, zone: string): number => {
  if (time._tag === "Instant") return instantToWall(zone, time.ms)
  if (time._tag === "Date") return wallOf(time.date)
  return wallOfLocal(time.local)
}

const dateIn = (time: IsoTime, zone: string): string =>
  time._tag === "Instant" ? localDateOf(zone, time.ms) : dateOfWall(wallIn(time, zone))

/** Elapsed milliseconds from `at` to `end` as sent; null without an `end`. */
const endOf = (input: SetReminderInput, at: IsoTime, zone: string): Checked<number | null> => {
  if (input.end == null) return Result.succeed(null)
  const end = parseIsoTime(input.end)!
  if ((end._tag === "Instant") !== (at._tag === "Instant"))
    return refuse("end", "must be written in the same form as at: both with an offset, or both without", input.end)
  const span = toInstant(end, zone) - toInstant(at, zone)
  if (span <= 0) return refuse("end", "must be after at", input.end)
  return span > caps.minutes * msPerMinute
    ? refuse("end", `must be at most ${inFigures(caps.minutes)} minutes after at`, input.end)
    : Result.succeed(span)
}

const refuse = (field: keyof typeof fitting, reason: string, sent: string): Checked<never> =>
  Result.fail(new InvalidInput({ field, reason, sent: shownValue(sent), example: fitting[field] }))

/** `at` alone, and with a time after it in the same form. */
const fitting = {
  at: alone["at"]!,
  end: alone["end"]!,
  repeat_until: '"at": "2026-11-23T09:00", "repeat_until": "2027-03-01"'
}

/** The context in which a rule is read. */
interface Around {
  readonly days: RepeatRule["days"]
  readonly start: Start
  /** The time that was asked for; named days may move the start. */
  readonly given: EpochMillis
  readonly zone: string
  /** The trigger of the reminder that is sent back, if there is one. */
  readonly read: TimeTrigger | undefined
}

/** The last occurrence of a series may be sent back as it was read. */
const ruleOf = (
  input: SetReminderInput,
  { days, given, read, start: { at, wall }, zone }: Around
): Checked<RepeatRule> => {
  const until = input.repeatUntil == null ? null : toInstant(parseIsoTime(input.repeatUntil)!, zone)
  const isLast = until === at && read?.at === at && read.rule.until === until
  if (until !== null && until <= at && !isLast) {
    const moved = until > given ? `, which days move to ${wallText(wall).slice(0, 16)}` : ""
    return refuse("repeat_until", `must be after at${moved}`, input.repeatUntil!)
  }
  const repeat = days.length > 0 ? "weekly" : (input.repeat ?? "none")
  return Result.succeed({ repeat, every: input.every ?? 1, days, until })
}

const minutesOf = ({ durationMinutes }: SetReminderInput, account: Account): number =>
  durationMinutes === undefined ? account.defaultReminderMinutes : (durationMinutes ?? 0)

/** `span` is in milliseconds; 0 means no end. */
const spanOf = (at: EpochMillis, span: number): Pick<TimeTrigger, "durationMinutes" | "end"> =>
  span === 0
    ? { durationMinutes: null, end: null }
    : { durationMinutes: Math.round(span / msPerMinute), end: earlierOf(addMillis(at, span), maxInstant) }
