import type { PgConnection } from "@effect/sql-pg/PgConnection"
import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { Context, Effect, Exit } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { asResult, type ConnectionPool, type Params, query, type Reading, reserve } from "./ConnectionPool.ts"
import { jitter, maxRetries } from "./Retry.ts"
import { classify, classifyCommit, commitRefused, type SqlFailure, unavailable } from "./SqlErrors.ts"

/** The transaction that a fiber is in. */
export interface Transaction {
  readonly pool: ConnectionPool
  readonly connection: PgConnection
  /** The write timestamps handed out, by owner. */
  readonly writeTimestamps: Map<string, number>
  /** The first failure of a statement that is not a defect. Once set, the whole transaction is rolled back. */
  failure: Failure | undefined
}

interface Failure {
  readonly kind: Exclude<SqlFailure, "defect">
  readonly outcome: "not-applied" | "unknown"
  readonly cause: SqlError
}

export const CurrentTransaction = Context.Reference<Transaction | undefined>(
  "@lists-and-things/storage-pg/CurrentTransaction",
  { defaultValue: () => undefined }
)

/** Runs a statement in the transaction. */
export const statementIn = <A>(
  tx: Transaction,
  reading: Reading<A>,
  sql: string,
  params?: Params
): Effect.Effect<A, StorageUnavailable> =>
  query(tx.pool, tx.connection, reading, sql, params).pipe(
    Effect.catchTag("SqlError", (cause) => {
      const kind = classify(cause)
      if (kind === "defect") return Effect.die(cause)
      tx.failure ??= { kind, outcome: "not-applied", cause }
      return Effect.fail(unavailable("not-applied", cause))
    })
  )

type Begin = "begin" | "begin isolation level repeatable read read only"

const control = (tx: Transaction, sql: Begin | "commit", outcome: Failure["outcome"]): Effect.Effect<string> =>
  query(tx.pool, tx.connection, asResult, sql).pipe(
    Effect.map((result) => result.command),
    Effect.catchTag("SqlError", (cause) => {
      const kind = sql === "commit" ? classifyCommit(cause) : classify(cause)
      if (kind === "defect") return Effect.die(cause)
      tx.failure ??= { kind, outcome: commitRefused(cause) ? "not-applied" : outcome, cause }
      return Effect.succeed("FAILED")
    })
  )

/** An aborted transaction answers COMMIT with ROLLBACK; then the body has swallowed the defect of a statement. */
const commit = (tx: Transaction): Effect.Effect<void> =>
  Effect.flatMap(control(tx, "commit", "unknown"), (command) =>
    command === "ROLLBACK" ? Effect.die(new Error("The transaction had failed before it was committed")) : Effect.void
  )

const rollback = (tx: Transaction): Effect.Effect<void> =>
  Effect.catchCause(query(tx.pool, tx.connection, asResult, "rollback"), () =>
    tx.pool.connections.invalidate(tx.connection)
  ).pipe(Effect.asVoid)

type Attempt<A, E> = { readonly exit: Exit.Exit<A, E>; readonly failure?: undefined } | { readonly failure: Failure }

/** One attempt. A failure is one that rolled the transaction back or left the outcome of its COMMIT unknown. */
const once = <A, E, R>(
  pool: ConnectionPool,
  body: Effect.Effect<A, E, R>,
  begin: Begin = "begin"
): Effect.Effect<Attempt<A, E>, SqlError, R> =>
  Effect.scoped(
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const connection = yield* restore(reserve(pool))
        const tx: Transaction = { pool, connection, writeTimestamps: new Map(), failure: undefined }
        yield* control(tx, begin, "not-applied")
        if (failureOf(tx) === undefined) {
          const exit = yield* Effect.exit(restore(Effect.provideService(body, CurrentTransaction, tx)))
          const isWhole = Exit.isSuccess(exit) && failureOf(tx) === undefined
          if (isWhole) yield* commit(tx)
          // Also after a failed COMMIT: the connection's next user must not find an open transaction.
          if (!isWhole || failureOf(tx) !== undefined) yield* rollback(tx)
          if (failureOf(tx) === undefined) return { exit }
        }
        return { failure: failureOf(tx)! }
      })
    )
  )

const failureOf = (tx: Transaction): Failure | undefined => tx.failure

const mayRepeat = (failure: Failure, attempt: number): boolean => {
  if (failure.outcome === "unknown" || attempt >= maxRetries) return false
  return failure.kind === "retry" || (failure.kind === "lost" && attempt === 0)
}

/**
 * Runs the body's statements as one transaction. Retried as a whole when the server rolled it back because of a
 * concurrent one (up to 5 times), or when the connection broke before COMMIT was sent (once).
 */
export const transaction = <A, E, R>(
  pool: ConnectionPool,
  body: Effect.Effect<A, E, R>,
  attempt = 0
): Effect.Effect<A, E | SqlError | StorageUnavailable, R> =>
  Effect.flatMap(
    pool.limiter.withPermit(once(pool, body)),
    (result): Effect.Effect<A, E | SqlError | StorageUnavailable, R> => {
      if (result.failure === undefined) return result.exit
      const failure = result.failure
      return mayRepeat(failure, attempt)
        ? Effect.andThen(jitter(attempt), transaction(pool, body, attempt + 1))
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
    pool.limiter.withPermit(once(pool, body, "begin isolation level repeatable read read only")),
    (result): Effect.Effect<A, E | StorageUnavailable> =>
      result.failure === undefined ? result.exit : Effect.fail(unavailable("not-applied", result.failure.cause))
  )
