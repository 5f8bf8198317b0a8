import type { PgConnection, Result, Row } from "@effect/sql-pg/PgConnection"
import type { PgPool } from "@effect/sql-pg/PgPool"
import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { Effect, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { InFlight } from "./Connections.ts"
import type { ConcurrencyLimiter } from "./ConcurrencyLimiter.ts"

/** Numbers travel as text, so that a statement has one set of parameter types whatever their size. */
export type Params = ReadonlyArray<string | number | boolean | null | ReadonlyArray<string>>
export type Rows = ReadonlyArray<Row>
/** What a row holds, in the order of the columns. */
export type Values = ReadonlyArray<unknown>

/** Connections of one kind of work. */
export interface ConnectionPool {
  readonly connections: PgPool
  /** As many as the pool admits, so that nobody ever waits inside the pool. */
  readonly limiter: ConcurrencyLimiter
  readonly inFlight: InFlight
  readonly prepare: boolean
}

const asText = (params: Params): ReadonlyArray<unknown> =>
  params.map((param) => (typeof param === "number" ? String(param) : param))

/** How the answer of a statement is read. */
export type Reading<A> = (
  connection: PgConnection,
  sql: string,
  params: ReadonlyArray<unknown>,
  prepare: boolean
) => Effect.Effect<A, SqlError>

export const asResult: Reading<Result> = (connection, sql, params, prepare) => connection.query(sql, params, prepare)

export const asRows: Reading<Rows> = (connection, sql, params, prepare) =>
  Effect.map(connection.query(sql, params, prepare), (result) => result.rows)

/** By position: an object for each row of many columns costs more than all else that is done with it. */
export const asValues: Reading<ReadonlyArray<Values>> = (connection, sql, params, prepare) =>
  connection.queryValues(sql, params, prepare)

/** One statement over a connection that is already held. */
export const query = <A>(
  pool: ConnectionPool,
  connection: PgConnection,
  reading: Reading<A>,
  sql: string,
  params: Params = []
): Effect.Effect<A, SqlError> =>
  Effect.suspend(() => {
    pool.inFlight.statements++
    return Effect.ensuring(
      reading(connection, sql, asText(params), pool.prepare),
      Effect.sync(() => {
        pool.inFlight.statements--
      })
    )
  })

/** One statement that commits by itself. */
export const statement = <A>(
  pool: ConnectionPool,
  reading: Reading<A>,
  sql: string,
  params?: Params
): Effect.Effect<A, SqlError | StorageUnavailable> =>
  pool.limiter.withPermit(pool.connections.use((connection) => query(pool, connection, reading, sql, params)))

/** The pool in which a statement is on its way soonest: with others of this turn, else alone, else behind the fewest. */
export const leastLoaded = (pools: ReadonlyArray<ConnectionPool>): ConnectionPool => {
  const delay = ({ limiter }: ConnectionPool) => (limiter.hasPermit ? -limiter.load : limiter.load)
  return pools.reduce((best, pool) => (delay(pool) < delay(best) ? pool : best))
}

/** A connection to oneself until the scope closes. */
export const reserve = (pool: ConnectionPool): Effect.Effect<PgConnection, SqlError, Scope.Scope> =>
  pool.connections.reserve
