import { Schema } from "effect"
import { thingTypes, type Thing } from "../model/Thing.ts"
import { truncate } from "../text/Characters.ts"
import { formatTime } from "../days/IsoTime.ts"
import { TimeJson } from "./TimeJson.ts"

/** The contract's Thing. */
export const ThingJson = Schema.Struct({
  id: Schema.String,
  list_id: Schema.String,
  list_ref: Schema.NullOr(Schema.String),
  text: Schema.String,
  type: Schema.Literals(thingTypes),
  url: Schema.String,
  tags: Schema.Array(Schema.String),
  tabs: Schema.Int,
  photos: Schema.Array(Schema.String),
  completed: Schema.Boolean,
  canceled: Schema.Boolean,
  favorited: Schema.Boolean,
  clone_of: Schema.NullOr(Schema.String),
  has_clones: Schema.Boolean,
  bold: Schema.Boolean,
  italic: Schema.Boolean,
  underline: Schema.Boolean,
  header: Schema.Boolean,
  subheader: Schema.Boolean,
  quote: Schema.Boolean,
  code: Schema.Boolean,
  note: Schema.String,
  created: TimeJson,
  updated: TimeJson
})
export type ThingJson = typeof ThingJson.Type

/** With `maxText`, a longer text is cut to that many characters and `…`. */
export const thingJson = (thing: Thing, maxText?: number): ThingJson => ({
  id: thing.id,
  list_id: thing.listId,
  list_ref: thing.listRef,
  text: maxText === undefined ? thing.text : truncate(thing.text, maxText),
  type: thing.type,
  url: thing.url,
  tags: thing.tags,
  tabs: thing.tabs,
  photos: thing.photos,
  completed: thing.completed,
  canceled: thing.canceled,
  favorited: thing.favorited,
  clone_of: thing.cloneOf,
  has_clones: thing.hasClones,
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
