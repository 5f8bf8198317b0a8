import { Stream } from "effect"
import type { Account } from "../model/Account.ts"
import type { StorageUnavailable } from "../model/Errors.ts"
import { formatTime, formatTimeOrNull } from "../days/IsoTime.ts"
import { accountJson } from "../json/AccountJson.ts"
import { placeJson } from "../json/PlaceJson.ts"
import type { List } from "../model/List.ts"
import type { SavedPlace } from "../model/Place.ts"
import type { Reminder } from "../model/Reminder.ts"
import type { Webhook } from "../model/Webhook.ts"
import type { Thing } from "../model/Thing.ts"
import {
  backupFormat,
  backupVersion,
  type BackupPlace,
  type BackupList,
  type BackupReminder,
  type BackupThing,
  type BackupWebhook
} from "./BackupDocument.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"

/** Everything an account owns, as of one moment; kinds that can be numerous are streamed in batches. */
export interface BackupContent {
  readonly account: Account
  /** When the snapshot was taken. */
  readonly taken: EpochMillis
  readonly places: ReadonlyArray<SavedPlace>
  /** By id. */
  readonly lists: ReadonlyArray<List>
  /** In position order. */
  readonly thingsOf: (list: List) => Stream.Stream<ReadonlyArray<Thing>, StorageUnavailable>
  /** By thing id. */
  readonly reminders: Stream.Stream<ReadonlyArray<Reminder>, StorageUnavailable>
  readonly webhooks: ReadonlyArray<Webhook>
}

type Lines = Stream.Stream<ReadonlyArray<string>, StorageUnavailable>

/** The lines of an export, without line ends: one record per line, so that differences and errors can be located. */
export const backupLines = (content: BackupContent): Lines =>
  Stream.make<ReadonlyArray<Lines>>(
    Stream.make([
      "{",
      `"format": ${JSON.stringify(backupFormat)},`,
      `"version": ${backupVersion},`,
      `"exported": ${JSON.stringify(formatTime(content.taken))},`,
      `"account": ${JSON.stringify(accountJson(content.account))},`
    ]),
    section(
      "places",
      Stream.make(content.places),
      placeJson satisfies (place: SavedPlace) => Complete<typeof BackupPlace.Encoded>
    ),
    section("lists", Stream.make(content.lists), listRecord),
    section("things", Stream.flatMap(Stream.fromIterable(content.lists), content.thingsOf), thingRecord),
    section("reminders", content.reminders, reminderRecord),
    section("webhooks", Stream.make(content.webhooks), webhookRecord, ""),
    Stream.make(["}"])
  ).pipe(Stream.flatMap((part) => part))

/**
 * A comma follows every record but the last, so the last record of a batch is held back until the next batch is known.
 */
const section = <A>(
  name: string,
  batches: Stream.Stream<ReadonlyArray<A>, StorageUnavailable>,
  record: (item: A) => unknown,
  after = ","
): Lines =>
  Stream.suspend(() => {
    let waiting: ReadonlyArray<string> = []
    const records = Stream.map(batches, (items) => {
      const lines = [...waiting, ...items.map((item) => JSON.stringify(record(item)))]
      waiting = lines.slice(-1)
      return lines.slice(0, -1).map((line) => `${line},`)
    })
    const end = Stream.suspend(() => Stream.make([...waiting, `]${after}`]))
    return Stream.concat(Stream.concat(Stream.make([`"${name}": [`]), records), end)
  })

/** Every field, including those that are optional because older exports lack them. */
type Complete<A> =
  A extends ReadonlyArray<unknown> ? A : A extends object ? { readonly [Key in keyof A]-?: Complete<A[Key]> } : A

const webhookRecord = (webhook: Webhook): Complete<typeof BackupWebhook.Encoded> => ({
  id: webhook.id,
  url: webhook.url,
  events: webhook.events,
  format: webhook.format,
  description: webhook.description,
  created: formatTime(webhook.created)
})

const listRecord = (list: List): Complete<typeof BackupList.Encoded> => ({
  id: list.id,
  title: list.title,
  emoji: list.emoji,
  day: list.day,
  favorited: list.favorited,
  archived: list.archived,
  sort: list.sort,
  created: formatTime(list.created),
  updated: formatTime(list.updated)
})

const thingRecord = (thing: Thing): typeof BackupThing.Encoded => ({
  id: thing.id,
  list_id: thing.listId,
  list_ref: thing.listRef,
  clone_of: thing.cloneOf,
  rank: thing.position.sortTime,
  seq: thing.position.sequence,
  tabs: thing.tabs,
  text: thing.text,
  type: thing.type,
  url: thing.url,
  tags: thing.tags,
  photos: thing.photos,
  completed: thing.completed,
  canceled: thing.canceled,
  favorited: thing.favorited,
  bold: thing.bold,
  italic: thing.italic,
  underline: thing.underline,
  header: thing.header,
  subheader: thing.subheader,
  quote: thing.quote,
  code: thing.code,
  note: thing.note,
  ...(thing.markup === "" ? {} : { markup: thing.markup }),
  created: formatTime(thing.created),
  updated: formatTime(thing.updated)
})

const reminderRecord = ({ trigger, ...reminder }: Reminder): Complete<typeof BackupReminder.Encoded> => ({
  id: reminder.id,
  thing_id: reminder.thingId,
  alert_minutes: reminder.alertMinutes,
  second_alert_minutes: reminder.secondAlertMinutes,
  color: reminder.color,
  created: formatTime(reminder.created),
  time:
    trigger._tag === "Time"
      ? {
          at: formatTime(trigger.at),
          all_day: trigger.allDay,
          first: trigger.first,
          repeat: trigger.rule.repeat,
          every: trigger.rule.every,
          days: trigger.rule.days,
          until: formatTimeOrNull(trigger.rule.until),
          duration_minutes: trigger.durationMinutes,
          end: formatTimeOrNull(trigger.end)
        }
      : null,
  place: trigger._tag === "Place" ? { id: trigger.placeId, trigger: trigger.on, radius_m: trigger.radiusMeters } : null
})
