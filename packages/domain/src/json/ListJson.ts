import { Schema } from "effect"
import type { List } from "../model/List.ts"
import { formatTime } from "../days/IsoTime.ts"
import { described, TimeJson } from "./Described.ts"
import { meanings } from "./Fields.ts"

/** The contract's List. */
export const ListJson = Schema.Struct({
  id: described(Schema.String, "Opaque."),
  title: described(
    Schema.String,
    "The name of the list. For a day list it is the ISO date, unless the list was renamed."
  ),
  emoji: described(Schema.String, "Shown before the title; empty when there is none."),
  today: described(Schema.Boolean, "Whether this is the day list of today, in the account's time zone."),
  favorited: described(Schema.Boolean, meanings.favorited),
  archived: described(Schema.Boolean, "Archived lists are left out of `GET /lists`."),
  sort: described(
    Schema.String,
    "The order in which the list shows its things: `chronological`, `reverse-chronological`, `alphabetical`, `reverse-alphabetical` or `modified`; treat an unrecognized value as `chronological`."
  ),
  created: described(TimeJson, "When the list was created; never changes."),
  updated: described(TimeJson, "When the list, one of its things or one of their reminders last changed.")
})
export type ListJson = typeof ListJson.Type

/** `today` is the owner's date now: a day list of it answers `today: true`. */
export const listJson = (list: List, today: string): ListJson => ({
  id: list.id,
  title: list.title,
  emoji: list.emoji,
  today: list.day === today,
  favorited: list.favorited,
  archived: list.archived,
  sort: list.sort,
  created: formatTime(list.created),
  updated: formatTime(list.updated)
})
