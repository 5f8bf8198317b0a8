import { Effect, Schema } from "effect"
import { notify } from "@lists-and-things/domain/model/CurrentOperation"
import { truncate } from "@lists-and-things/domain/text/Characters"
import * as Fields from "@lists-and-things/domain/json/Fields"
import { SearchJson, searchJson } from "@lists-and-things/domain/json/SearchJson"
import type { ThingJson } from "@lists-and-things/domain/json/ThingJson"
import { runSteps } from "@lists-and-things/domain/scheduling/Yielding"
import { nothingFound, Search } from "@lists-and-things/domain/search/Search"
import { Page } from "../Arguments.ts"
import { callersToday } from "@lists-and-things/domain/days/Day"
import { defaultMaxText, maxPageBytes, NextPage, notifyPageBeyondEnd } from "../results/ListResult.ts"
import { BaseUrl } from "@lists-and-things/web/BaseUrl"
import { ThingResult } from "../results/ThingResult.ts"
import { defineTool, hints } from "../Tool.ts"

export const search = defineTool({
  name: "search",
  title: "Search",
  description:
    "Finds lists by title and things by text (not by note or tag), ignoring case, best matches first, at most 50 of each. Use it to turn a name into an id. Long texts are cut: read a whole one with fetch or get_thing.",
  scope: "search",
  hints: hints.reads,
  input: Schema.Struct({
    query: Fields.Text.annotate({ hint: "Any part of a title or text, matched as one phrase.", examples: ["milk"] }),
    page: Schema.optionalKey(Page)
  }),
  output: Schema.Struct({ ...SearchJson.fields, things: Schema.Array(ThingResult), next_page: NextPage }),
  handler: Effect.fnUntraced(function* ({ query, page = 0 }) {
    const searching = yield* Search
    const site = yield* BaseUrl
    const [result, today] = [yield* searching.search(query), yield* callersToday]
    const found = yield* runSteps(() => searchJson(result, site.url, today))
    if (found.results.length === 0) yield* notify(nothingFound(query))
    const shown = pageOf({ ...found, query: truncate(query, maxQuery), things: found.things.map(cut) }, page)
    if (found.results.length > 0) yield* notifyPageBeyondEnd(page, shown.results)
    return shown
  })
})

/** Characters of the query that the answer repeats. */
const maxQuery = 1_000

/** Bytes of a thing above which its other fields are cut as well. */
const maxThingBytes = 8_000

const cut = (thing: ThingJson): ThingJson => {
  const short = { ...thing, text: truncate(thing.text, defaultMaxText), note: truncate(thing.note, defaultMaxText) }
  if (bytesOf(short) <= maxThingBytes) return short
  return { ...short, url: truncate(thing.url, defaultMaxText), photos: [], tags: thing.tags.slice(0, 10) }
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value)) + 1

/** The results on this page, as many as fit. Each is in `results` and, in its own form, in `lists` or `things`. */
const pageOf = (found: SearchJson, page: number) => {
  const all = [...found.lists, ...found.things]
  const start = startOf(all, found, page)
  const end = startOf(all, found, page + 1)
  const first = found.lists.length
  return {
    ...found,
    lists: found.lists.slice(start, end),
    things: found.things.slice(Math.max(0, start - first), Math.max(0, end - first)),
    results: found.results.slice(start, end),
    ...(end < all.length && { next_page: `Call search with page ${page + 1} and the same query.` })
  }
}

const startOf = (all: ReadonlyArray<unknown>, { results }: SearchJson, page: number): number => {
  let number = 0
  let bytes = 0
  for (const [at, item] of all.entries()) {
    if (number === page && bytes === 0) return at
    const size = bytesOf(item) + bytesOf(results[at])
    if (bytes > 0 && bytes + size > maxPageBytes) {
      number++
      bytes = 0
      if (number === page) return at
    }
    bytes += size
  }
  return all.length
}
