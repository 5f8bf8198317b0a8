import { Effect, Schema } from "effect"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { ListId } from "../Arguments.ts"
import { defineTool, hints } from "../Tool.ts"

export const deleteList = defineTool({
  name: "delete_list",
  title: "Delete a list",
  description:
    "Permanently deletes a list and all its things. Takes an id, never a name. To archive a list, use update_list with archived.",
  scope: "write:lists",
  operation: "deleteList",
  dryRun: true,
  hints: hints.replaces,
  input: Schema.Struct({ listId: ListId }).pipe(Schema.encodeKeys({ listId: "list_id" })),
  output: Schema.Struct({ success: Schema.Boolean }),
  handler: Effect.fnUntraced(function* ({ listId }) {
    const lists = yield* Lists
    yield* lists.remove(listId)
    return { success: true }
  })
})
