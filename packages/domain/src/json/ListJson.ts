import { Schema } from "effect"
import type { List } from "../model/List.ts"
import { formatTime } from "../days/IsoTime.ts"
import { TimeJson } from "./TimeJson.ts"

/** The contract's List. */
export const ListJson = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  emoji: Schema.String,
  today: Schema.Boolean,
  favorited: Schema.Boolean,
  archived: Schema.Boolean,
  sort: Schema.String,
  created: TimeJson,
  updated: TimeJson
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
