import { Effect } from "effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { documentJson, searchJson } from "@lists-and-things/domain/json/SearchJson"
import { Search } from "@lists-and-things/domain/search/Search"
import { Tags } from "@lists-and-things/domain/tags/Tags"
import { Api } from "../api/Api.ts"
import { answer, today } from "./Answer.ts"

/** Contract, "Search, fetch, tags". `siteUrl` is where the addresses of items begin. */
export const layer = (siteUrl: string) =>
  HttpApiBuilder.group(
    Api,
    "search",
    Effect.fnUntraced(function* (handlers) {
      const search = yield* Search
      const tags = yield* Tags

      return handlers
        .handleRaw("search", ({ query }) =>
          answer(Effect.all([search.search(query.query ?? query.q ?? ""), today]), ([found, date]) =>
            searchJson(found, siteUrl, date)
          )
        )
        .handleRaw("fetch", ({ query }) =>
          answer(search.fetch(query.id), (document) => documentJson(document, siteUrl))
        )
        .handleRaw("listTags", () =>
          answer(tags.list, (found) => ({ tags: found.map(({ color, count, name }) => ({ name, count, color })) }))
        )
    })
  )
