import { Cause, type Context, Deferred, Effect, Exit, type Scope } from "effect"

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
}

interface PendingRequest<Request, Answer, E> {
  readonly request: Request
  readonly answer: Deferred.Deferred<Answer, E>
  readonly context: Context.Context<never>
}

interface Queue<Request, Answer, E> {
  readonly key: unknown
  pending: Array<PendingRequest<Request, Answer, E>>
  inBatch: boolean
}

/**
 * Coalesces concurrent requests; those that arrive during a batch form the next one. No request is answered by a batch
 * that began before it arrived, and no key waits for a contended one. A batch runs in the context of its first request.
 * Closing the scope interrupts the batches; their waiters are still answered.
 */
export const makeBatcher = <Request, Answer, E>(
  {
    isRefusal = () => false,
    keyOf,
    keysPerBatch = Infinity,
    maxConcurrentBatches,
    runBatch
  }: BatcherOptions<Request, Answer, E>,
  scope: Scope.Scope
): ((request: Request) => Effect.Effect<Answer, E>) => {
  type Pending = PendingRequest<Request, Answer, E>
  const queues = new Map<unknown, Queue<Request, Answer, E>>()
  let workers = 0

  const isReady = (queue: Queue<Request, Answer, E>) => !queue.inBatch && queue.pending.length > 0
  const inBackground = (work: Effect.Effect<void>) => Effect.forkIn(work, scope, { uninterruptible: true })

  /** Completes the requests; returns the contended ones. */
  const answerAll = (pending: ReadonlyArray<Pending>, exit: Exit.Exit<ReadonlyArray<Answer | Contended>, E>) =>
    pending.filter(({ answer }, at) => {
      const own = Exit.map(exit, (answers) => answers[at]!)
      if (Exit.isSuccess(own) && own.value === contended) return true
      Deferred.doneUnsafe(answer, own as Exit.Exit<Answer, E>)
      return false
    })

  /** Returns the contended requests. What the storage refuses for one request fails no other. */
  const batch = (pending: ReadonlyArray<Pending>, mode: LockMode): Effect.Effect<ReadonlyArray<Pending>> =>
    Effect.flatMap(attempt(pending, mode), (exit) =>
      pending.length > 1 && Exit.isFailure(exit) && isRefused(exit.cause)
        ? Effect.map(
            Effect.forEach(pending, (each) => batch([each], mode)),
            (left) => left.flat()
          )
        : Effect.sync(() => answerAll(pending, exit))
    )

  const isRefused = (cause: Cause.Cause<E>) => Cause.hasDies(cause) && isRefusal(Cause.squash(cause))

  const attempt = (pending: ReadonlyArray<Pending>, mode: LockMode) => {
    const requests = pending.map(({ request }) => request)
    const run = Effect.updateContext(
      Effect.suspend(() => runBatch(requests, mode)),
      (_: Context.Context<never>) => pending[0]!.context
    )
    return Effect.exit(Effect.interruptible(run))
  }

  const release = (queue: Queue<Request, Answer, E>): void => {
    queue.inBatch = false
    if (queue.pending.length === 0) queues.delete(queue.key)
  }

  const waitForLock = (queue: Queue<Request, Answer, E>, pending: ReadonlyArray<Pending>) =>
    Effect.andThen(
      batch(pending, "wait"),
      Effect.suspend(() => {
        release(queue)
        return startWorker
      })
    )

  const runReady = (ready: ReadonlyArray<Queue<Request, Answer, E>>) =>
    Effect.gen(function* () {
      const pending = ready.flatMap((queue) => queue.pending)
      for (const queue of ready) {
        queue.inBatch = true
        queue.pending = []
      }
      const left = yield* batch(pending, "skip")
      for (const queue of ready) {
        const own = left.length === 0 ? left : left.filter(({ request }) => keyOf?.(request) === queue.key)
        if (own.length === 0) release(queue)
        else yield* inBackground(waitForLock(queue, own))
      }
    })

  const nextReady = () => queues.values().filter(isReady).take(keysPerBatch).toArray()

  const worker = Effect.gen(function* () {
    for (let ready = nextReady(); ready.length > 0; ready = nextReady()) yield* runReady(ready)
    workers--
  })

  const startWorker: Effect.Effect<void> = Effect.suspend(() => {
    if (workers >= maxConcurrentBatches) return Effect.void
    workers++
    return Effect.asVoid(inBackground(worker))
  })

  return (request) =>
    Effect.withFiber(({ context }) => {
      const key = keyOf === undefined ? {} : keyOf(request)
      const answer: Deferred.Deferred<Answer, E> = Deferred.makeUnsafe()
      const queue = queues.get(key)
      if (queue === undefined) queues.set(key, { key, pending: [{ request, answer, context }], inBatch: false })
      else queue.pending.push({ request, answer, context })
      return Effect.andThen(queue?.inBatch === true ? Effect.void : startWorker, Deferred.await(answer))
    })
}
