import { caps } from "../model/Caps.ts"
import { Schema } from "effect"
import { described, optional } from "./Described.ts"
import * as Fields from "./Fields.ts"
import { ListItemInput } from "./ThingInput.ts"

const title = "The name of the list; not blank."
const emoji = "Shown before the title; empty for none."
const sort = optional(Fields.SortText, "The order in which the list shows its things.", "alphabetical")
const favorited = optional(Schema.Boolean, Fields.meanings.favorited, true)
const archived = optional(
  Schema.Boolean,
  "Whether it is archived: left out of `GET /lists`, and not found by name in `list`.",
  true
)

/**
 * `POST /lists`. `sort`, `favorited` and `archived` go beyond the contract, so that a list that was read can be made
 * again.
 */
export const CreateListInput = Schema.Struct({
  title: described(Fields.Title, title, "Groceries"),
  emoji: optional(Fields.Emoji, emoji, "🛒"),
  things: optional(
    Schema.Array(ListItemInput).check(
      Schema.isMaxLength(caps.items, { expected: `an array of at most ${caps.items} things` })
    ),
    "The things of the list in order, at most 500.",
    [{ text: "Bread" }, { text: "Butter" }]
  ),
  sort,
  favorited,
  archived,
  ...Fields.ignored("id", "today", "created", "updated")
})
export type CreateListInput = typeof CreateListInput.Type

/** `POST /lists/import`. */
export const ImportMarkdownInput = Schema.Struct({
  markdown: described(Fields.Markdown, "CommonMark with task lists.", "# Groceries\n\n- [ ] Oat milk\n"),
  title: optional(Fields.Title, "The name of the list; not blank. Left out: the first `# ` heading.", "Groceries"),
  emoji: optional(Fields.Emoji, emoji, "🛒")
})
export type ImportMarkdownInput = typeof ImportMarkdownInput.Type

/** `PATCH /lists/{id}`. */
export const UpdateListInput = Schema.Struct({
  title: optional(Fields.Title, title, "Groceries"),
  emoji: optional(Fields.Emoji, emoji, "🛒"),
  favorited,
  archived,
  sort,
  ...Fields.ignored("id", "today", "created", "updated")
})
export type UpdateListInput = typeof UpdateListInput.Type
