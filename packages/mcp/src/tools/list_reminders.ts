import { Effect, Schema } from "effect"
import * as Fields from "@lists-and-things/domain/json/Fields"
import { formatTime } from "@lists-and-things/domain/days/IsoTime"
import { addMillis, currentTime, type EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { ReminderRange } from "@lists-and-things/domain/reminders/ReminderRange"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import type { ReminderView } from "@lists-and-things/domain/reminders/ReminderView"
import { runSteps } from "@lists-and-things/domain/scheduling/Yielding"
import { withT } from "@lists-and-things/domain/days/When"
import { thingTitle } from "@lists-and-things/domain/markdown/Document"
import { notify } from "@lists-and-things/domain/model/CurrentOperation"
import { quoted } from "@lists-and-things/domain/text/Quoted"
import { enumerated } from "@lists-and-things/domain/text/Wording"
import { compactReminder, ReminderResult } from "../results/ReminderResult.ts"
import { countFitting } from "../results/Fitting.ts"
import { defaultMaxText, NextPage } from "../results/ListResult.ts"
import { defineTool, hints } from "../Tool.ts"

const optionalKey = Schema.optionalKey

/** The largest `limit`. */
const maxReminders = 200

export const listReminders = defineTool({
  name: "list_reminders",
  title: "List reminders",
  description:
    "Returns the reminders whose next time is in a range, soonest first. Without a range: upcoming reminders, then overdue ones of open things. Place reminders come last.",
  scope: "read:things",
  hints: hints.reads,
  input: Schema.Struct({
    from: optionalKey(
      Fields.Name.annotate({ hint: "A date or time in the owner's time zone, or today.", examples: ["today"] })
    ),
    to: optionalKey(Fields.Name.annotate({ hint: "Inclusive.", examples: ["2026-11-30"] })),
    includePlace: optionalKey(Schema.Boolean.annotate({ hint: "Default true." })),
    limit: optionalKey(Fields.integer(1, maxReminders).annotate({ hint: "Default 50.", examples: [50] }))
  }).pipe(Schema.encodeKeys({ includePlace: "include_place" })),
  output: Schema.Struct({ reminders: Schema.Array(ReminderResult), has_more: Schema.Boolean, next_page: NextPage }),
  handler: Effect.fnUntraced(function* (range) {
    const reminders = yield* Reminders
    const asked = { ...range, from: range.from && withT(range.from), to: range.to && withT(range.to) }
    const { items, hasMore } = yield* reminders.between(asked)
    yield* notifyComingAgain(yield* reminders.comingAgain(asked))
    const all = items.map((reminder) => compactReminder(reminder, defaultMaxText))
    const count = yield* runSteps(() => countFitting(all))
    const isCut = hasMore || count < all.length
    return {
      reminders: all.slice(0, count),
      has_more: isCut,
      ...(isCut && nextPage(items.slice(0, count), range, yield* currentTime))
    }
  })
})

/** Names in the notice. */
const maxNamed = 5

/** Names what repeats in the range without being listed, since a person who asks for a day means that, too. */
const notifyComingAgain = (again: ReadonlyArray<ReminderView>): Effect.Effect<void> => {
  const names = again.map(({ summary, thing }) => `${quoted(thingTitle(thing))} (${summary}; thing_id ${thing.id})`)
  return names.length === 0
    ? Effect.void
    : notify(
        `Not listed, since their next time is before the range, but in it again: ${enumerated(names, maxNamed)}. Begin earlier to list them.`
      )
}

/**
 * How to get the reminders after these. Reminders at the time of the last one are shown again, since more may have that
 * time. Without a range, the coming reminders are followed by the overdue ones, latest first.
 */
const nextPage = (shown: ReadonlyArray<ReminderView>, range: ReminderRange, now: EpochMillis) => {
  const times = shown.flatMap(({ reminder: { trigger } }) => (trigger._tag === "Time" ? [trigger.at] : []))
  const [first, last] = [times[0], times.at(-1)]
  if (first === undefined || last === undefined) return {}
  const hasRange = range.from !== undefined || range.to !== undefined
  const isLargest = first === last && range.limit === maxReminders
  const next = (): string => {
    if (!hasRange && last <= now) return JSON.stringify({ to: formatTime(last) })
    const later = JSON.stringify(
      first < last
        ? { from: formatTime(last) }
        : isLargest
          ? { from: formatTime(addMillis(last, 1)) }
          : { from: formatTime(last), limit: maxReminders }
    )
    return hasRange
      ? later
      : `${later} for the later ones, and with ${JSON.stringify({ to: formatTime(now) })} for the overdue ones`
  }
  const others = isLargest ? ` Others of ${formatTime(last)} are shown by get_list alone.` : ""
  return { next_page: `Call list_reminders with ${next()}; keep the other arguments.${others}` }
}
