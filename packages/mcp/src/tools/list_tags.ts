import { Effect, Schema } from "effect"
import { TagsJson } from "@lists-and-things/domain/json/SearchJson"
import { Tags } from "@lists-and-things/domain/tags/Tags"
import { fitting } from "../results/Fitting.ts"
import { defineTool, hints } from "../Tool.ts"

export const listTags = defineTool({
  name: "list_tags",
  title: "List tags",
  description:
    "Returns every tag with the number of things that have it, most used first. list_things with tag returns those things.",
  scope: "read:things",
  hints: hints.reads,
  input: Schema.Struct({}),
  output: TagsJson,
  handler: Effect.fnUntraced(function* () {
    const tags = yield* Tags
    return { tags: yield* fitting(yield* tags.list, "tags") }
  })
})
