import type { PgConnection, Result, Row } from "@effect/sql-pg/PgConnection"
import type { PgPool } from "@effect/sql-pg/PgPool"
import type { StorageUnavailable } from "@lists-and-things/domain/Errors"
import { Effect, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Outstanding } from "./Connections.ts"
import type { Turnstile } from "./Turnstile.ts"

/** Numbers travel as text, so that a statement has one set of parameter types whatever their size. */
export type Params = ReadonlyArray<string | number | boolean | null | ReadonlyArray<string>>
export type Rows = ReadonlyArray<Row>
/** What a row holds, in the order of the columns. */
export type Values = ReadonlyArray<unknown>

/** Connections of one kind of work. */
export interface Lane {
  readonly pool: PgPool
  /** As many as the pool admits, so that nobody ever waits inside the pool. */
  readonly gate: Turnstile
  readonly outstanding: Outstanding
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
  lane: Lane,
  connection: PgConnection,
  reading: Reading<A>,
  sql: string,
  params: Params = []
): Effect.Effect<A, SqlError> =>
  Effect.suspend(() => {
    lane.outstanding.statements++
    return Effect.ensuring(
      reading(connection, sql, asText(params), lane.prepare),
      Effect.sync(() => {
        lane.outstanding.statements--
      })
    )
  })

/** One statement that commits by itself. */
export const statement = <A>(
  lane: Lane,
  reading: Reading<A>,
  sql: string,
  params?: Params
): Effect.Effect<A, SqlError | StorageUnavailable> =>
  lane.gate.pass(lane.pool.use((connection) => query(lane, connection, reading, sql, params)))

/** The lane in which a statement is on its way soonest: with others of this turn, else alone, else behind the fewest. */
export const quickest = (lanes: ReadonlyArray<Lane>): Lane => {
  const delay = ({ gate }: Lane) => (gate.admits ? -gate.load : gate.load)
  return lanes.reduce((best, lane) => (delay(lane) < delay(best) ? lane : best))
}

/** A connection to oneself until the scope closes. */
export const reserve = (lane: Lane): Effect.Effect<PgConnection, SqlError, Scope.Scope> => lane.pool.reserve
