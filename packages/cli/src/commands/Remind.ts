import { lat } from "@lists-and-things/domain/text/CommandLine"
import { todayIn } from "@lists-and-things/domain/days/Day"
import { endOfDay, formatTime, parseIsoTime } from "@lists-and-things/domain/days/IsoTime"
import { localMoment } from "@lists-and-things/domain/days/LocalText"
import { readRepeatedWhen, type RepeatedWhen, whyUnclearRepeated } from "@lists-and-things/domain/days/RepeatedWhen"
import { readWhen, whyUnclear } from "@lists-and-things/domain/days/When"
import { addDays } from "@lists-and-things/domain/days/Zone"
import { decodeInput } from "@lists-and-things/domain/json/Decode"
import { occurrencesJson, reminderJson, SetReminderInput } from "@lists-and-things/domain/json/ReminderJson"
import { thingTitle } from "@lists-and-things/domain/markdown/Document"
import type { Account } from "@lists-and-things/domain/model/Account"
import { shownValue } from "@lists-and-things/domain/json/ShownValue"
import { currentTime, type EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { InvalidInput } from "@lists-and-things/domain/model/Errors"
import { isRepeating } from "@lists-and-things/domain/model/Reminder"
import { summarizeInZone } from "@lists-and-things/domain/recurrence/ReminderSummary"
import type { Page } from "@lists-and-things/domain/ports/Storage"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { isOver, type ReminderView } from "@lists-and-things/domain/reminders/ReminderView"
import { ThingTarget } from "@lists-and-things/domain/targets/ThingTarget"
import { Things } from "@lists-and-things/domain/things/Things"
import { Effect } from "effect"
import type { StorageRun } from "../Command.ts"
import { UsageError } from "../Failure.ts"
import { definedFields, type Input } from "../Input.ts"
import { onBehalfOf, ownerOf } from "../Owner.ts"
import { findThing } from "../ThingRefs.ts"

/** Number of occurrences that are shown of a repeating reminder. */
const shownOccurrences = 3

export const remind: StorageRun = (input) =>
  Effect.gen(function* () {
    const account = yield* ownerOf(input)
    const words = [input.argument("THING"), ...input.arguments("WHEN")]
    if (input.switch("off")) return yield* turnOff(account, words)
    const { ref, when } = yield* splitOf(words, account, yield* currentTime)
    const given = yield* decodeInput(SetReminderInput, input.wording)(yield* fieldsOf(input, account, when))
    const { name, thing } = yield* findThing(account, ref, "open")
    const reminders = yield* Reminders
    const view = yield* onBehalfOf(account)(reminders.set(thing.id, given)).pipe(
      Effect.catchTag("InvalidInput", (error) => Effect.fail(inOptions(error, input)))
    )
    const occurrences = yield* onBehalfOf(account)(reminders.occurrences(thing.id, shownOccurrences))
    return {
      json: { ...reminderJson(view), ...occurrencesJson(occurrences) },
      text: [`${name}: ${view.summary}`, ...nextText(view, occurrences)].join("\n"),
      quiet: view.reminder.id
    }
  })

/** What the domain refuses of the options together, in their words: it names fields that the command line has not. */
const inOptions = (error: InvalidInput, input: Input): InvalidInput | UsageError => {
  const refused = refusals[error.field]
  return refused === undefined ? error : new UsageError(refused(input, error.reason))
}

const refusals: Readonly<Record<string, (input: Input, reason: string) => string>> = {
  duration_minutes: () => "--duration-minutes needs a time of day, such as 9:00: a day alone lasts all day",
  every: () => "--every and --days exclude each other",
  days: (input) => `--days and --repeat ${input.option("repeat")} exclude each other: days make a reminder weekly`,
  // The domain has the last day as a moment.
  repeat_until: (input, reason) =>
    `--repeat-until ${reason.replace("after at", "after WHEN")}, not ${shownValue(input.option("repeat-until"))}`
}

const turnOff = (account: Account, words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { name, thing } = yield* findThing(account, words.join(" "), "open")
    const { reminder } = yield* onBehalfOf(account)((yield* Things).get(thing.id))
    if (reminder !== null) yield* onBehalfOf(account)((yield* Reminders).remove(thing.id))
    const text = reminder === null ? `${name} has no reminder.` : `Removed the reminder of ${name}`
    return { json: { removed: reminder !== null, thing_id: thing.id }, text }
  })

/**
 * Splits off the longest suffix of the words that is a time, with or without how often it comes again; the rest names
 * the thing. A time with two meanings is refused.
 */
const splitOf = (words: ReadonlyArray<string>, { timezone }: Account, now: EpochMillis) => {
  for (let at = 1; at < words.length; at++) {
    const end = words.slice(at).join(" ")
    const when = readRepeatedWhen(end, timezone, now)
    if (when !== undefined) return Effect.succeed({ ref: words.slice(0, at).join(" "), when })
    const unclear = whyUnclearRepeated(end, timezone, now)
    if (unclear !== undefined) return Effect.fail(new UsageError(unclear))
  }
  return Effect.fail(
    new UsageError(
      `no time is at the end of '${words.join(" ")}'`,
      `For example: ${lat(`remind ${words.length > 1 ? `'${words[0]}'` : words[0]} tomorrow 9:00`)}\n${times}`
    )
  )
}

const times =
  "Times: today, tomorrow, saturday, 2026-11-28, 24 december, in 3 days, each with or without 18:30, 6:30pm or at 9; 18:30; in 2 hours; 2026-11-28T18:30Z; and daily, every 2 weeks, every mon and thu or every weekday before or after it."

const isDate = (time: string): boolean => parseIsoTime(time)?._tag === "Date"

/** The command line as a body of `PUT /things/{id}/reminder`. */
const fieldsOf = (input: Input, account: Account, { at, ...inWords }: RepeatedWhen) =>
  Effect.gen(function* () {
    const until = input.option("repeat-until")
    const now = yield* currentTime
    const end = until === undefined ? undefined : readWhen(until, account.timezone, now)
    if (until !== undefined && end === undefined) {
      const unclear = whyUnclear(until, account.timezone, now) ?? `'${until}' is no time`
      return yield* Effect.fail(new UsageError(`--repeat-until: ${unclear}`, times))
    }
    const inOptions = definedFields({
      repeat: input.option("repeat"),
      every: input.wholeNumber("every"),
      days: input.options("days")?.flatMap((each) => each.split(","))
    })
    const [option] = Object.keys(inOptions)
    if (option !== undefined && Object.keys(inWords).length > 0)
      return yield* Effect.fail(new UsageError(`--${option} says once more how often it repeats, which WHEN says`))
    if ("every" in inOptions && !("repeat" in inOptions))
      return yield* Effect.fail(new UsageError("--every needs --repeat, such as --repeat weekly --every 2"))
    return definedFields({
      at,
      ...inWords,
      ...inOptions,
      repeat_until: end !== undefined && isDate(end) && !isDate(at) ? endOfDay(end) : end,
      duration_minutes: input.wholeNumber("duration-minutes"),
      alert_minutes: input.wholeNumber("alert-minutes")
    })
  })

const nextText = (view: ReminderView, occurrences: ReadonlyArray<EpochMillis>): ReadonlyArray<string> =>
  isRepeating(view.reminder.trigger)
    ? [`Next: ${occurrences.map((at) => localMoment(view.zone, view.reminder, at)).join(", ")}`]
    : []

export const reminders: StorageRun = (input) =>
  Effect.gen(function* () {
    const account = yield* ownerOf(input)
    const days = input.wholeNumber("days")
    const onlyOverdue = input.switch("overdue")
    if (onlyOverdue && days !== undefined)
      return yield* Effect.fail(new UsageError("--overdue and --days exclude each other"))
    const now = yield* currentTime
    const found = onlyOverdue ? overdue : within(account, days, now)
    const { hasMore, items, shortOf } = yield* onBehalfOf(account)(Effect.flatMap(found, withShortIds))
    const heads = ["ID", `DUE (${account.timezone})`, "TEXT", "REPEATS"]
    const none = onlyOverdue ? "Nothing is overdue." : noneWithin(account, days, now)
    return {
      json: items.map(jsonOf),
      text: { heads, rows: items.map(rowOf(now, shortOf)), none },
      quiet: items.map(({ thing }) => thing.id).join("\n"),
      ...(hasMore && { more: "There are more: --days shows those of so many days, --overdue the overdue ones." })
    }
  })

/** Limit of reminders for `--days`; far more than a person looks at. */
const maxReminders = 10_000

/** A reminder in the output. */
interface Shown extends ReminderView {
  /** When it comes again within `--days`, if its own time is before them. */
  readonly occurrence?: EpochMillis
}

const within = (account: Account, days: number | undefined, now: EpochMillis) =>
  Effect.gen(function* () {
    const { between, comingAgain } = yield* Reminders
    if (days === undefined) return yield* between({})
    const range = { from: "today", to: lastDay(account, days, now), includePlace: false, limit: maxReminders }
    const { hasMore, items } = yield* between(range)
    const shown: ReadonlyArray<Shown> = [...items, ...(yield* comingAgain(range))]
    return { hasMore, items: shown.toSorted((one, other) => timeOf(one) - timeOf(other)) }
  })

/** A reminder at a place comes last. */
const timeOf = ({ occurrence, reminder: { trigger } }: Shown): number =>
  occurrence ?? (trigger._tag === "Time" ? trigger.at : Number.POSITIVE_INFINITY)

const overdue = Effect.flatMap(Reminders, (reminders) =>
  Effect.map(reminders.overdue, (items) => ({ items, hasMore: false }))
)

const withShortIds = ({ hasMore, items }: Page<Shown>) =>
  Effect.gen(function* () {
    return { hasMore, items, shortOf: yield* (yield* ThingTarget).shortIds(items.map(({ thing }) => thing.id)) }
  })

const noneWithin = (account: Account, days: number | undefined, now: EpochMillis): string =>
  days === undefined ? "No open thing has a reminder." : `Nothing is due until ${lastDay(account, days, now)}.`

/** The date of the last of `days` days that begin with today. */
const lastDay = ({ timezone }: Account, days: number, now: EpochMillis): string =>
  addDays(todayIn(timezone, now), Math.max(0, Math.min(days, 36_500) - 1))

const jsonOf = (shown: Shown) => ({
  ...reminderJson(shown),
  ...(shown.occurrence !== undefined && { again_at: formatTime(shown.occurrence) })
})

/** When it comes; words where that is a place. */
const dueOf = ({ occurrence, place, reminder, zone }: Shown, now: EpochMillis): string => {
  const { trigger } = reminder
  if (trigger._tag === "Place") return summarizeInZone(trigger, zone, place)
  if (occurrence !== undefined) return `${localMoment(zone, reminder, occurrence)} (again)`
  return `${localMoment(zone, reminder, trigger.at)}${isOver(trigger, zone, now) ? " (overdue)" : ""}`
}

const rowOf =
  (now: EpochMillis, shortOf: (id: string) => string) =>
  (view: Shown): ReadonlyArray<string> => {
    const { place, reminder, thing, zone } = view
    const repeats = isRepeating(reminder.trigger) ? summarizeInZone(reminder.trigger, zone, place) : ""
    return [shortOf(thing.id), dueOf(view, now), thingTitle(thing), repeats]
  }
