import { Deferred, Effect, Exit, type Scope } from "effect"

/** The answer for what somebody else is just holding. */
export const held = "held"
export type Held = typeof held

export interface Gathered<Ask, Answer, E> {
  /** What asks have in common that must not be answered at the same time, such as an account. */
  readonly keyOf?: (ask: Ask) => string
  /** How many runs may be under way at a time. */
  readonly atOnce: number
  /**
   * Answers asks of any keys, in their order. Those of a key that somebody else holds are `held`, and run again with
   * `waits`: then all asks are of that one key, and none is held.
   */
  readonly run: (asks: ReadonlyArray<Ask>, waits: boolean) => Effect.Effect<ReadonlyArray<Answer | Held>, E>
}

interface Waiting<Ask, Answer, E> {
  readonly ask: Ask
  readonly answer: Deferred.Deferred<Answer, E>
}

interface Queue<Ask, Answer, E> {
  readonly key: unknown
  waiting: Array<Waiting<Ask, Answer, E>>
  busy: boolean
}

/**
 * Answers together what is asked at the same time: asks that arrive while enough runs are under way gather, and go as
 * the next one. No ask is answered by a run that began before it came. No key waits for another one that is held.
 * Closing the scope interrupts the runs, and whoever waits is answered all the same.
 */
export const makeGathering = <Ask, Answer, E>(
  { keyOf, atOnce, run }: Gathered<Ask, Answer, E>,
  scope: Scope.Scope
): ((ask: Ask) => Effect.Effect<Answer, E>) => {
  type Each = Waiting<Ask, Answer, E>
  const queues = new Map<unknown, Queue<Ask, Answer, E>>()
  let workers = 0

  const isReady = (queue: Queue<Ask, Answer, E>) => !queue.busy && queue.waiting.length > 0
  const inBackground = (work: Effect.Effect<void>) => Effect.forkIn(work, scope, { uninterruptible: true })

  /** Hands out the answers; those who were held are left over. */
  const answerAll = (waiting: ReadonlyArray<Each>, exit: Exit.Exit<ReadonlyArray<Answer | Held>, E>) =>
    waiting.filter(({ answer }, at) => {
      const own = Exit.map(exit, (answers) => answers[at]!)
      if (Exit.isSuccess(own) && own.value === held) return true
      Deferred.doneUnsafe(answer, own as Exit.Exit<Answer, E>)
      return false
    })

  const runOn = (waiting: ReadonlyArray<Each>, waits: boolean) =>
    Effect.map(
      Effect.exit(
        Effect.interruptible(
          Effect.suspend(() =>
            run(
              waiting.map(({ ask }) => ask),
              waits
            )
          )
        )
      ),
      (exit) => answerAll(waiting, exit)
    )

  const letGo = (queue: Queue<Ask, Answer, E>): void => {
    queue.busy = false
    if (queue.waiting.length === 0) queues.delete(queue.key)
  }

  const alone = (queue: Queue<Ask, Answer, E>, waiting: ReadonlyArray<Each>) =>
    Effect.andThen(
      runOn(waiting, true),
      Effect.suspend(() => {
        letGo(queue)
        return wake
      })
    )

  const round = (ready: ReadonlyArray<Queue<Ask, Answer, E>>) =>
    Effect.gen(function* () {
      const waiting = ready.flatMap((queue) => queue.waiting)
      for (const queue of ready) {
        queue.busy = true
        queue.waiting = []
      }
      const left = yield* runOn(waiting, false)
      for (const queue of ready) {
        const own = left.length === 0 ? left : left.filter(({ ask }) => keyOf?.(ask) === queue.key)
        if (own.length === 0) letGo(queue)
        else yield* inBackground(alone(queue, own))
      }
    })

  const work = Effect.gen(function* () {
    for (let ready = [...queues.values()].filter(isReady); ready.length > 0;) {
      yield* round(ready)
      ready = [...queues.values()].filter(isReady)
    }
    workers--
  })

  const wake: Effect.Effect<void> = Effect.suspend(() => {
    if (workers >= atOnce) return Effect.void
    workers++
    return Effect.asVoid(inBackground(work))
  })

  return (ask) =>
    Effect.suspend(() => {
      const key = keyOf === undefined ? {} : keyOf(ask)
      const answer: Deferred.Deferred<Answer, E> = Deferred.makeUnsafe()
      const queue = queues.get(key)
      if (queue === undefined) queues.set(key, { key, waiting: [{ ask, answer }], busy: false })
      else queue.waiting.push({ ask, answer })
      return Effect.andThen(queue?.busy === true ? Effect.void : wake, Deferred.await(answer))
    })
}
