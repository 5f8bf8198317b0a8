import { Effect } from "effect"
import type { Page } from "@lists-and-things/domain/ports/Storage"
import { searchKey, searchRank } from "@lists-and-things/domain/text/SearchRank"
import { forEachYielding, sortYielding } from "@lists-and-things/domain/scheduling/Yielding"
import { newestFirst } from "@lists-and-things/domain/model/Ids"
import { pageOf } from "./Order.ts"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

/**
 * The items that match the query, in the order of `SearchRank`, then `updated` descending, then id descending. Yields
 * to other fibers, since it checks every item; `items` must not change meanwhile.
 */
export const ranked = <A extends { readonly id: string; readonly updated: EpochMillis }>(
  items: Iterable<A>,
  formsOf: (item: A) => ReadonlyArray<string>,
  query: string,
  limit: number
): Effect.Effect<Page<A>> =>
  Effect.gen(function* () {
    const key = searchKey(query)
    const newest = newestFirst("updated")
    const matches: Array<{ readonly item: A; readonly rank: number }> = []
    yield* forEachYielding(items, (item) => {
      const rank = searchRank(formsOf(item), key)
      if (rank !== undefined) matches.push({ item, rank })
    })
    const ordered = yield* sortYielding(matches, (a, b) => a.rank - b.rank || newest(a.item, b.item))
    const { hasMore, items: first } = pageOf(ordered, 0, limit)
    return { items: first.map(({ item }) => item), hasMore }
  })
