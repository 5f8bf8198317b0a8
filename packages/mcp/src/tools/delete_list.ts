import { Effect, Schema } from "effect"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { ListId } from "../Arguments.ts"
import { defineTool, hints } from "../Tool.ts"

export const deleteList = defineTool({
  name: "delete_list",
  title: "Delete a list",
  description:
    "Deletes a list and all its things for good. Takes no name. To put a list away, use update_list with archived.",
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
