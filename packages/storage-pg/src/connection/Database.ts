import type { PgConnection } from "@effect/sql-pg/PgConnection"
import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { lastWrite, makeSkewWarning } from "@lists-and-things/domain/days/ClockSkew"
import type { TransactionOptions } from "@lists-and-things/domain/ports/Storage"
import type { StorageConnections } from "@lists-and-things/domain/ports/StorageAdmin"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { randomBytes } from "node:crypto"
import type { PgStorageConfig } from "./PgStorageConfig.ts"
import { makeFreeSpaceCheck } from "./FreeSpace.ts"
import { InFlight } from "./InFlight.ts"
import { makeOutageLog } from "./OutageLog.ts"
import {
  asRows,
  asValues,
  type ConnectionPool,
  type Params,
  leastLoaded,
  type Query,
  type Reading,
  reserve,
  type Rows,
  statement,
  type Values
} from "./ConnectionPool.ts"
import { type StartRead, CurrentPipeline, flush } from "./Pipeline.ts"
import { makePools, type Pools } from "./Pools.ts"
import type { Servers } from "./Servers.ts"
import { type Refuse, refusing, refusingTransaction, repeated } from "./Refusals.ts"
import { latestVersion } from "../Migrations.ts"
import { CurrentTransaction, sendIn, snapshot, statementIn, type Transaction, transaction } from "./Transaction.ts"

type Run = <A>(query: Query<A>) => Effect.Effect<A, SqlError | StorageUnavailable>
type Statement<A = Rows> = (sql: string, params?: Params) => Effect.Effect<A, StorageUnavailable>

/**
 * Statements against PostgreSQL, over connection pools of three kinds (`Pools`): short reads share a few pipelined
 * connections; long reads and transactions each have exclusive ones, so that no kind waits behind another. Inside
 * `transaction`, every statement except those named `autocommit…` and `session` is part of it.
 */
export class Database extends Context.Service<
  Database,
  {
    readonly config: PgStorageConfig
    /** How statements are planned; known once the schema is prepared. */
    readonly planning: { isDistributed: boolean }
    /** The `application_name` of this process in `pg_stat_activity`. */
    readonly applicationName: string
    readonly read: Statement
    /** For reads that may take long. */
    readonly readLong: Statement
    /** Like `read`, with rows as arrays by position: for many rows of many columns. */
    readonly values: Statement<ReadonlyArray<Values>>
    readonly valuesLong: Statement<ReadonlyArray<Values>>
    readonly write: Statement
    readonly writeValues: Statement<ReadonlyArray<Values>>
    /**
     * Like `write`, for a statement whose rows nobody needs. Inside a transaction its answer is not awaited: a failure
     * shows at a later statement or when the transaction commits, and `onRows` gets its rows before that.
     */
    readonly send: (
      sql: string,
      params?: Params,
      onRows?: (rows: Rows) => void
    ) => Effect.Effect<void, StorageUnavailable>
    /** One short statement in a transaction of its own, even inside another transaction; never retried. */
    readonly autocommitPipelined: Statement
    /**
     * Like `autocommitPipelined`, with others: what each of them reads first goes out in the same flush, and runs after
     * the statement has committed. They are started, not awaited; outside of a transaction only.
     */
    readonly autocommitWith: (
      others: ReadonlyArray<StartRead>,
      sql: string,
      params: Params
    ) => Effect.Effect<Rows, StorageUnavailable>
    /** Like `autocommitPipelined`, on an exclusive connection: for a statement that may wait for a lock. */
    readonly autocommitExclusive: Statement
    readonly connections: () => StorageConnections
    readonly servers: Pick<Servers, "inUse" | "otherWritable">
    /** Warns of a write timestamp that is ahead of the clock, at most once a minute. */
    readonly warnOfSkew: (writeTimestamp: EpochMillis, now: EpochMillis) => Effect.Effect<void>
    /** From now on the log says when requests are refused since the database fails. */
    readonly logOutages: Effect.Effect<void>
    /** Fails while free disk space is below the reserve for user writes. */
    readonly checkFreeSpace: Effect.Effect<void, StorageUnavailable>
    readonly transaction: <A, E, R>(body: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageUnavailable, R>
    /**
     * Like `transaction`; the statements of `opening` go out together with BEGIN. Should BEGIN fail, each of them commits
     * by itself, so they must do no harm alone. Owners have their turns. With `unlimited`, nothing ends a statement that
     * takes long, nor a transaction whose statements are far apart.
     */
    readonly transactionFrom: <O, A, E, R, E2, R2>(
      opening: Effect.Effect<O, E, R>,
      body: (opened: O) => Effect.Effect<A, E2, R2>,
      owner?: string,
      options?: TransactionOptions
    ) => Effect.Effect<A, E | E2 | StorageUnavailable, R | R2>
    /**
     * Runs several reads on one consistent state; never retried. `unlimited` as for `transactionFrom`.
     */
    readonly snapshot: <A, E, R>(
      body: Effect.Effect<A, E, R>,
      options?: TransactionOptions
    ) => Effect.Effect<A, E | StorageUnavailable, R>
    /** An exclusive connection, closed afterwards. */
    readonly session: <A>(
      use: (connection: PgConnection) => Effect.Effect<A, SqlError>
    ) => Effect.Effect<A, StorageUnavailable>
  }
>()("@lists-and-things/storage-pg/Database") {
  static readonly layer = (config: PgStorageConfig): Layer.Layer<Database> => Layer.effect(Database, make(config))
}

const unlimited = `select set_config('statement_timeout', '0', true),
  set_config('idle_in_transaction_session_timeout', '0', true)`

const applicationPrefix = "lists-and-things"

/** `LIKE` pattern that matches the application names of all processes of this product. */
export const applicationPattern = `${applicationPrefix} %`

/** Whose data a statement reads: its first parameter, as that of every method of a store. */
const ownerOf = ([first]: Params = []): string | undefined => (typeof first === "string" ? first : undefined)

/** Where a statement runs that is in no transaction. */
const routesOver = (
  { exclusive, plannedEach, plannedOnce, short }: Pools,
  planning: { readonly isDistributed: boolean }
) => {
  const pipelined = <A>(query: Query<A>): Effect.Effect<A, SqlError | StorageUnavailable> =>
    Effect.flatMap(CurrentPipeline, (pipeline) =>
      pipeline?.isOpen === true ? pipeline.send(query) : statement(leastLoaded(short), query)
    )
  const long: Run = (query) =>
    Effect.suspend(() => statement(planning.isDistributed ? plannedEach : plannedOnce, query, ownerOf(query.params)))
  const onExclusive: Run = (query) => statement(exclusive, query)
  return { pipelined, long, exclusive: onExclusive }
}

/** Joins the transaction of the fiber, if it is in one on these connections. */
const joiningOn =
  ({ connections }: ConnectionPool) =>
  <A, E, R>(outside: Effect.Effect<A, E, R>, inside: (tx: Transaction) => Effect.Effect<A, E, R>) =>
    Effect.flatMap(CurrentTransaction, (tx) => (tx?.pool.connections === connections ? inside(tx) : outside))

/** Ways to run several statements in one transaction; `unlimit` is sent in it where nothing is to end long statements. */
const transactionsOn = (
  exclusive: ConnectionPool,
  refuse: ReturnType<typeof refusingTransaction>,
  unlimit: Effect.Effect<unknown, StorageUnavailable>
): Pick<Database["Service"], "transactionFrom" | "snapshot"> => {
  const joining = joiningOn(exclusive)
  // Its statements count for no silence of the server.
  const awaited: ConnectionPool = { ...exclusive, inFlight: new InFlight() }
  return {
    transactionFrom: <O, A, E, R, E2, R2>(
      opening: Effect.Effect<O, E, R>,
      body: (opened: O) => Effect.Effect<A, E2, R2>,
      owner?: string,
      options?: TransactionOptions
    ) =>
      joining<A, E | E2 | StorageUnavailable, R | R2>(
        Effect.catch(
          options?.unlimited === true
            ? transaction<O, A, E | E2 | StorageUnavailable, R | R2>(
                awaited,
                { opening: Effect.andThen(unlimit, opening), body },
                owner
              )
            : transaction<O, A, E | E2, R | R2>(exclusive, { opening, body }, owner),
          refuse
        ),
        () => Effect.flatMap(opening, body)
      ),
    snapshot: <A, E, R>(body: Effect.Effect<A, E, R>, options?: TransactionOptions) =>
      joining<A, E | StorageUnavailable, R>(
        Effect.catch(
          options?.unlimited === true ? snapshot(awaited, Effect.andThen(unlimit, body)) : snapshot(exclusive, body),
          refuse
        ),
        () => body
      )
  }
}

/** An exclusive connection, closed afterwards. */
const sessionOn =
  (exclusive: ConnectionPool, refuse: Refuse): Database["Service"]["session"] =>
  (use) =>
    exclusive.limiter
      .withPermit(
        Effect.scoped(
          Effect.flatMap(reserve(exclusive), (connection) =>
            Effect.ensuring(use(connection), exclusive.connections.invalidate(connection))
          )
        )
      )
      .pipe(Effect.catchTag("SqlError", (error) => refuse(error, "not-applied")))

const make = (config: PgStorageConfig) =>
  Effect.gen(function* () {
    const applicationName = `${applicationPrefix} ${process.pid} ${randomBytes(4).toString("hex")} schema ${latestVersion}`
    const scope = yield* Effect.scope
    const pools = yield* makePools(config, applicationName)
    const { counts, exclusive, servers, short } = pools
    const outages = yield* makeOutageLog(
      Effect.suspend(() => statement(leastLoaded(short), { reading: asRows, sql: "select 1" }))
    )
    const refuse = refusing(outages)
    const planning = { isDistributed: false }
    const routes = routesOver(pools, planning)
    const joining = joiningOn(exclusive)
    const over =
      <A>(run: Run, reading: Reading<A>, writes = false): Statement<A> =>
      (sql, params) => {
        const query = { reading, sql, params }
        return joining(repeated(run(query), writes, refuse), (tx) => statementIn(tx, query))
      }
    const unrepeated =
      (run: Run): Statement =>
      (sql, params) =>
        Effect.catchTag(run({ reading: asRows, sql, params }), "SqlError", (error) => refuse(error, "unknown"))
    const read = over(routes.pipelined, asRows)
    const write = over(routes.exclusive, asRows, true)
    const transactions = transactionsOn(exclusive, refusingTransaction(outages, refuse), read(unlimited))
    const warnOfSkew = makeSkewWarning()
    return Database.of({
      config,
      planning,
      applicationName,
      read,
      readLong: over(routes.long, asRows),
      values: over(routes.pipelined, asValues),
      valuesLong: over(routes.long, asValues),
      write,
      send: (sql, params, onRows) =>
        joining(
          Effect.map(write(sql, params), (rows) => onRows?.(rows)),
          (tx) => sendIn(tx, sql, params, onRows)
        ),
      writeValues: over(routes.exclusive, asValues, true),
      autocommitPipelined: unrepeated(routes.pipelined),
      autocommitWith: (others, sql, params) =>
        unrepeated((query) => Effect.suspend(() => flush(leastLoaded(short), query, others, scope)))(sql, params),
      autocommitExclusive: unrepeated(routes.exclusive),
      connections: counts,
      servers,
      warnOfSkew: (writeTimestamp, now) => warnOfSkew(lastWrite, writeTimestamp, now),
      logOutages: outages.begin,
      checkFreeSpace: makeFreeSpaceCheck(config.reserve),
      transaction: (body) => transactions.transactionFrom(Effect.void, () => body),
      ...transactions,
      session: sessionOn(exclusive, refuse)
    })
  })
