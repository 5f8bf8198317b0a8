import { collapsed } from "@lists-and-things/domain/text/Quoted"
import type { PgConnection, Result, Row } from "@effect/sql-pg/PgConnection"
import type { PgPool } from "@effect/sql-pg/PgPool"
import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { Cause, Effect, Exit, type Scope } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import type { InFlight } from "./InFlight.ts"
import type { Servers } from "./Servers.ts"
import type { ConcurrencyLimiter } from "./ConcurrencyLimiter.ts"
import { waitForConnection } from "./Connections.ts"
import { pause } from "./Retry.ts"
import { isCrowdedOut, isReadOnly, ResponseTimeout, sqlState } from "./SqlErrors.ts"

/** Numbers are sent as text, so that a statement has one set of parameter types whatever their size. */
export type Params = ReadonlyArray<string | number | boolean | null | ReadonlyArray<string>>
export type Rows = ReadonlyArray<Row>
/** The values of one row, in the order of its columns. */
export type Values = ReadonlyArray<unknown>

/** Connections of one purpose. */
export interface ConnectionPool {
  readonly connections: PgPool
  /** Admits as many statements as the pool has connections, so that no statement waits inside the driver's pool. */
  readonly limiter: ConcurrencyLimiter
  readonly inFlight: InFlight
  /** Statements that take at least that many milliseconds are logged. */
  readonly slowMillis: number
  /** Whether each statement has a span. */
  readonly isTraced: boolean
  readonly prepare: boolean
  /** Sent after BEGIN, where connections have no settings of their own. */
  readonly transactionSettings: string | undefined
  /** Is told of each failure, where there are several servers. */
  readonly noticed: Servers["noticed"]
  /**
   * Whether one user at a time has a connection that pipelines its statements. The server is not told when such a
   * statement is interrupted, so its answer is awaited: the connection's next user would wait for it.
   */
  readonly lendsPipelined?: boolean
  /** Serves what this pool cannot while the server has no connection left for it. */
  readonly fallback?: ConnectionPool
  /** Pools whose idle connections are closed while the server has no connection left for this one. */
  readonly evictable?: ReadonlyArray<EvictablePool>
}

export interface EvictablePool extends Pick<ConnectionPool, "connections" | "limiter"> {
  /** The number of its connections that are open. */
  readonly open: () => number
}

const asText = (params: Params): ReadonlyArray<unknown> =>
  params.map((param) => (typeof param === "number" ? String(param) : param))

/** How the result of a statement is read. */
export type Reading<A> = (
  connection: PgConnection,
  sql: string,
  params: ReadonlyArray<unknown>,
  prepare: boolean
) => Effect.Effect<A, SqlError>

export const asResult: Reading<Result> = (connection, sql, params, prepare) => connection.query(sql, params, prepare)

export const asRows: Reading<Rows> = (connection, sql, params, prepare) =>
  Effect.map(connection.query(sql, params, prepare), (result) => result.rows)

/** Reads rows by position. Building an object per row of many columns costs more than all other work on it. */
export const asValues: Reading<ReadonlyArray<Values>> = (connection, sql, params, prepare) =>
  connection.queryValues(sql, params, prepare)

/** A statement with its parameters, and how its result is read. */
export interface Query<A> {
  readonly reading: Reading<A>
  readonly sql: string
  readonly params?: Params | undefined
}

const noticing = <A, E, R>({ noticed }: ConnectionPool, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  noticed === undefined ? effect : Effect.tapError(effect, (failure) => Effect.sync(() => noticed(failure)))

/** Runs one statement on a connection that is already acquired. */
export const query = <A>(
  pool: ConnectionPool,
  connection: PgConnection,
  { params = [], reading, sql }: Query<A>
): Effect.Effect<A, SqlError> =>
  Effect.suspend(() => {
    pool.inFlight.statements++
    const began = performance.now()
    const answer = noticing(pool, reading(connection, sql, asText(params), pool.prepare))
    return Effect.onExit(pool.isTraced ? traced(sql, answer) : answer, (exit) => {
      pool.inFlight.statements--
      note(pool.inFlight, exit)
      const now = performance.now()
      const told = now - began < pool.slowMillis ? Effect.void : warnOfSlow(sql, now - began)
      return onlyReads(exit) && pool.inFlight.claimReplacement(now)
        ? Effect.andThen(told, pool.connections.invalidate(connection))
        : told
    })
  })

/**
 * Whether the connection takes no writes. It would take none for as long as it is open, although a new one may lead to
 * another server, or know that there are writes again.
 */
const onlyReads = (exit: Exit.Exit<unknown, SqlError>): boolean => {
  if (Exit.isSuccess(exit)) return false
  const failure = Cause.squash(exit.cause)
  return isSqlError(failure) && isReadOnly(failure)
}

/** Tells `inFlight` whether the server answered; a broken connection counts as neither. */
const note = (inFlight: InFlight, exit: Exit.Exit<unknown, SqlError>): void => {
  if (Exit.isSuccess(exit)) return inFlight.serverAnswered()
  const failure = Cause.squash(exit.cause)
  if (!isSqlError(failure)) return
  if (failure.reason.cause instanceof ResponseTimeout) inFlight.statementTimedOut()
  else if (sqlState(failure) !== undefined) inFlight.serverAnswered()
}

/** A span for a statement, without the values of its placeholders. */
const traced = <A>(sql: string, answer: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
  Effect.withSpan(answer, "statement", {
    kind: "client",
    attributes: { "db.system.name": "postgresql", "db.query.text": sql }
  })

/** Characters of a statement in the log. It has placeholders where a value would be. */
const maxLoggedLength = 300

const warnOfSlow = (sql: string, millis: number) =>
  Effect.logWarning(`Slow statement: ${Math.round(millis)} ms, ${collapsed(sql).slice(0, maxLoggedLength)}`)

/** Milliseconds between attempts to open a connection to a server that has none left. */
const retryConnect = 100

/** Closes a connection of the first pool that is idle. */
const evictIdle = ({ evictable = [] }: ConnectionPool): Effect.Effect<void> =>
  Effect.suspend(() => {
    const pool = evictable.find(({ limiter, open }) => open() > 0 && limiter.load === 0)?.connections
    return pool === undefined ? Effect.void : Effect.ignore(pool.use((connection) => pool.invalidate(connection)))
  })

/**
 * Where the server has no connection left, waits for one as long as for one of the pool: for another one of the pool that
 * becomes free, for one that is evicted, or for one that another program closes.
 */
const retryingWhileFull = <A, E, R>(
  pool: ConnectionPool,
  connected: Effect.Effect<A, E, R>,
  waited = 0
): Effect.Effect<A, E, R> =>
  Effect.catch(connected, (error) =>
    isCrowdedOut(error) && waited < waitForConnection
      ? Effect.andThen(evictIdle(pool), pause(retryConnect)).pipe(
          Effect.andThen(retryingWhileFull(pool, connected, waited + retryConnect))
        )
      : Effect.fail(error)
  )

/**
 * A shared connection until `use` ends, with the pool that it is of; `owner` where the connections are for all owners by
 * turns.
 */
export const sharing = <A, E>(
  pool: ConnectionPool,
  use: (connection: PgConnection, pool: ConnectionPool) => Effect.Effect<A, E>,
  owner?: string
): Effect.Effect<A, E | SqlError | StorageUnavailable> => {
  const { connections, limiter, fallback } = pool
  const connected = connections.use((connection) => use(connection, pool))
  if (fallback === undefined) return limiter.withPermit(noticing(pool, retryingWhileFull(pool, connected)), owner)
  return Effect.catch(limiter.withPermit(noticing(pool, connected), owner), (error) =>
    isCrowdedOut(error) ? sharing(fallback, use, owner) : Effect.fail(error)
  )
}

/** Runs one statement that commits by itself; `owner` as for `sharing`. */
export const statement = <A>(
  pool: ConnectionPool,
  asked: Query<A>,
  owner?: string
): Effect.Effect<A, SqlError | StorageUnavailable> =>
  sharing(
    pool,
    (connection, its) => {
      const answer = query(its, connection, asked)
      return its.lendsPipelined === true ? Effect.uninterruptible(answer) : answer
    },
    owner
  )

/**
 * The pool that sends a statement soonest: first one whose batch of this turn is still open, then an idle one, then the
 * one with the fewest waiters.
 */
export const leastLoaded = (pools: ReadonlyArray<ConnectionPool>): ConnectionPool => {
  const delay = ({ limiter }: ConnectionPool) => (limiter.hasPermit ? -limiter.load : limiter.load)
  return pools.reduce((best, pool) => (delay(pool) < delay(best) ? pool : best))
}

/** An exclusive connection until the scope closes; statements that are sent at the same time share a flush. */
export const lend = (pool: ConnectionPool): Effect.Effect<PgConnection, SqlError, Scope.Scope> =>
  noticing(pool, retryingWhileFull(pool, pool.connections.get))

/** An exclusive connection until the scope closes, for one statement at a time; an interrupted one is cancelled. */
export const reserve = (pool: ConnectionPool): Effect.Effect<PgConnection, SqlError, Scope.Scope> =>
  noticing(pool, retryingWhileFull(pool, pool.connections.reserve))
