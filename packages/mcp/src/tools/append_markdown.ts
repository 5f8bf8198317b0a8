import { Effect, Schema } from "effect"
import { ImportMarkdownInput } from "@lists-and-things/domain/json/ListInput"
import { BulkCreatedJson, bulkCreatedJson } from "@lists-and-things/domain/json/BulkJson"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { target } from "../Arguments.ts"
import { defineTool, hints } from "../Tool.ts"

export const appendMarkdown = defineTool({
  name: "append_markdown",
  title: "Append markdown",
  description:
    "Appends a block of markdown to a list, or to today's day list if none is named. Markdown is mapped as in import_markdown.",
  scope: "write:things",
  operation: "appendMarkdown",
  dryRun: true,
  hints: hints.adds,
  input: Schema.Struct({
    markdown: ImportMarkdownInput.fields.markdown,
    ...target,
    skipDuplicates: Schema.optionalKey(Schema.Boolean)
  }).pipe(Schema.encodeKeys({ listId: "list_id", skipDuplicates: "skip_duplicates" })),
  output: BulkCreatedJson,
  handler: Effect.fnUntraced(function* (input) {
    const things = yield* BulkThings
    return bulkCreatedJson(yield* things.appendMarkdown(input))
  })
})
