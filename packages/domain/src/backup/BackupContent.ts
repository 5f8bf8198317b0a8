import type { Account } from "../caller/Account.ts"
import { formatTime } from "../days/IsoTime.ts"
import { accountJson } from "../json/AccountJson.ts"
import { placeJson } from "../json/PlaceJson.ts"
import type { List } from "../lists/List.ts"
import type { SavedPlace } from "../places/Place.ts"
import type { Reminder } from "../reminders/Reminder.ts"
import type { Thing } from "../things/Thing.ts"
import {
  backupFormat,
  backupVersion,
  type BackupPlace,
  type BackupList,
  type BackupReminder,
  type BackupThing
} from "./BackupDocument.ts"

/** Everything that an account owns, at one moment. */
export interface BackupContent {
  readonly account: Account
  readonly places: ReadonlyArray<SavedPlace>
  /** By id. */
  readonly lists: ReadonlyArray<List>
  /** List by list, in their places. */
  readonly things: ReadonlyArray<Thing>
  /** By thing id. */
  readonly reminders: ReadonlyArray<Reminder>
  /** Epoch milliseconds. */
  readonly taken: number
}

/** The lines of an export, without their ends: one record a line, so that a difference or a damage has a line. */
export function* backupLines(content: BackupContent): Generator<string> {
  yield "{"
  yield `"format": ${JSON.stringify(backupFormat)},`
  yield `"version": ${backupVersion},`
  yield `"exported": ${JSON.stringify(formatTime(content.taken))},`
  yield `"account": ${JSON.stringify(accountJson(content.account))},`
  yield* section("places", content.places, placeJson satisfies (place: SavedPlace) => typeof BackupPlace.Encoded)
  yield* section("lists", content.lists, listRecord)
  yield* section("things", content.things, thingRecord)
  yield* section("reminders", content.reminders, reminderRecord, "")
  yield "}"
}

function* section<A>(
  name: string,
  items: ReadonlyArray<A>,
  record: (item: A) => unknown,
  after = ","
): Generator<string> {
  yield `"${name}": [`
  for (const [at, item] of items.entries()) {
    yield JSON.stringify(record(item)) + (at < items.length - 1 ? "," : "")
  }
  yield `]${after}`
}

const listRecord = (list: List): typeof BackupList.Encoded => ({
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
  rank: thing.place.rank,
  seq: thing.place.seq,
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
  created: formatTime(thing.created),
  updated: formatTime(thing.updated)
})

const reminderRecord = ({ trigger, ...reminder }: Reminder): typeof BackupReminder.Encoded => ({
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
          until: trigger.rule.until === null ? null : formatTime(trigger.rule.until),
          duration_minutes: trigger.durationMinutes,
          end: trigger.end === null ? null : formatTime(trigger.end)
        }
      : null,
  place: trigger._tag === "Place" ? { id: trigger.placeId, trigger: trigger.on, radius_m: trigger.radiusMeters } : null
})
