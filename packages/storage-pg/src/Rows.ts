import type { Row } from "@effect/sql-pg/PgConnection"
import type { Account } from "@lists-and-things/domain/model/Account"
import type { ApiKey } from "@lists-and-things/domain/model/ApiKey"
import type { AccountId } from "@lists-and-things/domain/model/Ids"
import type { List } from "@lists-and-things/domain/model/List"
import type { SavedPlace } from "@lists-and-things/domain/model/Place"
import type { PlaceTrigger, Reminder, TimeTrigger } from "@lists-and-things/domain/model/Reminder"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import type { Values } from "./connection/ConnectionPool.ts"

/**
 * Conversions from rows to the domain's values. `bigint` columns are read as double precision, which represents every
 * epoch millisecond exactly; the driver would return them as JavaScript bigints.
 */

/** The types of a row's columns, as the constraints of its table guarantee them. */
type Columns<A> = { readonly [Column in keyof A]: A[Column] }

const columns = <A>(row: Row): Columns<A> => row as Columns<A>

export const accountColumns = `a.id, a.email, a.name, a.timezone, a.default_thing_type, a.default_list_sort,
  a.default_reminder_minutes, a.default_alert_minutes, a.default_reminder_color, a.repeat_moves_to_day,
  a.created::float8`

export const accountOf = (row: Row): Account => ({
  id: row.id as AccountId,
  email: row.email as string,
  name: row.name as string,
  timezone: row.timezone as string,
  defaultThingType: row.default_thing_type as Account["defaultThingType"],
  defaultListSort: row.default_list_sort as Account["defaultListSort"],
  defaultReminderMinutes: row.default_reminder_minutes as number,
  defaultAlertMinutes: row.default_alert_minutes as number,
  defaultReminderColor: row.default_reminder_color as string,
  repeatMovesToDay: row.repeat_moves_to_day as boolean,
  created: row.created as number
})

export const keyColumns = `k.id as key_id, k.owner_id, k.name as key_name, k.scopes, k.rate_limit, k.secret_hash,
  k.created::float8 as key_created, k.revoked::float8`

/** Needs the column `last_used` of `key_usage` in the row. */
export const keyOf = (row: Row): ApiKey => ({
  id: row.key_id as string,
  accountId: row.owner_id as AccountId,
  name: row.key_name as string,
  scopes: row.scopes as ApiKey["scopes"],
  rateLimit: row.rate_limit as number,
  secretHash: row.secret_hash as string,
  created: row.key_created as number,
  lastUsed: row.last_used as number | null,
  revoked: row.revoked as number | null
})

export const listColumns = `l.id, l.title, l.emoji, l.day, l.favorited, l.archived, l.sort, l.created::float8,
  l.updated::float8`

export const listOf =
  (owner: AccountId) =>
  (row: Row): List => ({ ...columns<Omit<List, "owner">>(row), owner })

/** Read by position, in the order that `thingOf` expects. */
export const thingColumns = `t.id, t.list_id, t.rank::float8, t.seq::float8, t.tabs, t.favorited, t.clone_of,
  t.has_clones, t.text, t.type, t.url, t.tags, t.photos, t.list_ref, t.completed, t.canceled, t.bold, t.italic,
  t.underline, t.header, t.subheader, t.quote, t.code, t.note, t.created::float8, t.updated::float8, t.markup`

/** Index of the first column after those of `thingColumns`. */
export const afterThing = 27

/** Names every field, so that all things have the same hidden class: code that reads them is several times faster. */
export const thingOf =
  (owner: AccountId) =>
  (values: Values): Thing => ({
    id: values[0] as Thing["id"],
    owner,
    listId: values[1] as Thing["listId"],
    position: { sortTime: values[2] as number, sequence: values[3] as number },
    tabs: values[4] as number,
    favorited: values[5] as boolean,
    cloneOf: values[6] as Thing["cloneOf"],
    hasClones: values[7] as boolean,
    text: values[8] as string,
    type: values[9] as Thing["type"],
    url: values[10] as string,
    tags: values[11] as Thing["tags"],
    photos: values[12] as Thing["photos"],
    listRef: values[13] as Thing["listRef"],
    completed: values[14] as boolean,
    canceled: values[15] as boolean,
    bold: values[16] as boolean,
    italic: values[17] as boolean,
    underline: values[18] as boolean,
    header: values[19] as boolean,
    subheader: values[20] as boolean,
    quote: values[21] as boolean,
    code: values[22] as boolean,
    note: values[23] as string,
    created: values[24] as number,
    updated: values[25] as number,
    markup: values[26] as string
  })

export const reminderColumns = `r.id, r.thing_id, r.at::float8, r.all_day, r.first, r.repeat, r.every, r.days,
  r.until::float8, r.duration_minutes, r.end_at::float8, r.place_id, r.place_on, r.radius_m, r.alert_minutes,
  r.second_alert_minutes, r.color, r.created::float8`

const timeTriggerOf = (row: Row): TimeTrigger => ({
  _tag: "Time",
  at: row.at as number,
  allDay: row.all_day as boolean,
  first: row.first as string,
  rule: {
    repeat: row.repeat as TimeTrigger["rule"]["repeat"],
    every: row.every as number,
    days: row.days as TimeTrigger["rule"]["days"],
    until: row.until as number | null
  },
  durationMinutes: row.duration_minutes as number | null,
  end: row.end_at as number | null
})

const placeTriggerOf = (row: Row): PlaceTrigger => ({
  _tag: "Place",
  placeId: row.place_id as PlaceTrigger["placeId"],
  on: row.place_on as PlaceTrigger["on"],
  radiusMeters: row.radius_m as number | null
})

export const reminderOf =
  (owner: AccountId) =>
  (row: Row): Reminder => ({
    id: row.id as Reminder["id"],
    owner,
    thingId: row.thing_id as Reminder["thingId"],
    trigger: row.place_id === null ? timeTriggerOf(row) : placeTriggerOf(row),
    alertMinutes: row.alert_minutes as number,
    secondAlertMinutes: row.second_alert_minutes as number,
    color: row.color as string,
    created: row.created as number
  })

export const placeColumns = "p.id, p.name, p.address, p.latitude, p.longitude, p.radius_m"

export const placeOf =
  (owner: AccountId) =>
  (row: Row): SavedPlace => ({
    id: row.id as SavedPlace["id"],
    owner,
    name: row.name as string,
    address: row.address as string,
    latitude: row.latitude as number | null,
    longitude: row.longitude as number | null,
    radiusMeters: row.radius_m as number
  })

/** A page from rows that were read with one more than `size`. */
export const pageOf = <A>(
  rows: ReadonlyArray<A>,
  size: number
): { readonly items: ReadonlyArray<A>; readonly hasMore: boolean } => ({
  items: rows.slice(0, size),
  hasMore: rows.length > size
})

/** OFFSET of a page, within the range that PostgreSQL accepts. Pages beyond the limit are all equally empty. */
export const offsetOf = (page: number, size: number): number => Math.min(page * size, 1_000_000_000)
