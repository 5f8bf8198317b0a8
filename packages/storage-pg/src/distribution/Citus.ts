import type { PgConnection } from "@effect/sql-pg/PgConnection"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Rows } from "../connection/ConnectionPool.ts"
import { accountTables } from "../OwnedTables.ts"

type Read<E> = (sql: string, params?: ReadonlyArray<string | ReadonlyArray<string>>) => Effect.Effect<Rows, E>

/** Whether the extension is in this database; without it there are none of its tables to query. */
export const hasCitus = <E>(read: Read<E>): Effect.Effect<boolean, E> =>
  Effect.map(
    read("select to_regclass('pg_catalog.pg_dist_partition') is not null as known"),
    ([row]) => row?.known === true
  )

/** The tables of this product that are distributed, by name. */
export const distributedTables = <E>(read: Read<E>): Effect.Effect<ReadonlyArray<string>, E> =>
  Effect.map(
    read(`select c.relname as name from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
      where p.partmethod = 'h' and c.relnamespace = current_schema()::regnamespace`),
    (rows) => rows.map(({ name }) => name as string)
  )

/** Whether the accounts' data is distributed. */
export const isDistributed = <E>(read: Read<E>): Effect.Effect<boolean, E> =>
  Effect.flatMap(hasCitus(read), (known) =>
    known ? Effect.map(distributedTables(read), (tables) => tables.includes("write_clocks")) : Effect.succeed(false)
  )

/** Tables with accounts' data in an order in which each comes after those that it refers to. */
const tablesOfOwners = `with recursive owned as (
    select c.oid, c.relname from pg_class c where c.relkind in ('r', 'p') and c.relname <> all ($1::text[])
      and c.relnamespace = current_schema()::regnamespace
      and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'owner_id' and not a.attisdropped)
  ), reference as (
    select k.conrelid, k.confrelid from pg_constraint k where k.contype = 'f' and k.conrelid <> k.confrelid
  ), ranked as (
    select o.oid, o.relname, 0 as rank from owned o
    union select o.oid, o.relname, r.rank + 1 from ranked r join reference f on f.confrelid = r.oid
      join owned o on o.oid = f.conrelid
  )
  select relname as name from ranked group by relname order by relname <> 'write_clocks', max(rank), relname`

/** The functions that write to one account, and whether a worker runs them in a transaction, too. */
const appending = `select p.oid::regprocedure::text as name, exists (
    select from pg_dist_object d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.force_delegation
  ) as is_distributed
  from pg_proc p where p.proname in ('write_to_account', 'write_things') and p.pronamespace = current_schema()::regnamespace`

/** Tables with accounts' data that are not distributed, in an order in which they can be. */
export const pendingTables = <E>(read: Read<E>): Effect.Effect<ReadonlyArray<string>, E> =>
  Effect.gen(function* () {
    const [rows, known] = [yield* read(tablesOfOwners, [accountTables]), yield* distributedTables(read)]
    return rows.map(({ name }) => name as string).filter((name) => !known.includes(name))
  })

/** Distributes what is not distributed yet; returns the tables. Each is whole by itself, so that it can be repeated. */
export const distributePending = (connection: PgConnection): Effect.Effect<ReadonlyArray<string>, SqlError> =>
  Effect.gen(function* () {
    const read: Read<SqlError> = (sql, params = []) => Effect.map(connection.query(sql, params), ({ rows }) => rows)
    const run = (sql: string) => connection.query(sql, [], false)
    yield* run("set statement_timeout = 0")
    yield* run("set lock_timeout = '60s'")
    const pending = yield* pendingTables(read)
    for (const table of pending) {
      const beside = table === "write_clocks" ? "" : ", colocate_with => 'write_clocks'"
      yield* run(`select create_distributed_table('${table}', 'owner_id'${beside})`)
    }
    // Only at the end, since tables that refer to one that is being distributed need its local rows until they are
    // distributed, too.
    for (const table of pending) yield* run(`select truncate_local_data_after_distributing_table('${table}')`)
    for (const { is_distributed, name } of yield* read(appending)) {
      if (is_distributed === true) continue
      yield* run(`select create_distributed_function('${String(name)}', 'owner', colocate_with => 'write_clocks',
        force_delegation => true)`)
    }
    return pending
  })
