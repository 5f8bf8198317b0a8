import { type AccountId, isIdForm } from "@lists-and-things/domain/model/Ids"
import { writeTimestampOf } from "@lists-and-things/domain/model/Operation"
import type { Stored } from "@lists-and-things/domain/ports/Storage"
import { Effect } from "effect"
import type { Database } from "../connection/Database.ts"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

/**
 * Accounts with an operation to remove, which are locked; contended ones are left for a later run. The bytes of images
 * are subtracted where the images are removed.
 */
const prune = `with account as materialized (
    select a.id from accounts a where exists (
      select from operations o where o.owner_id = a.id and o.stamp <= $1
        and o.stamp < (select max(n.stamp) from operations n where n.owner_id = a.id)
    ) order by a.id limit $2 for no key update skip locked
  ), old as materialized (
    select o.owner_id, o.stamp from account a cross join lateral (
      select o.owner_id, o.stamp from operations o where o.owner_id = a.id and o.stamp <= $1
        and o.stamp < (select max(n.stamp) from operations n where n.owner_id = a.id)
      order by o.stamp limit $2
    ) as o limit $2
  ), images as (
    delete from operation_images i using old where i.owner_id = old.owner_id and i.stamp = old.stamp
    returning i.owner_id, i.bytes
  ), moved as (
    update accounts a set history_from = greatest(a.history_from, o.stamp), image_bytes = a.image_bytes - o.bytes
    from (
      select old.owner_id, max(old.stamp) as stamp,
        coalesce((select sum(i.bytes) from images i where i.owner_id = old.owner_id), 0) as bytes
      from old group by old.owner_id
    ) as o where a.id = o.owner_id
  )
  delete from operations o using old where o.owner_id = old.owner_id and o.stamp = old.stamp returning 1`

/** For the accounts and operations of a CTE \`old\`. */
const dropImages = `dropped as (
    update operation_images i set images = null, bytes = 0 from old
    where i.owner_id = old.owner_id and i.stamp = old.stamp
  ), counted as (
    update accounts a set image_bytes = a.image_bytes - o.bytes
    from (select owner_id, sum(bytes) as bytes from old group by owner_id) as o where a.id = o.owner_id
  )
  update operations o set has_images = false from old where o.owner_id = old.owner_id and o.stamp = old.stamp
  returning 1`

/** Of each account over the limit, the operations whose images come first, until what follows fits. */
const pruneImages = `with account as materialized (
    select a.id, a.image_bytes from accounts a where a.image_bytes > $1 order by a.id limit $2
    for no key update skip locked
  ), old as materialized (
    select o.owner_id, o.stamp, o.bytes from account a cross join lateral (
      select s.owner_id, s.stamp, s.bytes from (
        select i.owner_id, i.stamp, i.bytes, sum(i.bytes) over (order by i.stamp) - i.bytes as before from (
          select i.owner_id, i.stamp, sum(i.bytes) as bytes from operation_images i
          where i.owner_id = a.id and i.bytes > 0 group by i.owner_id, i.stamp
        ) as i
      ) as s where a.image_bytes - s.before > $1 order by s.stamp limit $2
    ) as o limit $2
  ), ${dropImages}`

const erase = (where: string): string => `with account as materialized (
    select a.id from accounts a where a.id = $1 for no key update
  ), old as materialized (
    select o.owner_id, o.stamp, coalesce(sum(i.bytes), 0) as bytes from account a
    join operations o on o.owner_id = a.id left join operation_images i on i.owner_id = $1 and i.stamp = o.stamp
    where o.owner_id = $1 and o.has_images and ${where} group by o.owner_id, o.stamp
  ), ${dropImages}`

const eraseBefore = erase("o.stamp < $2::bigint")
const eraseOne = erase("o.stamp = $2::bigint and o.id = $3::uuid")

export const makePruning = (db: Database["Service"]) => {
  const count = (rows: ReadonlyArray<unknown>): number => rows.length
  return {
    prune: (notAfter: EpochMillis, most: number): Stored<number> =>
      Effect.map(db.write(prune, [notAfter, most]), count),
    pruneImages: (bytes: number, most: number): Stored<number> =>
      Effect.map(db.write(pruneImages, [bytes, most]), count),
    erase: (
      owner: AccountId,
      which: { readonly operation: string } | { readonly before: EpochMillis }
    ): Stored<number> => {
      if ("before" in which) return Effect.map(db.write(eraseBefore, [owner, which.before]), count)
      const at = writeTimestampOf(which.operation)
      return at === undefined || !isIdForm(owner)
        ? Effect.succeed(0)
        : Effect.map(db.write(eraseOne, [owner, at, which.operation]), count)
    }
  }
}
