import { formatTime, parseIsoTime } from "../days/IsoTime.ts"
import { instantToWall, localDateOf, wallText } from "../days/Zone.ts"
import type { SetReminderInput } from "../json/ReminderJson.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"
import type { Reminder, TimeTrigger } from "../model/Reminder.ts"
import type { Thing } from "../model/Thing.ts"
import { nextOccurrence, occurrencesFrom } from "../recurrence/Recurrence.ts"
import { summarize } from "../recurrence/ReminderSummary.ts"
import { isOver } from "./ReminderView.ts"

/** A reminder that is set: on which thing, what was asked for, what came of it, and the one that it replaces. */
export interface ReminderSetting {
  readonly thing: Thing
  readonly input: SetReminderInput
  readonly trigger: TimeTrigger
  readonly earlier: Reminder | undefined
}

/**
 * Notices for a reminder that was set: that its thing is closed, that its time is over, that it does not repeat because
 * `repeat` is missing, that it no longer repeats as the replaced one did, and that it ends before the last day that was
 * named.
 */
export const settingNotices = (setting: ReminderSetting, zone: string, now: EpochMillis): ReadonlyArray<string> =>
  [
    closedNotice(setting.thing),
    pastNotice(setting.trigger, zone, now),
    onceNotice(setting, zone),
    lastDayNotice(setting, zone)
  ].filter((notice) => notice !== undefined)

const closedNotice = ({ canceled, completed }: Thing): string | undefined => {
  const closed = completed ? "completed" : canceled ? "canceled" : undefined
  return closed && `The thing is ${closed}, so its reminder is silent until ${closed} is set to false.`
}

/** Undefined for a time to come, and for a whole day that has not ended. */
const pastNotice = (trigger: TimeTrigger, zone: string, now: EpochMillis): string | undefined => {
  if (!isOver(trigger, zone, now)) return undefined
  const [, next] = occurrencesFrom(trigger, zone, now, 2)
  const after = next === undefined ? "it is overdue from the start" : `it is due again at ${formatTime(next)}`
  return `The reminder is set, and its time ${formatTime(trigger.at)} is in the past: ${after}.`
}

/** A request that only names another time usually means to keep the repetition; one with `repeat` has decided. */
const onceNotice = ({ earlier, input, trigger }: ReminderSetting, zone: string): string | undefined => {
  const { every, repeat, until } = trigger.rule
  if (repeat !== "none") return undefined
  if (every > 1 || until !== null)
    return "The reminder does not repeat: every and repeat_until have a meaning beside repeat alone."
  if (input.repeat !== undefined || earlier?.trigger._tag !== "Time" || earlier.trigger.rule.repeat === "none")
    return undefined
  return `The reminder does not repeat, and the one that it replaced did (${summarize(earlier.trigger, zone)}): set it with repeat if it should go on.`
}

/**
 * A plain date as `repeat_until` is midnight, which excludes the occurrence of that day, although people usually mean
 * to include it.
 */
const lastDayNotice = ({ input, trigger }: ReminderSetting, zone: string): string | undefined => {
  const { allDay, rule } = trigger
  const { repeatUntil } = input
  if (allDay || rule.until === null || parseIsoTime(repeatUntil ?? "")?._tag !== "Date") return undefined
  const left = nextOccurrence({ ...trigger, rule: { ...rule, until: null } }, zone, rule.until)
  if (left === undefined || localDateOf(zone, left) !== repeatUntil) return undefined
  const wall = wallText(instantToWall(zone, left)).slice(0, 16)
  return `repeat_until is the midnight with which ${repeatUntil} begins, so that day has no occurrence: for it, set repeat_until to ${wall}.`
}
