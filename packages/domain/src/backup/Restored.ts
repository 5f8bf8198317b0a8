import type { AccountId, ListId, PlaceId, ReminderId, ThingId } from "../model/Ids.ts"
import type { List } from "../model/List.ts"
import type { SavedPlace } from "../model/Place.ts"
import type { Reminder, TimeTrigger } from "../model/Reminder.ts"
import type { Thing } from "../model/Thing.ts"
import type { BackupDocument } from "./BackupDocument.ts"
import { instantIn } from "./BackupParser.ts"
import { EpochMillis } from "../model/EpochMillis.ts"

/** The records of an export as entities of the account that they are restored into. */
export interface Restored {
  readonly places: ReadonlyArray<SavedPlace>
  readonly lists: ReadonlyArray<List>
  readonly things: ReadonlyArray<Thing>
  readonly reminders: ReadonlyArray<Reminder>
}

export const restoredInto = (owner: AccountId, document: BackupDocument): Restored => {
  const cloned = new Set(document.things.map((thing) => thing.clone_of))
  return {
    places: document.places.map(({ radius_m, ...place }) => ({
      ...place,
      id: place.id as PlaceId,
      owner,
      radiusMeters: radius_m
    })),
    lists: document.lists.map((list) => ({
      ...list,
      id: list.id as ListId,
      owner,
      created: instantIn(list.created),
      updated: instantIn(list.updated)
    })),
    things: document.things.map((thing) => thingOf(owner, thing, cloned.has(thing.id))),
    reminders: document.reminders.map((reminder) => reminderOf(owner, reminder))
  }
}

const thingOf = (owner: AccountId, record: BackupDocument["things"][number], hasClones: boolean): Thing => {
  const { clone_of, list_id, list_ref, rank, seq, ...same } = record
  return {
    ...same,
    markup: same.markup ?? "",
    id: same.id as ThingId,
    owner,
    listId: list_id as ListId,
    listRef: list_ref as ListId | null,
    cloneOf: clone_of as ThingId | null,
    hasClones,
    position: { sortTime: EpochMillis(rank), sequence: seq },
    created: instantIn(same.created),
    updated: instantIn(same.updated)
  }
}

const reminderOf = (owner: AccountId, record: BackupDocument["reminders"][number]): Reminder => ({
  id: record.id as ReminderId,
  owner,
  thingId: record.thing_id as ThingId,
  trigger:
    record.place === null
      ? timeOf(record.time!)
      : {
          _tag: "Place",
          placeId: record.place.id as PlaceId,
          on: record.place.trigger,
          radiusMeters: record.place.radius_m
        },
  alertMinutes: record.alert_minutes,
  secondAlertMinutes: record.second_alert_minutes,
  color: record.color,
  created: instantIn(record.created)
})

const timeOf = (time: NonNullable<BackupDocument["reminders"][number]["time"]>): TimeTrigger => ({
  _tag: "Time",
  at: instantIn(time.at),
  allDay: time.all_day,
  first: time.first,
  rule: {
    repeat: time.repeat,
    every: time.every,
    days: time.days,
    until: time.until === null ? null : instantIn(time.until)
  },
  durationMinutes: time.duration_minutes,
  end: time.end === null ? null : instantIn(time.end)
})
