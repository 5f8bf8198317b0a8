import type { PgConnection } from "@effect/sql-pg/PgConnection"
import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { Context, Effect, Exit, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type ConnectionPool, query, type Query, sharing } from "./ConnectionPool.ts"

/** Answers many requests in one statement, in their order. */
export type BatchQuery<Request, Answer> = (
  requests: ReadonlyArray<Request>
) => Effect.Effect<ReadonlyArray<Answer>, StorageUnavailable>

type OnAnswer<Answer> = (exit: Exit.Exit<Answer, StorageUnavailable>) => void

interface Gathered<Request, Answer> {
  readonly requests: Array<Request>
  readonly onAnswers: Array<OnAnswer<Answer>>
}

/** Starts a read, whose statements go out with the flush. */
export type StartRead = (pipeline: Pipeline) => void

/**
 * One flush of statements on one connection. They run in the order in which they were sent, each on what the ones before
 * it have committed, and a failed one does not keep the others from running.
 */
export class Pipeline {
  readonly #pool: ConnectionPool
  readonly #connection: PgConnection
  readonly #onAnswered: () => void
  readonly #gathered = new Map<unknown, Gathered<unknown, unknown>>()
  #isOpen = true
  #unanswered = 0

  /** `onAnswered` is called when every statement is answered. */
  constructor(pool: ConnectionPool, connection: PgConnection, onAnswered: () => void) {
    this.#pool = pool
    this.#connection = connection
    this.#onAnswered = onAnswered
  }

  /** Whether a statement can still go out with this flush. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  send<A>(asked: Query<A>): Effect.Effect<A, SqlError> {
    return Effect.suspend(() => {
      this.#unanswered++
      return Effect.ensuring(query(this.#pool, this.#connection, asked), this.#answered)
    })
  }

  readonly #answered = Effect.sync(() => {
    this.#unanswered--
    this.#endIfAnswered()
  })

  #endIfAnswered(): void {
    if (this.#unanswered === 0 && !this.#isOpen) this.#onAnswered()
  }

  /** Runs an effect up to where it waits for an answer; its statements until then are part of the flush. */
  start<A, E>(effect: Effect.Effect<A, E>, context: Context.Context<never>, onExit: (exit: Exit.Exit<A, E>) => void) {
    Effect.runForkWith(Context.add(context, CurrentPipeline, this))(effect).addObserver(onExit)
  }

  /** Answers the request together with all others that are given to the same `run` before the flush. */
  gather<Request, Answer>(run: BatchQuery<Request, Answer>, request: Request, onAnswer: OnAnswer<Answer>): void {
    const known = this.#gathered.get(run) as Gathered<Request, Answer> | undefined
    const gathered = known ?? { requests: [], onAnswers: [] }
    if (known === undefined) this.#gathered.set(run, gathered as unknown as Gathered<unknown, unknown>)
    gathered.requests.push(request)
    gathered.onAnswers.push(onAnswer)
  }

  /** Sends what was gathered, and takes no more. */
  flush(context: Context.Context<never>): void {
    for (const [run, { onAnswers, requests }] of this.#gathered)
      this.start((run as BatchQuery<unknown, unknown>)(requests), context, (exit) => {
        for (const [at, onAnswer] of onAnswers.entries())
          onAnswer(Exit.isFailure(exit) ? exit : Exit.succeed(exit.value[at]))
      })
    this.#isOpen = false
    this.#endIfAnswered()
  }
}

/** The flush that the fiber's next statement can go out with. */
export const CurrentPipeline = Context.Reference<Pipeline | undefined>("@lists-and-things/storage-pg/CurrentPipeline", {
  defaultValue: () => undefined
})

const lookUp = Symbol("@lists-and-things/storage-pg/lookUp")

interface LookUp<Request, Answer> {
  readonly run: BatchQuery<Request, Answer>
  readonly request: Request
}

/** The read with what it looks up, so that a flush asks for it without a fiber (`begin`). */
export const asLookUp = <Request, Answer>(
  run: BatchQuery<Request, Answer>,
  request: Request,
  read: Effect.Effect<Answer, StorageUnavailable>
): Effect.Effect<Answer, StorageUnavailable> =>
  Object.assign(read, { [lookUp]: { run, request } satisfies LookUp<Request, Answer> })

/** Starts a read in the context of its own request. */
export const begin =
  <A>(read: Effect.Effect<A, StorageUnavailable>, context: Context.Context<never>, onFound: OnAnswer<A>): StartRead =>
  (pipeline) => {
    const single = (read as { readonly [lookUp]?: LookUp<unknown, A> })[lookUp]
    if (single === undefined) pipeline.start(read, context, onFound)
    else pipeline.gather(single.run, single.request, onFound)
  }

/**
 * Sends a statement, and after it, in the same flush, what each of the others asks for first; those go on by themselves.
 * The connection is held until all of the flush is answered, and the first answer is waited for.
 */
export const flush = <A>(
  pool: ConnectionPool,
  first: Query<A>,
  others: ReadonlyArray<StartRead>,
  scope: Scope.Scope
): Effect.Effect<A, SqlError | StorageUnavailable> =>
  Effect.withFiber(({ context }) =>
    Effect.callback((resume) => {
      const send = (connection: PgConnection, its: ConnectionPool) =>
        Effect.callback<void>((end) => {
          const pipeline = new Pipeline(its, connection, () => end(Effect.void))
          pipeline.start(pipeline.send(first), context, resume)
          for (const other of others) other(pipeline)
          pipeline.flush(context)
        })
      const whole = Effect.onExit(sharing(pool, send), (exit) => {
        if (Exit.isFailure(exit)) resume(Exit.failCause(exit.cause))
        return Effect.void
      })
      Effect.runForkWith(context)(Effect.forkIn(Effect.exit(whole), scope, { startImmediately: true }))
    })
  )
