import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import type { Page } from "@lists-and-things/domain/ports/Storage"
import { searchKey } from "@lists-and-things/domain/text/SearchRank"
import { ranked } from "@lists-and-things/domain/search/Ranking"
import { Effect } from "effect"
import type { Params } from "../connection/ConnectionPool.ts"
import { pageOf } from "../Paging.ts"
import { searchTerms } from "./SearchText.ts"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

/** A table with a `search` column; `columns` refer to the table by `alias`. */
interface Source {
  readonly table: string
  readonly alias: string
  readonly columns: string
  /** What else must hold of a row that `alias` names. */
  readonly where?: string
}

interface Searched<A> extends Source {
  readonly read: (sql: string, params: Params) => Effect.Effect<ReadonlyArray<A>, StorageUnavailable>
  readonly formsOf: (item: A) => ReadonlyArray<string>
}

/** Distance between two ranks in a sort key: larger than any time, and three times that fits a `bigint`. */
const step = 1_000_000_000_000_000_000n

/**
 * Ranks the ids first, so that only rows of the answer are read in full. Rank and time form one number, since every
 * match is compared by it: sorting by two columns takes twice as long. Where most rows match, `like` is faster than
 * `strpos`, which counts the characters before the match; where few match, it is slower.
 */
const rankedSql = (
  { table, alias, columns, where = "true" }: Source,
  condition: string
): string => `with matches as materialized (
    select id, updated + case
      when strpos(search, $4) > 0 then case when strpos(search, $3) > 0 then ${3n * step} else ${2n * step} end
      when search like $5 then ${step} else 0 end as key
    from ${table} ${alias} where owner_id = $1 and ${condition} and ${where}
    order by key desc, id desc limit $6)
  select ${columns} from matches m join ${table} ${alias} on ${alias}.owner_id = $1 and ${alias}.id = m.id
  order by m.key desc, m.id desc`

/** Matches of the query, ordered by `SearchRank`, then `updated` descending, then id descending; at most `limit`. */
export const search = <A extends { readonly updated: EpochMillis; readonly id: string }>(
  owner: string,
  searched: Searched<A>,
  query: string,
  limit: number
): Effect.Effect<Page<A>, StorageUnavailable> => {
  const terms = searchTerms(searchKey(query))
  const condition = terms.pattern === undefined ? "strpos(search, $2) > 0" : "search like $2"
  if (!terms.inexact) {
    const params = [owner, terms.pattern ?? terms.anywhere, terms.exact, terms.prefix, terms.word, limit + 1]
    return Effect.map(searched.read(rankedSql(searched, condition), params), (items) => pageOf(items, limit))
  }
  const { table, alias, columns, where = "true" } = searched
  const candidates = `select ${columns} from ${table} ${alias} where ${alias}.owner_id = $1 and strpos(search, $2) > 0 and ${where}`
  return searched.read(candidates, [owner, terms.anywhere]).pipe(
    Effect.flatMap((items) => ranked(items, searched.formsOf, query)),
    Effect.map((items) => pageOf(items, limit))
  )
}
