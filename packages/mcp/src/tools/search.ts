import { Effect, Schema } from "effect"
import { truncate } from "@lists-and-things/domain/text/Characters"
import * as Fields from "@lists-and-things/domain/json/Fields"
import { SearchJson, searchJson } from "@lists-and-things/domain/json/SearchJson"
import { Search } from "@lists-and-things/domain/search/Search"
import { defaultMaxText, today } from "../results/ListResult.ts"
import { BaseUrl } from "@lists-and-things/web/BaseUrl"
import { ThingResult } from "../results/ThingResult.ts"
import { defineTool, hints } from "../Tool.ts"

export const search = defineTool({
  name: "search",
  title: "Search",
  description:
    "Lists by title and things by text, ignoring case, best matches first; at most 50 of each. Turns a name into an id. Long texts are cut: read one whole with fetch or get_thing.",
  scope: "search",
  hints: hints.reads,
  input: Schema.Struct({ query: Fields.Text.annotate({ hint: "Any part of a title or text." }) }),
  output: Schema.Struct({ ...SearchJson.fields, things: Schema.Array(ThingResult) }),
  handler: Effect.fnUntraced(function* ({ query }) {
    const searching = yield* Search
    const site = yield* BaseUrl
    const found = searchJson(yield* searching.search(query), site.url, yield* today)
    const things = found.things.map((thing) => ({
      ...thing,
      text: truncate(thing.text, defaultMaxText),
      note: truncate(thing.note, defaultMaxText)
    }))
    return { ...found, things }
  })
})
