import { type AccountId, isIdForm } from "@lists-and-things/domain/model/Ids"
import { writeTimestampOf } from "@lists-and-things/domain/model/Operation"
import type { Stored } from "@lists-and-things/domain/ports/Storage"
import { Effect } from "effect"
import type { WriteClocks } from "../accounts/WriteClocks.ts"
import { firstChunk } from "../Chunks.ts"
import type { LockMode } from "../connection/Batcher.ts"
import type { Params } from "../connection/ConnectionPool.ts"
import type { Database } from "../connection/Database.ts"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

/** Accounts with an operation to remove. */
const outdated = `select w.owner_id from write_clocks w where exists (
    select from operations o where o.owner_id = w.owner_id and o.stamp <= $1
      and o.stamp < (select max(n.stamp) from operations n where n.owner_id = w.owner_id)
  ) order by w.owner_id limit $2`

/** An operation `o` with the bytes of its images. */
const sized = `o.stamp, coalesce((
    select sum(i.bytes) from operation_images i where i.owner_id = $1 and i.stamp = o.stamp
  ), 0) as bytes`

/** The CTE `old`: the first operations, in the order of their stamps. */
const old = (operations: string, where = "true"): string =>
  `old as materialized (select f.stamp, f.bytes from (${firstChunk(operations, "stamp")}) as f where ${where})`

const outdatedOperations = `select ${sized} from operations o where o.owner_id = $1 and o.stamp <= $2
    and o.stamp < (select max(n.stamp) from operations n where n.owner_id = $1)
  order by o.stamp limit $3`

/** The bytes of images are subtracted where the images are removed. */
const prune = `with ${old(outdatedOperations)}, images as (
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
  update operations o set has_images = false from old where o.owner_id = $1 and o.stamp = old.stamp returning o.stamp::float8`

const overLimit = "select w.owner_id from write_clocks w where w.image_bytes > $1 order by w.owner_id limit $2"

const imagedOperations = `select i.stamp, sum(i.bytes) as bytes from operation_images i
  where i.owner_id = $1 and i.bytes > 0 group by i.stamp order by i.stamp limit $3`

/** The operations whose images come first, until what follows fits. */
const pruneImages = `with ${old(
  imagedOperations,
  "(select w.image_bytes from write_clocks w where w.owner_id = $1) - f.before > $2"
)}, ${dropImages}`

/** Operations per transaction at most: few enough that no other write waits for long. */
const eraseSize = 500

const erase = (where: string): string =>
  `with ${old(`select ${sized} from operations o
    where o.owner_id = $1 and o.has_images and ${where} order by o.stamp limit ${eraseSize}`)}, ${dropImages}`

const eraseBetween = erase("o.stamp > $2::bigint and o.stamp < $3::bigint")
const eraseOne = erase("o.stamp = $2::bigint and o.id = $3::uuid")

export const makePruning = (db: Database["Service"], clocks: WriteClocks["Service"]) => {
  /** Under the lock of the account; nothing where the lock is not to be had. */
  const locked = (owner: AccountId, mode: LockMode, statement: string, params: Params) =>
    db.transaction(
      Effect.flatMap(clocks.lock(owner, mode), (isLocked) =>
        isLocked ? db.write(statement, [owner, ...params]) : Effect.succeed([])
      )
    )

  /** One account after the other, each in chunks, so that none is locked for long; contended ones are skipped. */
  const ofEach = Effect.fnUntraced(function* (owners: string, statement: string, limit: number, max: number) {
    let removed = 0
    for (const row of yield* db.readLong(owners, [limit, max])) {
      let gone = 1
      while (gone > 0 && removed < max) {
        gone = (yield* locked(row.owner_id as AccountId, "skip", statement, [limit, max - removed])).length
        removed += gone
      }
    }
    return removed
  })

  /** In chunks, so that requests of the account run in between. */
  const eraseBefore = Effect.fnUntraced(function* (owner: AccountId, before: EpochMillis) {
    let [erased, after, isDone] = [0, -1, false]
    while (!isDone) {
      const stamps = (yield* locked(owner, "wait", eraseBetween, [after, before])).map(({ stamp }) => stamp as number)
      erased += stamps.length
      after = Math.max(after, ...stamps)
      isDone = stamps.length === 0
    }
    return erased
  })

  return {
    prune: (notAfter: EpochMillis, max: number): Stored<number> => ofEach(outdated, prune, notAfter, max),
    pruneImages: (bytes: number, max: number): Stored<number> => ofEach(overLimit, pruneImages, bytes, max),
    erase: (
      owner: AccountId,
      which: { readonly operation: string } | { readonly before: EpochMillis }
    ): Stored<number> => {
      if (!isIdForm(owner)) return Effect.succeed(0)
      if ("before" in which) return eraseBefore(owner, which.before)
      const at = writeTimestampOf(which.operation)
      return at === undefined
        ? Effect.succeed(0)
        : Effect.map(locked(owner, "wait", eraseOne, [at, which.operation]), (rows) => rows.length)
    }
  }
}
