import { Schema } from "effect"
import { thingTypes, type Thing } from "../model/Thing.ts"
import { truncate } from "../text/Characters.ts"
import { formatTime } from "../days/IsoTime.ts"
import type { ThingView } from "../things/Things.ts"
import type { UpdatedThing } from "../things/SingleStatementUpdate.ts"
import { Count, described, optional, TimeJson } from "./Described.ts"
import { meanings } from "./Fields.ts"
import { reminderJson } from "./ReminderJson.ts"

/** The contract's Thing. */
export const ThingJson = Schema.Struct({
  id: described(Schema.String, "Opaque."),
  list_id: described(Schema.String, "The id of the list that holds it."),
  list_ref: described(Schema.NullOr(Schema.String), "The id of another list that it links to; null if there is none."),
  text: described(Schema.String, meanings.text),
  type: described(Schema.Literals(thingTypes), "`todo` is a checkbox, `none` is a plain line."),
  url: described(Schema.String, "A link; empty when there is none."),
  tags: described(Schema.Array(Schema.String), "Tag names, without `#`."),
  tabs: described(Count, meanings.tabs),
  photos: described(Schema.Array(Schema.String), "URLs of images, http or https."),
  completed: described(Schema.Boolean, "Whether it is done; never together with `canceled`."),
  canceled: described(Schema.Boolean, "Whether it is canceled; never together with `completed`."),
  favorited: described(Schema.Boolean, meanings.favorited),
  clone_of: described(
    Schema.NullOr(Schema.String),
    "The id of the original if this is a live linked copy, else null. An edit of either shows in both."
  ),
  has_clones: described(Schema.Boolean, "Whether this is an original with live linked copies."),
  bold: described(Schema.Boolean, meanings.bold),
  italic: described(Schema.Boolean, meanings.italic),
  underline: described(Schema.Boolean, meanings.underline),
  header: described(Schema.Boolean, "A heading."),
  subheader: described(Schema.Boolean, "A smaller heading."),
  quote: described(Schema.Boolean, "A block quote."),
  code: described(Schema.Boolean, "A code block; its text is not parsed."),
  note: described(Schema.String, "A long note in markdown, shown apart from the text; empty when there is none."),
  created: described(
    TimeJson,
    "When it was created, or the time it was backdated to; chronological lists are in this order."
  ),
  updated: described(TimeJson, "When it was last changed.")
})
export type ThingJson = typeof ThingJson.Type

/** With `maxText`, a longer text is cut to that many characters and `…`. */
export const textOf = ({ text }: Pick<Thing, "text">, maxText: number | undefined): string =>
  maxText === undefined ? text : truncate(text, maxText)

/** With `maxText`, the text is cut by `textOf`. */
export const thingJson = (thing: Thing, maxText?: number): ThingJson => ({
  id: thing.id,
  list_id: thing.listId,
  list_ref: thing.listRef,
  text: textOf(thing, maxText),
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

/** The answer of `GET /things/{id}`. */
export const thingViewJson = ({ reminder, thing }: ThingView) => ({
  thing: thingJson(thing),
  reminder: reminder === null ? null : reminderJson(reminder)
})

/** What `PATCH /things/{id}` adds when a repeating thing was completed (docs/decisions.md#completing). */
export const RepeatingReminderJson = Schema.Struct({
  copy_id: described(Schema.String, "The id of the completed or canceled copy, which stays where the thing was."),
  next_at: described(TimeJson, "When the thing is due next."),
  list_id: described(Schema.String, "The id of the list that the thing is in now.")
})

/** What `PATCH /things/{id}` answers beside the thing. */
export const outcomeFields = {
  repeating_reminder: optional(
    RepeatingReminderJson,
    "Present if a repeating thing was completed or canceled: it moved to its next occurrence and left a copy."
  ),
  reminder_removed: optional(
    Schema.Literal(true),
    "Present if a thing with a one-off reminder was completed or canceled: the reminder was removed."
  )
}

/** The answer of `PATCH /things/{id}`. */
export const UpdatedThingJson = Schema.Struct({
  thing: ThingJson,
  ...outcomeFields
})
export type UpdatedThingJson = typeof UpdatedThingJson.Type

export const updatedThingJson = (result: Omit<UpdatedThing, "reminder">): UpdatedThingJson => ({
  thing: thingJson(result.thing),
  ...(result.repeating === undefined
    ? {}
    : {
        repeating_reminder: {
          copy_id: result.repeating.copyId,
          next_at: formatTime(result.repeating.nextAt),
          list_id: result.repeating.listId
        }
      }),
  ...(result.reminderRemoved ? { reminder_removed: true as const } : {})
})
