import { Schema } from "effect"
import type { Document } from "../markdown/Document.ts"
import { thingTitle } from "../markdown/Document.ts"
import { caps } from "../model/Caps.ts"
import type { Steps } from "../scheduling/Yielding.ts"
import type { SearchResult } from "../search/Search.ts"
import type { LongText } from "../text/LongText.ts"
import { Count, described } from "./Described.ts"
import { ListJson, listJson } from "./ListJson.ts"
import { ThingJson, thingJson } from "./ThingJson.ts"

/** The address of an item in the web app (docs/decisions.md#names); `siteUrl` has no trailing slash. */
const listUrl = (siteUrl: string, id: string): string => `${siteUrl}/lists/${id}`
const thingUrl = (siteUrl: string, id: string): string => `${siteUrl}/things/${id}`

const SearchEntryJson = Schema.Struct({
  id: described(Schema.String, "The id of a list or a thing."),
  title: described(Schema.String, "The list's title, or the thing's text without markup on one line."),
  url: described(Schema.String, "Its page in the web app.")
})

/** What a search found. */
export const foundFields = <L extends Schema.Top, T extends Schema.Top>(list: L, thing: T) => ({
  lists: described(Schema.Array(list), "Lists whose title contains the query, best matches first."),
  things: described(Schema.Array(thing), "Things whose text contains the query, best matches first.")
})

/** The answer of `GET /search`. */
export const SearchJson = Schema.Struct({
  query: described(Schema.String, "The query as it was sent."),
  ...foundFields(ListJson, ThingJson),
  results: described(Schema.Array(SearchEntryJson), "The same lists and then the same things, in short form."),
  limit: described(Count, "The largest number of lists, and of things, in a result."),
  has_more: described(Schema.Boolean, "Whether there are more lists or more things."),
  lists_has_more: described(Schema.Boolean, "Whether there are more lists."),
  things_has_more: described(Schema.Boolean, "Whether there are more things.")
})
export type SearchJson = typeof SearchJson.Type

/** `siteUrl` is without a trailing slash; `today` is the date in the owner's zone (`listJson`). */
export function* searchJson(result: SearchResult, siteUrl: string, today: string): Steps<SearchJson> {
  const results: Array<SearchJson["results"][number]> = result.lists.map(({ id, title }) => ({
    id,
    title,
    url: listUrl(siteUrl, id)
  }))
  for (const thing of result.things) {
    results.push({ id: thing.id, title: thingTitle(thing), url: thingUrl(siteUrl, thing.id) })
    yield
  }
  return {
    query: result.query,
    lists: result.lists.map((list) => listJson(list, today)),
    things: result.things.map((thing) => thingJson(thing)),
    results,
    limit: caps.searchResults,
    has_more: result.listsHasMore || result.thingsHasMore,
    lists_has_more: result.listsHasMore,
    things_has_more: result.thingsHasMore
  }
}

/** The answer of `GET /fetch`. */
export const DocumentJson = Schema.Struct({
  id: described(Schema.String, "The id of the list or thing."),
  title: described(Schema.String, "The list's title, or the thing's text without markup on one line."),
  text: described(
    Schema.String,
    "Plain text. A list has one thing per line, indented by two spaces per level, with notes indented below."
  ),
  url: described(Schema.String, "Its page in the web app."),
  metadata: described(
    Schema.Struct({
      kind: described(Schema.Literals(["list", "thing"]), "Whether it is a list or a thing."),
      list_id: described(Schema.String, "The id of the list itself, or of the list that holds the thing."),
      type: described(Schema.String, "`list`, or the type of the thing."),
      tags: described(Schema.Array(Schema.String), "The tags of the thing, or of all things of the list.")
    }),
    "Facts that the text does not contain."
  )
})
export type DocumentJson = typeof DocumentJson.Type

export const documentJson = (
  document: Document,
  siteUrl: string
): Omit<DocumentJson, "text"> & { readonly text: LongText } => ({
  id: document.id,
  title: document.title,
  text: document.text,
  url: (document.kind === "list" ? listUrl : thingUrl)(siteUrl, document.id),
  metadata: { kind: document.kind, list_id: document.listId, type: document.type, tags: document.tags }
})

/** The answer of `GET /tags`. */
export const TagsJson = Schema.Struct({
  tags: described(
    Schema.Array(
      Schema.Struct({
        name: described(Schema.String, "The tag's name in its most recent spelling, without `#`."),
        count: described(Count, "How many things have the tag."),
        color: described(Schema.String, "`#rrggbb`, derived from the name.")
      })
    ),
    "Most used first."
  )
})
