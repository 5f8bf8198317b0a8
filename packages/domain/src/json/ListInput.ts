import { caps } from "../model/Caps.ts"
import { Schema } from "effect"
import * as Fields from "./Fields.ts"
import { ListItemInput } from "./ThingInput.ts"

const optionalKey = Schema.optionalKey

/** `POST /lists`. `sort`, `favorited` and `archived` go beyond the contract, so that a list that was read can be made again. */
export const CreateListInput = Schema.Struct({
  title: Fields.Title,
  emoji: optionalKey(Fields.Emoji),
  things: optionalKey(
    Schema.Array(ListItemInput).check(
      Schema.isMaxLength(caps.items, { expected: `an array of at most ${caps.items} things` })
    )
  ),
  sort: optionalKey(Fields.SortText),
  favorited: optionalKey(Schema.Boolean),
  archived: optionalKey(Schema.Boolean),
  ...Fields.ignored("id", "today", "created", "updated")
})
export type CreateListInput = typeof CreateListInput.Type

/** `POST /lists/import`. */
export const ImportMarkdownInput = Schema.Struct({
  markdown: Fields.Markdown,
  title: optionalKey(Fields.Title),
  emoji: optionalKey(Fields.Emoji)
})
export type ImportMarkdownInput = typeof ImportMarkdownInput.Type

/** `PATCH /lists/{id}`. */
export const UpdateListInput = Schema.Struct({
  title: optionalKey(Fields.Title),
  emoji: optionalKey(Fields.Emoji),
  favorited: optionalKey(Schema.Boolean),
  archived: optionalKey(Schema.Boolean),
  sort: optionalKey(Fields.SortText),
  ...Fields.ignored("id", "today", "created", "updated")
})
export type UpdateListInput = typeof UpdateListInput.Type
