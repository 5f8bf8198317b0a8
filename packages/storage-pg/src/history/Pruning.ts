import { type AccountId, isIdForm } from "@lists-and-things/domain/model/Ids"
import { writeTimestampOf } from "@lists-and-things/domain/model/Operation"
import type { Stored } from "@lists-and-things/domain/ports/Storage"
import { Effect } from "effect"
import type { WriteClocks } from "../accounts/WriteClocks.ts"
import type { LockMode } from "../connection/Batcher.ts"
import type { Params } from "../connection/ConnectionPool.ts"
import type { Database } from "../connection/Database.ts"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

/** Accounts with an operation to remove. */
const outdated = `select w.owner_id from write_clocks w where exists (
    select from operations o where o.owner_id = w.owner_id and o.stamp <= $1
      and o.stamp < (select max(n.stamp) from operations n where n.owner_id = w.owner_id)
  ) order by w.owner_id limit $2`

/** The bytes of images are subtracted where the images are removed. */
const prune = `with old as materialized (
    select o.stamp from operations o where o.owner_id = $1 and o.stamp <= $2
      and o.stamp < (select max(n.stamp) from operations n where n.owner_id = $1)
    order by o.stamp limit $3
  ), images as (
    delete from operation_images i using old where i.owner_id = $1 and i.stamp = old.stamp returning i.bytes
  ), moved as (
    update write_clocks w set history_from = greatest(w.history_from, o.stamp), image_bytes = w.image_bytes - o.bytes
    from (select max(old.stamp) as stamp, coalesce((select sum(i.bytes) from images i), 0) as bytes from old) as o
    where w.owner_id = $1 and o.stamp is not null
  )
  delete from operations o using old where o.owner_id = $1 and o.stamp = old.stamp returning 1`

/** For the operations of a CTE `old`. */
const dropImages = `dropped as (
    update operation_images i set images = null, bytes = 0 from old where i.owner_id = $1 and i.stamp = old.stamp
  ), counted as (
    update write_clocks w set image_bytes = w.image_bytes - o.bytes
    from (select sum(bytes) as bytes from old) as o where w.owner_id = $1 and o.bytes is not null
  )
  update operations o set has_images = false from old where o.owner_id = $1 and o.stamp = old.stamp returning 1`

const overLimit = "select w.owner_id from write_clocks w where w.image_bytes > $1 order by w.owner_id limit $2"

/** The operations whose images come first, until what follows fits. */
const pruneImages = `with old as materialized (
    select s.stamp, s.bytes from (
      select i.stamp, i.bytes, sum(i.bytes) over (order by i.stamp) - i.bytes as before from (
        select i.stamp, sum(i.bytes) as bytes from operation_images i
        where i.owner_id = $1 and i.bytes > 0 group by i.stamp
      ) as i
    ) as s where (select w.image_bytes from write_clocks w where w.owner_id = $1) - s.before > $2
    order by s.stamp limit $3
  ), ${dropImages}`

const erase = (where: string): string => `with old as materialized (
    select o.stamp, coalesce(sum(i.bytes), 0) as bytes from operations o
    left join operation_images i on i.owner_id = $1 and i.stamp = o.stamp
    where o.owner_id = $1 and o.has_images and ${where} group by o.stamp
  ), ${dropImages}`

const eraseBefore = erase("o.stamp < $2::bigint")
const eraseOne = erase("o.stamp = $2::bigint and o.id = $3::uuid")

export const makePruning = (db: Database["Service"], clocks: WriteClocks["Service"]) => {
  /** Under the lock of the account; nothing where the lock is not to be had. Returns how many rows it returns. */
  const locked = (owner: AccountId, mode: LockMode, statement: string, params: Params): Stored<number> =>
    db.transaction(
      Effect.flatMap(clocks.lock(owner, mode), (isLocked) =>
        isLocked ? Effect.map(db.write(statement, [owner, ...params]), (rows) => rows.length) : Effect.succeed(0)
      )
    )

  /** One account after the other, so that none is locked for longer than its own rows take; contended ones are skipped. */
  const ofEach = Effect.fnUntraced(function* (owners: string, statement: string, limit: number, max: number) {
    let removed = 0
    for (const row of yield* db.readLong(owners, [limit, max])) {
      if (removed >= max) break
      removed += yield* locked(row.owner_id as AccountId, "skip", statement, [limit, max - removed])
    }
    return removed
  })

  return {
    prune: (notAfter: EpochMillis, max: number): Stored<number> => ofEach(outdated, prune, notAfter, max),
    pruneImages: (bytes: number, max: number): Stored<number> => ofEach(overLimit, pruneImages, bytes, max),
    erase: (
      owner: AccountId,
      which: { readonly operation: string } | { readonly before: EpochMillis }
    ): Stored<number> => {
      if (!isIdForm(owner)) return Effect.succeed(0)
      if ("before" in which) return locked(owner, "wait", eraseBefore, [which.before])
      const at = writeTimestampOf(which.operation)
      return at === undefined ? Effect.succeed(0) : locked(owner, "wait", eraseOne, [at, which.operation])
    }
  }
}
