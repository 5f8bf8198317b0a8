import { Schema, Struct } from "effect"
import { parseIsoTime } from "../days/IsoTime.ts"
import { isIdForm } from "../model/Ids.ts"
import { AccountJson } from "../json/AccountJson.ts"
import * as Fields from "../json/Fields.ts"
import { Every, Minutes } from "../json/ReminderJson.ts"
import { listSorts } from "../model/List.ts"
import { placeTransitions, repeats, weekdays } from "../model/Reminder.ts"
import { CreateWebhookInput } from "../json/WebhookJson.ts"
import { webhookFormats } from "../model/Webhook.ts"
import { thingTypes } from "../model/Thing.ts"

/**
 * The format of an export, version 2: everything an account owns except its keys and secrets. Version 1 had no webhooks
 * and no `all_day_at`, and is still read.
 */
export const backupFormat = "lists-and-things"
export const backupVersion = 2

const NullOr = Schema.NullOr

const Id = Schema.String.check(Schema.makeFilter(isIdForm, { expected: "an id: a UUID in lower case" }))

const Instant = Schema.String.check(
  Schema.makeFilter((text: string) => parseIsoTime(text)?._tag === "Instant", {
    expected: "an ISO 8601 time with an offset or Z"
  })
)

const Day = Schema.String.check(
  Schema.makeFilter((text: string) => parseIsoTime(text)?._tag === "Date", { expected: "a date such as 2026-11-21" })
)

const Wall = Schema.String.check(
  Schema.makeFilter((text: string) => parseIsoTime(text)?._tag === "Local", {
    expected: "a local time such as 2026-11-21T09:00:00.000"
  })
)

/** As stored. */
const Color = Schema.String.check(Schema.isPattern(/^(#[0-9a-f]{6})?$/, { expected: "#rrggbb or empty" }))

export const BackupPlace = Schema.Struct({
  id: Id,
  name: Fields.Title,
  address: Fields.Name,
  latitude: NullOr(Schema.Finite),
  longitude: NullOr(Schema.Finite),
  radius_m: Schema.Finite
})

export const BackupList = Schema.Struct({
  id: Id,
  title: Fields.Name,
  emoji: Fields.Emoji,
  day: NullOr(Day),
  favorited: Schema.Boolean,
  archived: Schema.Boolean,
  sort: Schema.Literals(listSorts),
  created: Instant,
  updated: Instant
})

export const BackupThing = Schema.Struct({
  id: Id,
  list_id: Id,
  list_ref: NullOr(Id),
  clone_of: NullOr(Id),
  /** The position in the list: ascending by `rank`, then `seq`, then id. */
  rank: Schema.Int,
  seq: Schema.Int,
  tabs: Fields.Tabs,
  text: Fields.Text,
  type: Schema.Literals(thingTypes),
  url: Fields.Url,
  tags: Fields.Tags,
  photos: Fields.Photos,
  completed: Schema.Boolean,
  canceled: Schema.Boolean,
  favorited: Schema.Boolean,
  bold: Schema.Boolean,
  italic: Schema.Boolean,
  underline: Schema.Boolean,
  header: Schema.Boolean,
  subheader: Schema.Boolean,
  quote: Schema.Boolean,
  code: Schema.Boolean,
  note: Fields.Note,
  /** Omitted when empty. */
  markup: Schema.optionalKey(Fields.Text),
  created: Instant,
  updated: Instant
})

/** Exactly one of `time` and `place` is present. */
export const BackupReminder = Schema.Struct({
  id: Id,
  thing_id: Id,
  alert_minutes: Minutes,
  second_alert_minutes: Minutes,
  color: Color,
  created: Instant,
  time: NullOr(
    Schema.Struct({
      at: Instant,
      all_day: Schema.Boolean,
      /** The first occurrence on the owner's wall clock; months and years are counted from it. */
      first: Wall,
      repeat: Schema.Literals(repeats),
      every: Every,
      days: Schema.Array(Schema.Literals(weekdays)),
      until: NullOr(Instant),
      duration_minutes: NullOr(Minutes),
      end: NullOr(Instant)
    })
  ),
  place: NullOr(
    Schema.Struct({
      id: Id,
      trigger: Schema.Literals(placeTransitions),
      radius_m: NullOr(Schema.Finite)
    })
  )
})

/** A webhook without its secret, and without what came of its deliveries. */
export const BackupWebhook = Schema.Struct({
  id: Id,
  url: CreateWebhookInput.fields.url,
  events: CreateWebhookInput.fields.events,
  format: Schema.Literals(webhookFormats),
  description: Fields.Name,
  created: Instant
})

export const BackupDocument = Schema.Struct({
  format: Schema.Literal(backupFormat),
  version: Schema.Literals([1, backupVersion]),
  exported: Instant,
  account: AccountJson.mapFields(Struct.assign({ all_day_at: Schema.optionalKey(Schema.String) })),
  places: Schema.Array(BackupPlace),
  lists: Schema.Array(BackupList),
  things: Schema.Array(BackupThing),
  reminders: Schema.Array(BackupReminder),
  webhooks: Schema.optionalKey(Schema.Array(BackupWebhook))
})
export type BackupDocument = typeof BackupDocument.Type
