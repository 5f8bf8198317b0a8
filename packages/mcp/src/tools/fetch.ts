import { Effect, Schema } from "effect"
import * as Fields from "@lists-and-things/domain/json/Fields"
import { DocumentJson, documentJson } from "@lists-and-things/domain/json/SearchJson"
import { Search } from "@lists-and-things/domain/search/Search"
import { BaseUrl } from "@lists-and-things/web/BaseUrl"
import { defineTool, hints } from "../Tool.ts"

export const fetchDocument = defineTool({
  name: "fetch",
  title: "Fetch",
  description:
    "A list or a thing, by an id from search, as one plain-text document. To work with ids of things, use get_list.",
  scope: "read:things",
  hints: hints.reads,
  input: Schema.Struct({ id: Fields.IdText }),
  output: DocumentJson,
  handler: Effect.fnUntraced(function* ({ id }) {
    const search = yield* Search
    const site = yield* BaseUrl
    return documentJson(yield* search.fetch(id), site.url)
  })
})
