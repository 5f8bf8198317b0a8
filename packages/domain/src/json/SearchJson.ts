import { Schema } from "effect"
import type { Document } from "../markdown/Document.ts"
import { thingTitle } from "../markdown/Document.ts"
import { caps } from "../model/Caps.ts"
import type { SearchResult } from "../search/Search.ts"
import { ListJson, listJson } from "./ListJson.ts"
import { ThingJson, thingJson } from "./ThingJson.ts"

/** The address of an item in the web app (docs/decisions.md#names); `siteUrl` has no trailing slash. */
export const listUrl = (siteUrl: string, id: string): string => `${siteUrl}/lists/${id}`
export const thingUrl = (siteUrl: string, id: string): string => `${siteUrl}/things/${id}`

export const SearchEntryJson = Schema.Struct({ id: Schema.String, title: Schema.String, url: Schema.String })

/** The answer of `GET /search`. */
export const SearchJson = Schema.Struct({
  query: Schema.String,
  lists: Schema.Array(ListJson),
  things: Schema.Array(ThingJson),
  results: Schema.Array(SearchEntryJson),
  limit: Schema.Int,
  has_more: Schema.Boolean,
  lists_has_more: Schema.Boolean,
  things_has_more: Schema.Boolean
})
export type SearchJson = typeof SearchJson.Type

export const searchJson = (result: SearchResult, siteUrl: string, today: string): SearchJson => ({
  query: result.query,
  lists: result.lists.map((list) => listJson(list, today)),
  things: result.things.map((thing) => thingJson(thing)),
  results: [
    ...result.lists.map((list) => ({ id: list.id, title: list.title, url: listUrl(siteUrl, list.id) })),
    ...result.things.map((thing) => ({ id: thing.id, title: thingTitle(thing), url: thingUrl(siteUrl, thing.id) }))
  ],
  limit: caps.searchResults,
  has_more: result.listsHasMore || result.thingsHasMore,
  lists_has_more: result.listsHasMore,
  things_has_more: result.thingsHasMore
})

/** The answer of `GET /fetch`. */
export const DocumentJson = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  text: Schema.String,
  url: Schema.String,
  metadata: Schema.Struct({
    kind: Schema.Literals(["list", "thing"]),
    list_id: Schema.String,
    type: Schema.String,
    tags: Schema.Array(Schema.String)
  })
})
export type DocumentJson = typeof DocumentJson.Type

export const documentJson = (document: Document, siteUrl: string): DocumentJson => ({
  id: document.id,
  title: document.title,
  text: document.text,
  url: (document.kind === "list" ? listUrl : thingUrl)(siteUrl, document.id),
  metadata: { kind: document.kind, list_id: document.listId, type: document.type, tags: document.tags }
})

/** The answer of `GET /tags`. */
export const TagsJson = Schema.Struct({
  tags: Schema.Array(Schema.Struct({ name: Schema.String, count: Schema.Int, color: Schema.String }))
})
