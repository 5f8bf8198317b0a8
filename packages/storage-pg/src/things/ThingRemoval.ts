import type { Row } from "@effect/sql-pg/PgConnection"
import { isIdForm, type ListId } from "@lists-and-things/domain/model/Ids"
import type { ThingsOutline } from "@lists-and-things/domain/ports/ThingStore"
import { type Change, changing } from "../history/Recorder.ts"
import { things } from "../Tables.ts"
import { bytesOf, counted, goneChange, goneChangeOf } from "./Counting.ts"

const those = "t.id = any ($2::uuid[])"
const theirReminders = "r.thing_id = any ($2::uuid[])"
const orphaned = "t.clone_of = any ($2::uuid[]) and t.id <> all ($2::uuid[])"
const count = "select count(*)::int4 as count from gone"

const oneByOne = changing(
  2,
  ({ imaged }) => ({
    recorded: [imaged("thing", those), imaged("reminder", theirReminders), imaged("thing", orphaned)],
    writes: [
      {
        with: [
          `orphans as (update things t set clone_of = null where t.owner_id = $1 and ${orphaned})`,
          goneChange(those),
          ...counted,
          `gone as (delete from things t where t.owner_id = $1 and ${those} returning 1)`
        ],
        sql: count
      }
    ]
  }),
  { removes: true, removesAllOf: 2 }
)

const columns = things.columns.map((name) => `t.${name}`).join(", ")

const inOneStatement = changing(
  2,
  ({ imageOf, imaged, imagedFrom }) => ({
    reads: [
      `gone as (
        delete from things t where t.owner_id = $1 and ${those}
        returning t.id, t.list_id, t.has_clones, ${bytesOf("t")} as bytes, ${imageOf(columns)} as image)`,
      `orphaned as materialized (
        select t.id, ${imageOf(columns)} as image from things t
        where t.owner_id = $1 and t.clone_of = any (array(select g.id from gone g where g.has_clones))
          and t.id <> all ($2::uuid[]))`
    ],
    recorded: [imagedFrom("thing", "gone"), imaged("reminder", theirReminders), imagedFrom("thing", "orphaned")],
    writes: [
      {
        with: [
          `orphans as (update things t set clone_of = null
            where t.owner_id = $1 and t.id = any (array(select o.id from orphaned o)))`,
          goneChangeOf("gone"),
          ...counted
        ],
        sql: count
      }
    ]
  }),
  { removes: true, removesAllOf: 2 }
)

/**
 * Removes the things `$2` and what hangs on them. On one server the rows that the deletion returns are what is copied
 * and counted, so that they are looked up once.
 */
export const removeThings: Change = { ...oneByOne, whole: inOneStatement.whole }

/**
 * Of the things `$2`; the texts and urls of the first `$3` in that order, which a lateral join keeps. So no more than those
 * are looked up. The ids of those that exist are returned if some do not.
 */
export const outline = `with found as materialized (
    select t.id, t.list_id, t.clone_of is not null or t.has_clones as has_family from things t
    where t.owner_id = $1 and ${those}
  ), named as materialized (
    select given.n, t.text, t.url from unnest($2::uuid[]) with ordinality as given (id, n) cross join lateral (
      select x.text, x.url from things x where x.owner_id = $1 and x.id = given.id limit 1
    ) as t limit $3::integer
  )
  select count(*)::int4 as count, case when count(*) < cardinality($2::uuid[]) then coalesce(array_agg(f.id), '{}') end as existing,
    array_agg(distinct f.list_id) as lists, bool_or(f.has_family) as has_families,
    (select array_agg(n.text order by n.n) from named n) as texts,
    (select array_agg(n.url order by n.n) from named n) as urls
  from found f`

export const outlineOf = (row: Row, ids: ReadonlyArray<string>): ThingsOutline => {
  const existing = new Set((row.existing ?? ids.filter(isIdForm)) as ReadonlyArray<string>)
  const urls = (row.urls ?? []) as ReadonlyArray<string>
  return {
    count: row.count as number,
    lists: (row.lists ?? []) as ReadonlyArray<ListId>,
    hasFamilies: row.has_families === true,
    first: ((row.texts ?? []) as ReadonlyArray<string>).map((text, at) => ({ text, url: urls[at]! })),
    missing: [...new Set(ids)].filter((id) => !existing.has(id))
  }
}
