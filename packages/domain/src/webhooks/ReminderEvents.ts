import { isAhead } from "../days/ClockSkew.ts"
import { formatTime } from "../days/IsoTime.ts"
import { instantToWall, wallText } from "../days/Zone.ts"
import { reminderJson } from "../json/ReminderJson.ts"
import { thingJson } from "../json/ThingJson.ts"
import { caps } from "../model/Caps.ts"
import { addMillis, type EpochMillis, laterOf, msPerDay } from "../model/EpochMillis.ts"
import type { List } from "../model/List.ts"
import { DeliveryId } from "../model/Ids.ts"
import type { NewDelivery, Notification, Webhook } from "../model/Webhook.ts"
import type { Thing } from "../model/Thing.ts"
import type { TimeReminder } from "../ports/ReminderStore.ts"
import type { Moment, SettledMoment } from "../ports/WebhookStore.ts"
import { viewReminder } from "../reminders/ReminderView.ts"
import { truncate } from "../text/Characters.ts"
import { eventBody, lateBySeconds } from "./Formats.ts"
import { type Announcement, announcementsAt, nextMoment, type OwnerClock } from "./Moments.ts"

/** A reminder that was missed longer ago, in milliseconds, is not announced any more. */
export const maxLateness = msPerDay

/** Characters of a note in an event, which is stored and sent once for each webhook and alert. */
const maxNoteLength = caps.text

/** A reminder as it is when one of its moments has come. */
export interface Due {
  readonly moment: Moment
  readonly reminder: TimeReminder
  readonly thing: Thing
  readonly list: List
}

/** What comes of a moment that is over, and how many moments were missed for too long. */
export interface Announced {
  readonly settled: SettledMoment
  readonly skipped: number
}

/** A moment of a reminder that is not there any more, or whose thing is done. */
export const unannounced = (moment: Moment): Announced => ({
  settled: { moment, next: undefined, deliveries: [] },
  skipped: 0
})

/** Who receives an announcement, and when it is made. */
export interface Audience {
  /** Those that are told of reminders. */
  readonly webhooks: ReadonlyArray<Webhook>
  readonly clock: OwnerClock
  readonly now: EpochMillis
  /** Makes the ids of deliveries. */
  readonly freshId: () => string
}

/** Announces this moment of a reminder and those that followed until `now`, as far as they are not older than a day. */
export const announce = (due: Due, audience: Audience): Announced => {
  const { moment, reminder } = due
  const { clock, now } = audience
  const floor = addMillis(now, -maxLateness)
  const isTooOld = moment.dueAt < floor && announcementsAt(reminder, clock, moment.dueAt).length > 0
  const deliveries: Array<NewDelivery> = []
  let at: EpochMillis | undefined = laterOf(moment.dueAt, floor)
  if (at !== moment.dueAt) at = nextMoment(reminder, clock, addMillis(floor, -1))
  for (; at !== undefined && at <= now; at = nextMoment(reminder, clock, at))
    for (const announcement of announcementsAt(reminder, clock, at))
      deliveries.push(...toEach(due, announcement, at, audience))
  return { settled: { moment, next: at, deliveries }, skipped: isTooOld ? 1 : 0 }
}

const toEach = (
  { list, reminder, thing }: Due,
  { alert, dueAt }: Announcement,
  at: EpochMillis,
  { clock, freshId, now, webhooks }: Audience
): ReadonlyArray<NewDelivery> => {
  // A clock that is set back leaves webhooks dated ahead for a while: they are told of what is due meanwhile.
  const told = webhooks.filter(({ since }) => at > since || isAhead(since, now))
  if (told.length === 0) return []
  const late = lateBySeconds(at, now)
  const when = `${wallText(instantToWall(clock.zone, dueAt)).slice(0, 16).replace("T", " ")}`
  const body = eventBody("reminder.due", at, {
    reminder: reminderJson(viewReminder(reminder, thing, clock.zone, new Map())),
    thing: thingJson({ ...thing, note: truncate(thing.note, maxNoteLength) }),
    list: { id: list.id, title: list.title },
    due_at: formatTime(dueAt),
    alert,
    late_by_seconds: late
  })
  const event = {
    event: "reminder.due" as const,
    messageId: `reminder_${reminder.id}_${at}_${alert ?? "due"}`,
    created: now,
    position: at,
    body,
    notification: notificationOf(thing, list, alert !== null || late >= 60 ? `Due ${when}` : "Due now")
  }
  return told.map(({ id }) => ({ ...event, webhookId: id, id: DeliveryId.make(freshId()) }))
}

const notificationOf = (thing: Thing, list: List, what: string): Notification => {
  const title = list.title.trim()
  return {
    title: title === "" ? what : `${what} (${truncate(title, 80)})`,
    text: thing.text.trim() === "" ? "A thing without text" : thing.text,
    path: `/things/${thing.id}`,
    tag: "bell"
  }
}
