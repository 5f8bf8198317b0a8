import type { PgConnection } from "@effect/sql-pg/PgConnection"
import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { Context, Deferred, Effect, Exit, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type ConnectionPool, type Params, query, type Reading, sharing } from "./ConnectionPool.ts"

/** Answers many requests in one statement, in their order. */
export type Together<Request, Answer> = (
  requests: ReadonlyArray<Request>
) => Effect.Effect<ReadonlyArray<Answer>, StorageUnavailable>

interface Gathered<Request, Answer> {
  readonly requests: Array<Request>
  readonly answers: Deferred.Deferred<ReadonlyArray<Answer>, StorageUnavailable>
}

/**
 * One flush of statements on one connection. They run in the order in which they were sent, each on what the ones before
 * it have committed, and a failed one does not keep the others from running.
 */
export class Pipeline {
  readonly #pool: ConnectionPool
  readonly #connection: PgConnection
  readonly #gathered = new Map<unknown, Gathered<unknown, unknown>>()
  #isOpen = true
  #unanswered = 0
  #answered: (() => void) | undefined

  constructor(pool: ConnectionPool, connection: PgConnection) {
    this.#pool = pool
    this.#connection = connection
  }

  /** Whether a statement can still go out with this flush. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  send<A>(reading: Reading<A>, sql: string, params?: Params): Effect.Effect<A, SqlError> {
    return Effect.suspend(() => {
      this.#unanswered++
      return Effect.ensuring(
        query(this.#pool, this.#connection, reading, sql, params),
        Effect.sync(() => {
          if (--this.#unanswered === 0) this.#answered?.()
        })
      )
    })
  }

  /** Answers the request together with all others that are given to the same `run` before the flush. */
  gather<Request, Answer>(run: Together<Request, Answer>, request: Request): Effect.Effect<Answer, StorageUnavailable> {
    return Effect.suspend(() => {
      const known = this.#gathered.get(run) as Gathered<Request, Answer> | undefined
      const gathered = known ?? { requests: [], answers: Deferred.makeUnsafe() }
      if (known === undefined) this.#gathered.set(run, gathered as Gathered<unknown, unknown>)
      const at = gathered.requests.push(request) - 1
      return Effect.map(Deferred.await(gathered.answers), (answers) => answers[at]!)
    })
  }

  /** Sends what was gathered, and takes no more. */
  get flushed(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const runs = [...this.#gathered].map(([run, { answers, requests }]) =>
        startNow(this, Deferred.into((run as Together<unknown, unknown>)(requests), answers))
      )
      return Effect.andThen(
        Effect.all(runs, { discard: true }),
        Effect.sync(() => {
          this.#isOpen = false
        })
      )
    })
  }

  /** Waits until each statement of the flush is answered. */
  get answered(): Effect.Effect<void> {
    return Effect.callback((resume) => {
      if (this.#unanswered === 0) return resume(Effect.void)
      this.#answered = () => resume(Effect.void)
    })
  }
}

/** The flush that the fiber's next statement can go out with. */
export const CurrentPipeline = Context.Reference<Pipeline | undefined>("@lists-and-things/storage-pg/CurrentPipeline", {
  defaultValue: () => undefined
})

/** Runs an effect up to where it waits for an answer; its statements until then are part of the flush. */
const startNow = (pipeline: Pipeline, effect: Effect.Effect<unknown>): Effect.Effect<unknown> =>
  Effect.forkDetach(Effect.provideService(effect, CurrentPipeline, pipeline), { startImmediately: true })

/**
 * Sends a statement, and after it, in the same flush, what each of the others asks for first; those go on by themselves.
 * The connection is held until all of the flush is answered, and the first answer is waited for.
 */
export const flush = <A>(
  pool: ConnectionPool,
  first: { readonly reading: Reading<A>; readonly sql: string; readonly params: Params },
  others: ReadonlyArray<Effect.Effect<void>>,
  scope: Scope.Scope
): Effect.Effect<A, SqlError | StorageUnavailable> =>
  Effect.suspend(() => {
    const answer = Deferred.makeUnsafe<A, SqlError | StorageUnavailable>()
    const send = (connection: PgConnection) =>
      Effect.gen(function* () {
        const pipeline = new Pipeline(pool, connection)
        const sent = pipeline.send(first.reading, first.sql, first.params)
        yield* Effect.forkDetach(Deferred.into(sent, answer), { startImmediately: true })
        for (const other of others) yield* startNow(pipeline, other)
        yield* pipeline.flushed
        yield* pipeline.answered
      })
    const whole = Effect.onExit(sharing(pool, send), (exit) =>
      Exit.isFailure(exit) ? Deferred.failCause(answer, exit.cause) : Effect.void
    )
    return Effect.andThen(Effect.forkIn(Effect.exit(whole), scope, { startImmediately: true }), Deferred.await(answer))
  })
