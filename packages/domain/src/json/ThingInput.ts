import { caps } from "../model/Caps.ts"
import { Schema } from "effect"
import * as Fields from "./Fields.ts"

const optionalKey = Schema.optionalKey

/** Fields accepted both on creation and on update. */
const commonFields = {
  text: optionalKey(Fields.Text),
  type: optionalKey(Fields.TypeText),
  url: optionalKey(Fields.Url),
  listRef: optionalKey(Fields.Reference),
  tags: optionalKey(Fields.Tags),
  photos: optionalKey(Fields.Photos),
  completed: optionalKey(Schema.Boolean),
  canceled: optionalKey(Schema.Boolean),
  favorited: optionalKey(Schema.Boolean),
  tabs: optionalKey(Fields.Tabs),
  ...Fields.formatting,
  note: optionalKey(Fields.Note)
}

/** Fields accepted for a new thing (docs/contract.md#things). */
export const createThingFields = {
  ...commonFields,
  created: optionalKey(Fields.TimeText),
  cloneOf: optionalKey(Fields.Reference)
}

/** The target list: an id, or a name (a day word, an ISO date or a title), never both. */
export const targetFields = {
  listId: optionalKey(Fields.IdText),
  list: optionalKey(Fields.Name)
}

export const thingKeys = { listRef: "list_ref", cloneOf: "clone_of", listId: "list_id" } as const
const readOnly = Fields.ignored("id", "updated", "has_clones")

/** `POST /things`. */
export const CreateThingInput = Schema.Struct({ ...createThingFields, ...targetFields, ...readOnly }).pipe(
  Schema.encodeKeys(thingKeys)
)
export type CreateThingInput = typeof CreateThingInput.Type

/** One of `things` in `POST /lists`: it has no target of its own. */
export const ListItemInput = Schema.Struct({ ...createThingFields, ...readOnly, ...Fields.ignored("list_id") }).pipe(
  Schema.encodeKeys({ listRef: "list_ref", cloneOf: "clone_of" })
)
export type ListItemInput = typeof ListItemInput.Type

/** `POST /things/bulk`. */
export const BulkCreateInput = Schema.Struct({
  items: Schema.Array(CreateThingInput).check(
    Schema.isMaxLength(caps.items, { expected: `an array of at most ${caps.items} items` })
  ),
  ...targetFields,
  skipDuplicates: optionalKey(Schema.Boolean)
}).pipe(Schema.encodeKeys({ listId: "list_id", skipDuplicates: "skip_duplicates" }))
export type BulkCreateInput = typeof BulkCreateInput.Type

/** Fields of a thing that can be updated; omitted fields stay as they are. */
export const updateThingFields = {
  ...commonFields,
  ...targetFields,
  /** The `at` of the occurrence that the client means to complete (docs/decisions.md#completing). */
  occurrence: optionalKey(Fields.TimeText)
}

const updateReadOnly = Fields.ignored("id", "created", "updated", "clone_of", "has_clones")
const updateKeys = { listRef: "list_ref", listId: "list_id" } as const

/** `PATCH /things/{id}`. */
export const UpdateThingInput = Schema.Struct({ ...updateThingFields, ...updateReadOnly }).pipe(
  Schema.encodeKeys(updateKeys)
)
export type UpdateThingInput = typeof UpdateThingInput.Type

const { occurrence: _single, text: _text, note: _note, photos: _photos, ...setFields } = updateThingFields

/** `set` of `PATCH /things/bulk`. */
export const BulkSetInput = Schema.Struct(setFields).pipe(Schema.encodeKeys(updateKeys))
export type BulkSetInput = typeof BulkSetInput.Type

export const BulkUpdateInput = Schema.Struct({ ids: Fields.Ids, set: BulkSetInput })
export type BulkUpdateInput = typeof BulkUpdateInput.Type

/** `DELETE /things/bulk`. */
export const BulkDeleteInput = Schema.Struct({ ids: Fields.Ids })
export type BulkDeleteInput = typeof BulkDeleteInput.Type

/** `POST /things/markdown`. */
export const AppendMarkdownInput = Schema.Struct({
  markdown: Fields.Markdown,
  ...targetFields,
  skipDuplicates: optionalKey(Schema.Boolean)
}).pipe(Schema.encodeKeys({ listId: "list_id", skipDuplicates: "skip_duplicates" }))
export type AppendMarkdownInput = typeof AppendMarkdownInput.Type
