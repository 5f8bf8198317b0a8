import { Effect, Schema } from "effect"
import { exampleIds } from "@lists-and-things/domain/json/Described"
import * as Fields from "@lists-and-things/domain/json/Fields"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { defineTool, hints } from "../Tool.ts"

export const deleteThings = defineTool({
  name: "delete_things",
  title: "Delete things",
  description: "Permanently deletes up to 500 things; things nested under them stay. Unknown ids are ignored.",
  scope: "write:things",
  operation: "deleteThings",
  dryRun: true,
  hints: hints.replaces,
  input: Schema.Struct({
    ids: Fields.Ids.check(Schema.isMinLength(1, { expected: "at least one id" })).annotate({
      examples: [[exampleIds.thing]]
    })
  }),
  output: Schema.Struct({ deleted: Schema.Int }),
  handler: Effect.fnUntraced(function* ({ ids }) {
    const things = yield* BulkThings
    return { deleted: yield* things.remove(ids) }
  })
})
