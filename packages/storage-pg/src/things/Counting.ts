/**
 * SQL that maintains `thing_count` and `content_bytes` of lists and accounts (ADR 40), the latter in `write_clocks`. Every
 * statement that writes things lists its differences in a CTE `change` of `list_id`, `things` and `bytes`, which `counted`
 * adds.
 */

/** SQL for `sizeOf` of a row, in bytes. */
export const bytesOf = (alias: string): string =>
  `(octet_length(${alias}.text) + octet_length(${alias}.note) + octet_length(${alias}.url)
    + octet_length(array_to_string(${alias}.photos || ${alias}.tags, '')))::bigint`

/** CTEs for a statement whose `$1` is the owner. */
export const counted: ReadonlyArray<string> = [
  `counted_lists as (
    update lists l set thing_count = l.thing_count + c.things, content_bytes = l.content_bytes + c.bytes
    from change c where l.owner_id = $1 and l.id = c.list_id and (c.things <> 0 or c.bytes <> 0))`,
  `counted_account as (
    update write_clocks w set thing_count = w.thing_count + c.things, content_bytes = w.content_bytes + c.bytes
    from (select sum(things)::bigint as things, sum(bytes)::bigint as bytes from change) as c
    where w.owner_id = $1 and (c.things <> 0 or c.bytes <> 0))`
]

/** The CTE `change` for a statement that deletes the things that fulfil the condition. */
export const goneChange = (where: string): string => `change as materialized (
    select t.list_id, -count(*) as things, -sum(${bytesOf("t")})::bigint as bytes from things t
    where t.owner_id = $1 and ${where} group by t.list_id)`

/** The same for one whose CTE has list and bytes of each deleted thing. */
export const goneChangeOf = (gone: string): string => `change as materialized (
    select g.list_id, -count(*) as things, -sum(g.bytes)::bigint as bytes from ${gone} g group by g.list_id)`

/**
 * The counters of a list are valid while `counted_at` equals its `updated`, those of an account while it equals its
 * `last_write`. Every write changes these two. A version of this product without counters leaves `counted_at` behind,
 * which causes a recount. `alias` is the table's, `moved` the new value of the column.
 */
export const stillCounted = (alias: string, column: "updated" | "last_write", moved: string): string =>
  `counted_at = case when ${alias}.counted_at = ${alias}.${column} then ${moved} else ${alias}.counted_at end`
