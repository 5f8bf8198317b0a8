import { Effect, Schema } from "effect"
import { InvalidInput } from "@lists-and-things/domain/model/Errors"
import { UpdateListInput } from "@lists-and-things/domain/json/ListInput"
import { ListJson } from "@lists-and-things/domain/json/ListJson"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { ListId } from "../Arguments.ts"
import { shownList } from "../results/ListResult.ts"
import { defineTool, hints } from "../Tool.ts"

const { archived, emoji, favorited, title } = UpdateListInput.fields

export const updateList = defineTool({
  name: "update_list",
  title: "Update a list",
  description: "Renames, stars, archives or unarchives a list, or changes its emoji. Give at least one field.",
  scope: "write:lists",
  operation: "updateList",
  hints: hints.replaces,
  input: Schema.Struct({
    listId: ListId,
    title,
    emoji,
    favorited,
    archived
  }).pipe(Schema.encodeKeys({ listId: "list_id" })),
  output: Schema.Struct({ list: ListJson }),
  handler: Effect.fnUntraced(function* ({ listId, ...patch }) {
    if (Object.keys(patch).length === 0) {
      return yield* new InvalidInput({
        field: "",
        reason: "Give at least one of title, emoji, favorited and archived",
        example: '"archived": true'
      })
    }
    const lists = yield* Lists
    return { list: yield* shownList(yield* lists.update(listId, patch)) }
  })
})
