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

/** One statement over a connection that is already held. */
export const query = (
  lane: Lane,
  connection: PgConnection,
  sql: string,
  params: Params = []
): Effect.Effect<Result, SqlError> =>
  Effect.suspend(() => {
    lane.outstanding.statements++
    return Effect.ensuring(
      connection.query(sql, asText(params), lane.prepare),
      Effect.sync(() => {
        lane.outstanding.statements--
      })
    )
  })

/** One statement that commits by itself. */
export const statement = (
  lane: Lane,
  sql: string,
  params?: Params
): Effect.Effect<Rows, SqlError | StorageUnavailable> =>
  lane.gate.pass(
    lane.pool.use((connection) => Effect.map(query(lane, connection, sql, params), (result) => result.rows))
  )

/** The lane in which a statement is on its way soonest: with others of this turn, else alone, else behind the fewest. */
export const quickest = (lanes: ReadonlyArray<Lane>): Lane => {
  const delay = ({ gate }: Lane) => (gate.admits ? -gate.load : gate.load)
  return lanes.reduce((best, lane) => (delay(lane) < delay(best) ? lane : best))
}

/** A connection to oneself until the scope closes. */
export const reserve = (lane: Lane): Effect.Effect<PgConnection, SqlError, Scope.Scope> => lane.pool.reserve
