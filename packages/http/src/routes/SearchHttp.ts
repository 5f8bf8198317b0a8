import { Effect } from "effect"
import { callersToday } from "@lists-and-things/domain/days/Day"
import { documentJson, searchJson } from "@lists-and-things/domain/json/SearchJson"
import { runSteps } from "@lists-and-things/domain/scheduling/Yielding"
import { Search } from "@lists-and-things/domain/search/Search"
import { Tags } from "@lists-and-things/domain/tags/Tags"
import type { Operations } from "./Handlers.ts"
import { serve } from "./Serve.ts"

/** See docs/contract.md#search-fetch-tags. */
const operations = (siteUrl: string) =>
  Effect.gen(function* () {
    const search = yield* Search
    const tags = yield* Tags
    return {
      search: ({ query }) =>
        Effect.flatMap(Effect.all([search.search(query.query ?? query.q ?? ""), callersToday]), ([found, date]) =>
          runSteps(() => searchJson(found, siteUrl, date))
        ),
      fetchDocument: ({ query }) => Effect.map(search.fetch(query.id), (document) => documentJson(document, siteUrl)),
      listTags: () =>
        Effect.map(tags.list, (found) => ({ tags: found.map(({ color, count, name }) => ({ name, count, color })) }))
    } satisfies Operations<"search">
  })

/** `siteUrl` is the prefix of the items' URLs. */
export const layer = (siteUrl: string) => serve("search", operations(siteUrl))
