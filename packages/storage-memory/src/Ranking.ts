import type { Page } from "@lists-and-things/domain/ports/Storage"
import { searchKey, searchRank } from "@lists-and-things/domain/search/SearchRank"
import { newestFirst, pageOf } from "./Order.ts"

/** What matches the query in the order of `SearchRank`, then `updated` descending, then id descending. */
export const ranked = <A extends { readonly id: string; readonly updated: number }>(
  items: Iterable<A>,
  formsOf: (item: A) => ReadonlyArray<string>,
  query: string,
  limit: number
): Page<A> => {
  const key = searchKey(query)
  const newest = newestFirst("updated")
  const matches = []
  for (const item of items) {
    const rank = searchRank(formsOf(item), key)
    if (rank !== undefined) matches.push({ item, rank })
  }
  matches.sort((a, b) => a.rank - b.rank || newest(a.item, b.item))
  return pageOf(
    matches.map(({ item }) => item),
    0,
    limit
  )
}
