import type { AccountId, ListId, PlaceId, ReminderId, ThingId } from "../model/Ids.ts"
import type { List } from "../model/List.ts"
import type { SavedPlace } from "../model/Place.ts"
import type { Reminder, TimeTrigger } from "../model/Reminder.ts"
import type { Thing } from "../model/Thing.ts"
import type { BackupRecord } from "./BackupChecks.ts"
import { instantIn } from "./BackupParser.ts"
import { EpochMillis } from "../model/EpochMillis.ts"

/** Records of an export as entities of the account that they are restored into. */

export const placeOf = (owner: AccountId, { radius_m, ...place }: BackupRecord<"places">): SavedPlace => ({
  ...place,
  id: place.id as PlaceId,
  owner,
  radiusMeters: radius_m
})

export const listOf = (owner: AccountId, list: BackupRecord<"lists">): List => ({
  ...list,
  id: list.id as ListId,
  owner,
  created: instantIn(list.created),
  updated: instantIn(list.updated)
})

export const thingOf = (owner: AccountId, record: BackupRecord<"things">, hasClones: boolean): Thing => {
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

export const reminderOf = (owner: AccountId, record: BackupRecord<"reminders">): Reminder => ({
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

const timeOf = (time: NonNullable<BackupRecord<"reminders">["time"]>): TimeTrigger => ({
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
