import type { PgConnection } from "@effect/sql-pg/PgConnection"
import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { Context, Effect, Exit, Fiber, Result, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { OperationNotes } from "../history/OperationNotes.ts"
import {
  asResult,
  asRows,
  type ConnectionPool,
  lend,
  type Params,
  query,
  type Query,
  reserve,
  type Rows
} from "./ConnectionPool.ts"
import { jitter, maxRetries } from "./Retry.ts"
import { classify, classifyCommit, commitRefused, type SqlFailure, sqlState, unavailable } from "./SqlErrors.ts"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

/** The transaction that a fiber is in. */
export interface Transaction {
  readonly pool: ConnectionPool
  readonly connection: PgConnection
  /** The write timestamps handed out, by owner. */
  readonly writeTimestamps: Map<string, EpochMillis>
  /** What its statements have changed, by owner. */
  readonly operations: Map<string, OperationNotes>
  /** Statements that were sent without waiting for their answers. */
  readonly unanswered: Array<Fiber.Fiber<void>>
  /** Whether COMMIT has been sent; if the connection breaks after that, the outcome is unknown. */
  isCommitting: boolean
  /** The first failure of a statement. Once set, the whole transaction is rolled back. */
  failure: Failure | undefined
}

interface Failure {
  readonly kind: SqlFailure
  readonly outcome: "not-applied" | "unknown"
  readonly cause: SqlError
}

/** The transaction that the fiber is in; undefined outside of one. */
export const CurrentTransaction = Context.Reference<Transaction | undefined>(
  "@lists-and-things/storage-pg/CurrentTransaction",
  { defaultValue: () => undefined }
)

const failureOf = (tx: Transaction): Failure | undefined => tx.failure

const failWith = ({ cause, kind, outcome }: Failure): Effect.Effect<never, StorageUnavailable> =>
  kind === "defect" ? Effect.die(cause) : Effect.fail(unavailable(outcome, cause))

/** A statement that the server refused has aborted the transaction, even when COMMIT is on its way already. */
const record = (tx: Transaction, cause: SqlError): void => {
  const outcome = tx.isCommitting && sqlState(cause) === undefined ? "unknown" : "not-applied"
  tx.failure ??= { kind: classify(cause), outcome, cause }
}

/** Waits until everything that was sent is answered, so that the first failure is known before those it caused. */
const answered = (tx: Transaction): Effect.Effect<void> =>
  Effect.suspend(() => (tx.unanswered.length === 0 ? Effect.void : Fiber.awaitAll(tx.unanswered.splice(0)))).pipe(
    Effect.asVoid
  )

/** Runs a statement in the transaction. */
export const statementIn = <A>(tx: Transaction, asked: Query<A>): Effect.Effect<A, StorageUnavailable> =>
  Effect.catchTag(query(tx.pool, tx.connection, asked), "SqlError", (cause) =>
    Effect.andThen(
      answered(tx),
      Effect.suspend(() => {
        record(tx, cause)
        return failWith(failureOf(tx)!)
      })
    )
  )

/**
 * Sends a statement of the transaction without waiting for its answer. Its failure shows at a later statement, or at
 * COMMIT, which an aborted transaction answers with ROLLBACK. `onRows` gets its rows, before the transaction ends.
 */
export const sendIn = (
  tx: Transaction,
  sql: string,
  params?: Params,
  onRows?: (rows: Rows) => void
): Effect.Effect<void, StorageUnavailable> =>
  Effect.suspend(() => {
    if (tx.failure !== undefined) return failWith(tx.failure)
    const sent = query(tx.pool, tx.connection, { reading: asRows, sql, params }).pipe(
      Effect.map((rows) => onRows?.(rows)),
      Effect.catchTag("SqlError", (cause) => Effect.sync(() => record(tx, cause)))
    )
    return Effect.map(Effect.forkDetach(sent, { startImmediately: true }), (fiber) => {
      tx.unanswered.push(fiber)
    })
  })

/** What a transaction may have sent that is unanswered before it sends many rows. */
const maxUnanswered = 4

/**
 * Waits where the fiber's transaction is far ahead of the server: its parameters would take memory, and what the server
 * still has to write would take the disk after the last measurement of it.
 */
export const keepPace: Effect.Effect<void> = Effect.flatMap(CurrentTransaction, (tx) =>
  tx === undefined || tx.unanswered.length < maxUnanswered ? Effect.void : answered(tx)
)

/** Goes out in one flush with what was sent just before it. */
const commit = (tx: Transaction): Effect.Effect<void> =>
  Effect.gen(function* () {
    tx.isCommitting = true
    const result = yield* Effect.result(query(tx.pool, tx.connection, { reading: asResult, sql: "commit" }))
    yield* answered(tx)
    if (failureOf(tx) !== undefined) return
    if (Result.isFailure(result)) {
      const cause = result.failure
      tx.failure = { kind: classifyCommit(cause), outcome: commitRefused(cause) ? "not-applied" : "unknown", cause }
    } else if (result.success.command === "ROLLBACK") {
      yield* Effect.die(new Error("The transaction had failed before it was committed"))
    }
  })

const rollback = (tx: Transaction): Effect.Effect<void> =>
  Effect.catchCause(query(tx.pool, tx.connection, { reading: asResult, sql: "rollback" }), () =>
    tx.pool.connections.invalidate(tx.connection)
  ).pipe(Effect.andThen(answered(tx)))

type Begin = "begin" | "begin isolation level repeatable read read only"

/** The statements that accompany BEGIN, and what follows when both have succeeded. */
interface Statements<O, A, E, R> {
  readonly opening: Effect.Effect<O, E, R>
  readonly body: (opened: O) => Effect.Effect<A, E, R>
}

/** What one attempt of a transaction does. */
interface Attempted<O, A, E, R> extends Statements<O, A, E, R> {
  readonly begin: Begin
  readonly acquire: (pool: ConnectionPool) => Effect.Effect<PgConnection, SqlError, Scope.Scope>
}

const run = <O, A, E, R>(tx: Transaction, { begin, body, opening }: Attempted<O, A, E, R>) =>
  Effect.gen(function* () {
    yield* sendIn(tx, begin)
    if (tx.pool.transactionSettings !== undefined) yield* sendIn(tx, tx.pool.transactionSettings)
    const opened = yield* opening
    yield* answered(tx)
    const failure = failureOf(tx)
    return failure === undefined ? yield* body(opened) : yield* failWith(failure)
  })

type Attempt<A, E> = { readonly exit: Exit.Exit<A, E>; readonly failure?: undefined } | { readonly failure: Failure }

/** One attempt. A failure is one that rolled the transaction back or left the outcome of its COMMIT unknown. */
const once = <O, A, E, R>(
  pool: ConnectionPool,
  attempted: Attempted<O, A, E, R>
): Effect.Effect<Attempt<A, E | StorageUnavailable>, SqlError, R> =>
  Effect.scoped(
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const connection = yield* restore(attempted.acquire(pool))
        const tx: Transaction = {
          pool,
          connection,
          writeTimestamps: new Map(),
          operations: new Map(),
          unanswered: [],
          isCommitting: false,
          failure: undefined
        }
        const exit = yield* Effect.exit(restore(Effect.provideService(run(tx, attempted), CurrentTransaction, tx)))
        const isWhole = Exit.isSuccess(exit) && failureOf(tx) === undefined
        if (isWhole) yield* commit(tx)
        // Also after a failed COMMIT: the connection's next user must not find an open transaction.
        if (!isWhole || failureOf(tx) !== undefined) yield* rollback(tx)
        const failure = failureOf(tx)
        if (failure?.kind === "defect") return yield* Effect.die(failure.cause)
        return failure === undefined ? { exit } : { failure }
      })
    )
  )

const mayRepeat = (failure: Failure, attempt: number): boolean => {
  if (failure.outcome === "unknown" || attempt >= maxRetries) return false
  return failure.kind === "retry" || (failure.kind === "lost" && attempt === 0)
}

/**
 * Runs the statements of `opening` and `body` as one transaction. Retried as a whole when the server rolled it back
 * because of a concurrent one (up to 5 times), or when the connection broke before COMMIT was sent (once). Statements of
 * `opening` go out together with BEGIN; should BEGIN fail, each of them commits by itself, so they must do no harm alone.
 * Owners have their connections by turns; `attempt` counts from 0.
 */
export const transaction = <O, A, E, R>(
  pool: ConnectionPool,
  statements: Statements<O, A, E, R>,
  owner?: string,
  attempt = 0
): Effect.Effect<A, E | SqlError | StorageUnavailable, R> =>
  Effect.flatMap(
    pool.limiter.withPermit(once(pool, { ...statements, begin: "begin", acquire: lend }), owner),
    (result): Effect.Effect<A, E | SqlError | StorageUnavailable, R> => {
      if (result.failure === undefined) return result.exit
      const failure = result.failure
      return mayRepeat(failure, attempt)
        ? Effect.andThen(jitter(attempt), transaction(pool, statements, owner, attempt + 1))
        : Effect.fail(unavailable(failure.outcome, failure.cause))
    }
  )

/**
 * Runs the body's statements, which only read, on one consistent state. Never retried, since long reads are streamed to
 * the caller while they run.
 */
export const snapshot = <A, E, R>(
  pool: ConnectionPool,
  body: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError | StorageUnavailable, R> =>
  Effect.flatMap(
    pool.limiter.withPermit(
      once(pool, {
        begin: "begin isolation level repeatable read read only",
        acquire: reserve,
        opening: Effect.void,
        body: () => body
      })
    ),
    (result): Effect.Effect<A, E | StorageUnavailable> =>
      result.failure === undefined ? result.exit : Effect.fail(unavailable("not-applied", result.failure.cause))
  )
