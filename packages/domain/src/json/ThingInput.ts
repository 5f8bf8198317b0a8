import { caps } from "../model/Caps.ts"
import { Schema } from "effect"
import { described, exampleIds, optional } from "./Described.ts"
import * as Fields from "./Fields.ts"
import { encodeKeys } from "./PresentFields.ts"

/** Fields accepted both on creation and on update. */
const commonFields = {
  text: optional(Fields.Text, Fields.meanings.text, "Oat **milk**, two litres"),
  type: optional(
    Fields.TypeText,
    "`todo` is a checkbox, `none` is a plain line. `note` is an alias of `none` and reads back as `none`.",
    "todo"
  ),
  url: optional(Fields.Url, "A link; empty for none. A bare domain gets `https://`.", "https://example.com/oat-milk"),
  listRef: optional(
    Fields.Reference,
    "The id of another list that this thing links to; null or empty for none.",
    exampleIds.list
  ),
  tags: optional(
    Fields.Tags,
    "Tag names, with or without a leading `#`, compared ignoring case. Replaces the thing's tags.",
    ["errands"]
  ),
  photos: optional(Fields.Photos, "URLs of images (http or https), at most 10. Replaces the thing's photos.", [
    "https://example.com/oat-milk.jpg"
  ]),
  completed: optional(Schema.Boolean, "Whether it is done. Excludes `canceled`.", true),
  canceled: optional(Schema.Boolean, "Whether it is canceled. Excludes `completed`.", true),
  favorited: optional(Schema.Boolean, Fields.meanings.favorited, true),
  tabs: optional(Fields.Tabs, Fields.meanings.tabs, 1),
  ...Fields.formatting,
  note: optional(Fields.Note, "A long note in markdown, shown apart from the text; empty for none.", "The blue carton.")
}

/** Fields accepted for a new thing (docs/contract.md#things). */
export const createThingFields = {
  ...commonFields,
  created: optional(
    Fields.TimeText,
    "Backdates the thing, which also decides its position in a chronological list. Left out: now, at the end of the list.",
    "2026-11-20T08:00:00Z"
  ),
  cloneOf: optional(
    Fields.Reference,
    "The id of a thing to make a live linked copy of: an edit of either shows in both. Other content in the body must equal the original's.",
    exampleIds.thing
  )
}

/** The target list: an id, or a name (a day word, an ISO date or a title), never both. */
export const targetFields = {
  listId: optional(Fields.IdText, "The id of the target list. Excludes `list`.", exampleIds.list),
  list: optional(
    Fields.Name,
    "The name of the target list: `today`, `yesterday`, `tomorrow`, an ISO date, or a title. Excludes `list_id`.",
    "today"
  )
}

export const thingKeys = { listRef: "list_ref", cloneOf: "clone_of", listId: "list_id" } as const
const readOnly = Fields.ignored("id", "updated", "has_clones")

/** `POST /things`. */
export const CreateThingInput = Schema.Struct({ ...createThingFields, ...targetFields, ...readOnly }).pipe(
  encodeKeys(thingKeys)
)
export type CreateThingInput = typeof CreateThingInput.Type

/** One of `things` in `POST /lists`: it has no target of its own. */
export const ListItemInput = Schema.Struct({ ...createThingFields, ...readOnly, ...Fields.ignored("list_id") }).pipe(
  encodeKeys({ listRef: "list_ref", cloneOf: "clone_of" })
)
export type ListItemInput = typeof ListItemInput.Type

const skipDuplicates = optional(
  Schema.Boolean,
  "Skips items that the target list already has, done or not, compared by url or, without one, by exact text.",
  true
)

/** `POST /things/bulk`. */
export const BulkCreateInput = Schema.Struct({
  items: described(
    Schema.Array(CreateThingInput).check(
      Schema.isMaxLength(caps.items, { expected: `an array of at most ${caps.items} items` })
    ),
    "The things in order, at most 500. An item with its own target goes there.",
    [{ text: "Bread" }, { text: "Butter" }]
  ),
  ...targetFields,
  skipDuplicates
}).pipe(encodeKeys({ listId: "list_id", skipDuplicates: "skip_duplicates" }))
export type BulkCreateInput = typeof BulkCreateInput.Type

/** Fields of a thing that can be updated; omitted fields stay as they are. */
export const updateThingFields = {
  ...commonFields,
  ...targetFields,
  /** The `at` of the occurrence that the client means to complete (docs/decisions.md#completing). */
  occurrence: optional(
    Fields.TimeText,
    "The reminder's `at` as the client read it. If the reminder has moved on since, nothing is changed.",
    "2026-11-23T09:00:00.000Z"
  )
}

const updateReadOnly = Fields.ignored("id", "created", "updated", "clone_of", "has_clones")
const updateKeys = { listRef: "list_ref", listId: "list_id" } as const

/** `PATCH /things/{id}`. */
export const UpdateThingInput = Schema.Struct({ ...updateThingFields, ...updateReadOnly }).pipe(encodeKeys(updateKeys))
export type UpdateThingInput = typeof UpdateThingInput.Type

const { occurrence: _single, text: _text, note: _note, photos: _photos, ...setFields } = updateThingFields

/** `set` of `PATCH /things/bulk`. */
export const BulkSetInput = Schema.Struct(setFields).pipe(encodeKeys(updateKeys))
export type BulkSetInput = typeof BulkSetInput.Type

export const BulkUpdateInput = Schema.Struct({
  ids: described(Fields.Ids, "The ids of the things to change, at most 500.", [exampleIds.thing]),
  set: described(BulkSetInput, "The change to make to each thing.", { completed: true })
})
export type BulkUpdateInput = typeof BulkUpdateInput.Type

/** `DELETE /things/bulk`. */
export const BulkDeleteInput = Schema.Struct({
  ids: described(Fields.Ids, "The ids of the things to delete, at most 500.", [exampleIds.thing])
})
export type BulkDeleteInput = typeof BulkDeleteInput.Type

/** `POST /things/markdown`. */
export const AppendMarkdownInput = Schema.Struct({
  markdown: described(Fields.Markdown, "CommonMark with task lists.", "- [ ] Call the bank\n- [ ] Water the plants\n"),
  ...targetFields,
  skipDuplicates
}).pipe(encodeKeys({ listId: "list_id", skipDuplicates: "skip_duplicates" }))
export type AppendMarkdownInput = typeof AppendMarkdownInput.Type
