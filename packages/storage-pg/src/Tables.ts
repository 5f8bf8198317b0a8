import type { AccountId } from "@lists-and-things/domain/model/Ids"
import type { List } from "@lists-and-things/domain/model/List"
import type { Settings } from "@lists-and-things/domain/model/Operation"
import type { SavedPlace } from "@lists-and-things/domain/model/Place"
import type { PlaceTrigger, Reminder, TimeTrigger } from "@lists-and-things/domain/model/Reminder"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { searchForms } from "@lists-and-things/domain/markdown/TextMarkup"
import { titleKey } from "@lists-and-things/domain/text/TextFold"
import { table } from "./Columns.ts"
import { searchText } from "./search/SearchText.ts"
import { digest, textHash } from "./things/Digest.ts"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

/**
 * The columns of lists, things, reminders, places and the settings of accounts: the only place that enumerates them. A
 * new column is one line here and a migration. Texts are in the collation "C" where they are keys for comparison.
 */
export const lists = table<List>(
  "l",
  {
    id: "id uuid",
    title: "title text",
    emoji: "emoji text",
    day: "day text",
    favorited: "favorited boolean",
    archived: "archived boolean",
    sort: "sort text",
    created: "created bigint",
    updated: "updated bigint"
  },
  {
    "title_key text": { from: ["title"], value: ({ title }) => titleKey(title) },
    "search text": { from: ["title"], value: ({ title }) => searchText(searchForms(title, false)) }
  }
)

export const things = table<Thing>(
  "t",
  {
    id: "id uuid",
    listId: "list_id uuid",
    position: { sortTime: "rank bigint", sequence: "seq bigint" },
    tabs: "tabs integer",
    favorited: "favorited boolean",
    cloneOf: "clone_of uuid",
    hasClones: "has_clones boolean",
    text: "text text",
    type: "type text",
    url: "url text",
    tags: "tags text[]",
    photos: "photos text[]",
    listRef: "list_ref uuid",
    completed: "completed boolean",
    canceled: "canceled boolean",
    bold: "bold boolean",
    italic: "italic boolean",
    underline: "underline boolean",
    header: "header boolean",
    subheader: "subheader boolean",
    quote: "quote boolean",
    code: "code boolean",
    note: "note text",
    markup: "markup text",
    created: "created bigint",
    updated: "updated bigint"
  },
  {
    "text_hash uuid": { from: ["text"], value: ({ text }) => textHash(text) },
    "url_hash uuid": { from: ["url"], value: ({ url }) => (url === "" ? null : digest(url)) },
    "search text": { from: ["text", "code"], value: ({ code, text }) => searchText(searchForms(text, code)) }
  }
)

export const places = table<SavedPlace>(
  "p",
  {
    id: "id uuid",
    name: "name text",
    address: "address text",
    latitude: "latitude double precision",
    longitude: "longitude double precision",
    radiusMeters: "radius_m double precision"
  },
  { "name_key text": { from: ["name"], value: ({ name }) => titleKey(name) } }
)

/** The `id` of an account is the owner. */
type SettingsRow = Omit<Settings, "id"> & { readonly owner: AccountId }

export const settings = table<SettingsRow>("a", {
  name: "name text",
  timezone: "timezone text",
  defaultThingType: "default_thing_type text",
  defaultListSort: "default_list_sort text",
  defaultReminderMinutes: "default_reminder_minutes integer",
  defaultAlertMinutes: "default_alert_minutes integer",
  defaultReminderColor: "default_reminder_color text",
  repeatMovesToDay: "repeat_moves_to_day boolean",
  allDayAt: "all_day_at text",
  created: "created bigint"
})

/** A row has the columns of both triggers. Those of the other one are blank; `at` and `placeId` tell them apart. */
interface ReminderRow extends Omit<Reminder, "trigger"> {
  readonly time: Omit<TimeTrigger, "_tag" | "at"> & { readonly at: EpochMillis | null }
  readonly place: { readonly [Key in keyof Omit<PlaceTrigger, "_tag">]: PlaceTrigger[Key] | null }
}

export const reminders = table<ReminderRow>("r", {
  id: "id uuid",
  thingId: "thing_id uuid",
  time: {
    at: "at bigint",
    allDay: "all_day boolean",
    first: "first text",
    rule: { repeat: "repeat text", every: "every integer", days: "days text[]", until: "until bigint" },
    durationMinutes: "duration_minutes integer",
    end: "end_at bigint"
  },
  place: { placeId: "place_id uuid", on: "place_on text", radiusMeters: "radius_m double precision" },
  alertMinutes: "alert_minutes integer",
  secondAlertMinutes: "second_alert_minutes integer",
  color: "color text",
  created: "created bigint"
})

const noTime: ReminderRow["time"] = {
  at: null,
  allDay: false,
  first: "",
  rule: { repeat: "none", every: 1, days: [], until: null },
  durationMinutes: null,
  end: null
}

const noPlace: ReminderRow["place"] = { placeId: null, on: null, radiusMeters: null }

/** The columns of the trigger that it has not are null. */
export const reminderRow = ({ trigger, ...reminder }: Reminder): ReminderRow => ({
  ...reminder,
  time: trigger._tag === "Time" ? trigger : noTime,
  place: trigger._tag === "Place" ? trigger : noPlace
})

/** The constraints of the table guarantee that a row has exactly one of `at` and `place_id`. */
export const reminderOf = ({ place, time, ...reminder }: ReminderRow): Reminder => ({
  ...reminder,
  trigger: time.at === null ? ({ _tag: "Place", ...place } as PlaceTrigger) : ({ _tag: "Time", ...time } as TimeTrigger)
})
