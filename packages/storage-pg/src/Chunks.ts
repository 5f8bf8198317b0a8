import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { Effect, identity } from "effect"
import type { Params } from "./connection/ConnectionPool.ts"
import type { Database } from "./connection/Database.ts"

/** Bytes that one statement deletes: few enough that it ends well within the statement timeout, whatever the rows hold. */
export const chunkBytes = 64 * 2 ** 20

/**
 * The first of `rows` by their column `key`, until they have `chunkBytes` of their column `bytes` together; at least one
 * if there are any. `before` is what those before a row have.
 */
export const firstChunk = (rows: string, key: string): string => `select c.* from (
    select r.*, sum(r.bytes) over (order by r.${key} rows unbounded preceding) - r.bytes as before from (${rows}) as r
  ) as c where c.before < ${chunkBytes}`

/** Rows that one statement changes at most: few enough that it ends well within the statement timeout. */
export const rowsPerChunk = 2_000

type Columns = ReadonlyArray<readonly [column: string, type: string]>

interface Chunked {
  readonly table: string
  /** Whose rows: the columns of an index that the first parameters name, with their types. */
  readonly of: Columns
  /** The columns behind those of the index, in the order of which rows are read, with the types of the cursor. */
  readonly order: Columns
  /** A condition on a row `d`. Names the parameters behind those of `of` and the cursor. */
  readonly only: string
  readonly change: string
}

/**
 * Changes the first rows after a cursor, the parameters behind those of `of`, which is the key of the last one in that
 * order. Answers a row with how many were found and changed and the next cursor, or none.
 */
export const chunkStatement = ({ change, of, only, order, table }: Chunked): string => {
  const columns = order.map(([column]) => `d.${column}`)
  const owned = of.map(([column, type], nth) => `d.${column} = $${nth + 1}::${type}`)
  const after = order.map(([, type], nth) => `$${of.length + nth + 1}::${type}`)
  const first = `select d.ctid, ${columns.join(", ")} from ${table} d
    where ${owned.join(" and ")} and (${columns.join(", ")}) > (${after.join(", ")}) and ${only}
    order by ${columns.join(", ")} limit ${rowsPerChunk}`
  return `with d as materialized (${first}), changed as (${change} returning 1)
    select (select count(*) from d)::int4 as found, (select count(*) from changed)::int4 as changed, array[${columns.map((each) => `${each}::text`).join(", ")}] as cursor
    from d order by ${columns.map((each) => `${each} desc`).join(", ")} limit 1`
}

/** Which rows `t` a chunk has: by their physical location, at which they are found whatever the statistics say. */
export const inChunk = "t.ctid = any (array(select d.ctid from d))"

const ofTarget = (sql: string): string => sql.replaceAll("d.", "t.")

/** The change of a chunk that updates its rows, where they still are as `only` says of a row `d`. */
export const updating = (table: string, set: string, only: string): string =>
  `update ${table} t ${ofTarget(set)} where ${inChunk} and ${ofTarget(only)}`

/**
 * Runs a `chunkStatement` until no row is left; returns how many were found. `start` is the first cursor. Inside a
 * transaction the chunks are one change; outside of it each commits, and whoever repeats a change that was cut off
 * continues it.
 */
export const inChunks = Effect.fnUntraced(function* (
  db: Database["Service"],
  sql: string,
  { of, rest = [], start }: { readonly of: Params; readonly start: Params; readonly rest?: Params },
  /** What a failure is after a chunk was changed. */
  failed: (error: StorageUnavailable) => StorageUnavailable = identity
) {
  let total = 0
  for (let cursor = start; ;) {
    const changed = db.write(sql, [...of, ...cursor, ...rest])
    const [row] = yield* total === 0 ? changed : Effect.mapError(changed, failed)
    if (row === undefined) return total
    total += row.found as number
    cursor = row.cursor as ReadonlyArray<string>
  }
})
