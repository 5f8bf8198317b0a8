import { Effect } from "effect"
import type { EpochMillis } from "../model/EpochMillis.ts"
import { newestFirst } from "../model/Ids.ts"
import { forEachYielding, sortYielding } from "../scheduling/Yielding.ts"
import { searchKey, searchRank } from "../text/SearchRank.ts"

/**
 * The items that match the query, in the order of `SearchRank`, then `updated` descending, then id descending. Yields
 * to other fibers, since it checks every item; `items` must not change meanwhile.
 */
export const ranked = <A extends { readonly id: string; readonly updated: EpochMillis }>(
  items: Iterable<A>,
  formsOf: (item: A) => ReadonlyArray<string>,
  query: string
): Effect.Effect<ReadonlyArray<A>> =>
  Effect.gen(function* () {
    const key = searchKey(query)
    const newest = newestFirst("updated")
    const matches: Array<{ readonly item: A; readonly rank: number }> = []
    yield* forEachYielding(items, (item) => {
      const rank = searchRank(formsOf(item), key)
      if (rank !== undefined) matches.push({ item, rank })
    })
    const ordered = yield* sortYielding(matches, (a, b) => a.rank - b.rank || newest(a.item, b.item))
    return ordered.map(({ item }) => item)
  })
