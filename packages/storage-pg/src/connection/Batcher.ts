import { Cause, type Context, Effect, Exit, Result, type Scope } from "effect"

/** Another transaction holds this row's lock. */
export const contended = "contended"
export type Contended = typeof contended

/** How a batch treats rows that another transaction has locked: answer `contended`, or wait for the lock. */
export type LockMode = "skip" | "wait"

export interface BatcherOptions<Request, Answer, E> {
  /** Requests with the same key, such as an account, are never in two batches at a time. */
  readonly keyOf?: (request: Request) => string
  readonly maxConcurrentBatches: number
  /** Keys that one batch may have requests of; any number by default. */
  readonly keysPerBatch?: number
  /**
   * Answers requests of any keys, in request order. Requests of a `contended` key run again with lock mode `wait`: that
   * batch has only this key, and none of its answers is `contended`. Where a defect `isRefusal`, each request
   * of the batch runs again, alone.
   */
  readonly runBatch: (
    requests: ReadonlyArray<Request>,
    mode: LockMode
  ) => Effect.Effect<ReadonlyArray<Answer | Contended>, E>
  /** Whether a defect certainly left nothing behind of its batch. By default none does. */
  readonly isRefusal?: (defect: unknown) => boolean
  /**
   * How requests fail that are still waiting when a batch fails, and would otherwise wait for another one; none do by
   * default.
   */
  readonly late?: LateRequestPolicy<E>
}

export interface LateRequestPolicy<E> {
  /** Requests that have waited for more than these milliseconds fail as well. The batch took `tookMillis`. */
  readonly after: (ofBatch: E, tookMillis: number) => number
  /** The failure of such a request, of which nothing was sent. */
  readonly failure: (ofBatch: E) => E
}

interface PendingRequest<Request, Answer, E> {
  readonly request: Request
  readonly context: Context.Context<never>
  /** By the monotonic clock. */
  readonly since: number
  readonly onAnswer: (exit: Exit.Exit<Answer, E>) => void
}

export interface Batcher<Request, Answer, E> {
  readonly answer: (request: Request) => Effect.Effect<Answer, E>
  /** The same for a request that does not wait in a fiber; `onAnswer` is called once. */
  readonly enqueue: (
    request: Request,
    context: Context.Context<never>,
    onAnswer: (exit: Exit.Exit<Answer, E>) => void
  ) => void
}

interface Queue<Request, Answer, E> {
  readonly key: unknown
  pending: Array<PendingRequest<Request, Answer, E>>
  inBatch: boolean
}

/** Runs a batch once, in the context of its first request. */
const attempt = <Request, Answer, E>(
  runBatch: BatcherOptions<Request, Answer, E>["runBatch"],
  pending: ReadonlyArray<PendingRequest<Request, Answer, E>>,
  mode: LockMode
): Effect.Effect<Exit.Exit<ReadonlyArray<Answer | Contended>, E>> => {
  const requests = pending.map(({ request }) => request)
  const run = Effect.updateContext(
    Effect.suspend(() => runBatch(requests, mode)),
    (_: Context.Context<never>) => pending[0]!.context
  )
  return Effect.exit(Effect.interruptible(run))
}

/** Completes the requests of a batch; returns the contended ones. */
const answerAll = <Request, Answer, E>(
  pending: ReadonlyArray<PendingRequest<Request, Answer, E>>,
  exit: Exit.Exit<ReadonlyArray<Answer | Contended>, E>
): ReadonlyArray<PendingRequest<Request, Answer, E>> =>
  pending.filter(({ onAnswer }, at) => {
    if (Exit.isFailure(exit)) onAnswer(Exit.failCause(exit.cause))
    else {
      const own = exit.value[at]!
      if (own === contended) return true
      onAnswer(Exit.succeed(own as Answer))
    }
    return false
  })

/**
 * Coalesces concurrent requests: those of one turn of the event loop, and those that arrive during a batch, form the next
 * one. No request is answered by a batch that began before it arrived, and no key waits for a contended one. A batch runs
 * in the context of its first request. Closing the scope interrupts the batches; their waiters are still answered.
 */
export const makeBatcher = <Request, Answer, E>(
  {
    isRefusal = () => false,
    keyOf,
    keysPerBatch = Infinity,
    late,
    maxConcurrentBatches,
    runBatch
  }: BatcherOptions<Request, Answer, E>,
  scope: Scope.Scope
): Batcher<Request, Answer, E> => {
  type Pending = PendingRequest<Request, Answer, E>
  const queues = new Map<unknown, Queue<Request, Answer, E>>()
  let workers = 0

  const isReady = (queue: Queue<Request, Answer, E>) => !queue.inBatch && queue.pending.length > 0
  const inBackground = (work: Effect.Effect<void>) =>
    Effect.forkIn(work, scope, { uninterruptible: true, startImmediately: true })

  const failLate = ({ after, failure }: LateRequestPolicy<E>, error: E, began: number): void => {
    const exit = Exit.fail(failure(error))
    const now = performance.now()
    const latest = now - after(error, now - began)
    for (const queue of queues.values()) {
      const inTime = queue.pending.findIndex(({ since }) => since > latest)
      const own = queue.pending.splice(0, inTime < 0 ? queue.pending.length : inTime)
      for (const { onAnswer } of own) onAnswer(exit)
      if (queue.pending.length === 0 && !queue.inBatch) queues.delete(queue.key)
    }
  }

  /** Returns the contended requests. A refusal by the storage because of one request does not fail the others. */
  const batch = (pending: ReadonlyArray<Pending>, mode: LockMode): Effect.Effect<ReadonlyArray<Pending>> =>
    Effect.suspend(() => {
      const began = performance.now()
      return Effect.flatMap(attempt(runBatch, pending, mode), (exit) =>
        pending.length > 1 && Exit.isFailure(exit) && isRefused(exit.cause)
          ? Effect.map(
              Effect.forEach(pending, (each) => batch([each], mode)),
              (left) => left.flat()
            )
          : Effect.sync(() => {
              const left = answerAll(pending, exit)
              if (late === undefined || Exit.isSuccess(exit)) return left
              const failed = Cause.findError(exit.cause)
              if (Result.isSuccess(failed)) failLate(late, failed.success, began)
              return left
            })
      )
    })

  const isRefused = (cause: Cause.Cause<E>) => Cause.hasDies(cause) && isRefusal(Cause.squash(cause))

  const release = (queue: Queue<Request, Answer, E>): void => {
    queue.inBatch = false
    if (queue.pending.length === 0) queues.delete(queue.key)
  }

  const waitForLock = (queue: Queue<Request, Answer, E>, pending: ReadonlyArray<Pending>) =>
    Effect.andThen(
      batch(pending, "wait"),
      Effect.sync(() => {
        release(queue)
        startWorker()
      })
    )

  const runReady = (ready: ReadonlyArray<Queue<Request, Answer, E>>, pending: ReadonlyArray<Pending>) =>
    Effect.flatMap(batch(pending, "skip"), (left) => {
      workers--
      const waiting = ready.flatMap((queue) => {
        const own = left.length === 0 ? left : left.filter(({ request }) => keyOf?.(request) === queue.key)
        if (own.length > 0) return inBackground(waitForLock(queue, own))
        release(queue)
        return []
      })
      startWorker()
      return Effect.all(waiting, { discard: true })
    })

  const nextReady = () => queues.values().filter(isReady).take(keysPerBatch).toArray()

  const work = (): void => {
    const ready = nextReady()
    const pending = ready.flatMap((queue) => queue.pending)
    const [first] = pending
    if (first === undefined) return void workers--
    for (const queue of ready) {
      queue.inBatch = true
      queue.pending = []
    }
    Effect.runForkWith(first.context)(inBackground(runReady(ready, pending)))
  }

  /** At the end of this turn of the event loop, since more requests may come in it. */
  const startWorker = (): void => {
    if (workers >= maxConcurrentBatches || queues.size === 0) return
    workers++
    setImmediate(work)
  }

  const enqueue: Batcher<Request, Answer, E>["enqueue"] = (request, context, onAnswer) => {
    const key = keyOf === undefined ? {} : keyOf(request)
    const queue = queues.get(key)
    const pending = { request, context, since: performance.now(), onAnswer }
    if (queue === undefined) queues.set(key, { key, pending: [pending], inBatch: false })
    else queue.pending.push(pending)
    if (queue?.inBatch !== true) startWorker()
  }

  return {
    enqueue,
    answer: (request) =>
      Effect.withFiber(({ context }) => Effect.callback((resume) => enqueue(request, context, resume)))
  }
}
