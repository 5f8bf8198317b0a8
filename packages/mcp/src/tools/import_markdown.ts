import { Effect, Schema } from "effect"
import * as Fields from "@lists-and-things/domain/json/Fields"
import { ImportMarkdownInput } from "@lists-and-things/domain/json/ListInput"
import { ListJson } from "@lists-and-things/domain/json/ListJson"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { shownList } from "../results/ListResult.ts"
import { defineTool, hints } from "../Tool.ts"

const { emoji, markdown } = ImportMarkdownInput.fields

export const importMarkdown = defineTool({
  name: "import_markdown",
  title: "Import markdown",
  description:
    "Creates a list from a markdown document: - [ ] and - [x] become todos, 1. numbered things, - bullets, ## and ### headings; indentation nests. To add to an existing list, use append_markdown.",
  scope: "write:lists",
  operation: "importMarkdown",
  dryRun: true,
  hints: hints.adds,
  input: Schema.Struct({
    markdown,
    title: Schema.optionalKey(
      Fields.Title.annotate({ hint: "Default: the first # heading.", examples: ["Groceries"] })
    ),
    emoji
  }),
  output: Schema.Struct({ list: ListJson, created: Schema.Int, skipped: Schema.Int }),
  handler: Effect.fnUntraced(function* (input) {
    const lists = yield* Lists
    const { list, created, skipped } = yield* lists.importMarkdown(input)
    return { list: yield* shownList(list), created, skipped }
  })
})
