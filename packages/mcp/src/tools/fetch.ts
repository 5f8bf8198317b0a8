import { Effect, Schema } from "effect"
import { exampleIds } from "@lists-and-things/domain/json/Described"
import { DocumentJson, documentJson } from "@lists-and-things/domain/json/SearchJson"
import { runSteps } from "@lists-and-things/domain/scheduling/Yielding"
import { Search } from "@lists-and-things/domain/search/Search"
import { BaseUrl } from "@lists-and-things/web/BaseUrl"
import { idLike, Page } from "../Arguments.ts"
import { maxPageBytes, NextPage, notifyPageBeyondEnd } from "../results/ListResult.ts"
import { textPage } from "../results/TextPages.ts"
import { defineTool, hints } from "../Tool.ts"

export const fetchDocument = defineTool({
  name: "fetch",
  title: "Fetch",
  description:
    "Returns a list or a thing, by an id from search, as a plain-text document; a long one in pages. For the ids of a list's things, use get_list.",
  scope: "read:things",
  hints: hints.reads,
  input: Schema.Struct({
    id: idLike(exampleIds.list),
    page: Schema.optionalKey(Page)
  }),
  output: Schema.Struct({ ...DocumentJson.fields, next_page: NextPage }),
  handler: Effect.fnUntraced(function* ({ id, page = 0 }) {
    const search = yield* Search
    const site = yield* BaseUrl
    const document = documentJson(yield* search.fetch(id), site.url)
    const { hasMore, text } = yield* runSteps(() => textPage(document.text, page, maxPageBytes))
    yield* notifyPageBeyondEnd(page, text)
    return {
      ...document,
      text,
      metadata: { ...document.metadata, tags: fittingTags(document.metadata.tags) },
      ...(hasMore && { next_page: `Call fetch with ${JSON.stringify({ id: document.id, page: page + 1 })}.` })
    }
  })
})

/** Bytes of the tags of a document; a list can have any number of tags. */
const maxTagBytes = 8_000

const fittingTags = (tags: ReadonlyArray<string>): ReadonlyArray<string> => {
  let bytes = 0
  const end = tags.findIndex((tag) => (bytes += Buffer.byteLength(JSON.stringify(tag)) + 1) > maxTagBytes)
  return end === -1 ? tags : tags.slice(0, end)
}
