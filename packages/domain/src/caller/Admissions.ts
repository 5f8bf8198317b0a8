import { Clock, Deferred, Effect, Exit, type Scope } from "effect"
import type { StorageUnavailable } from "../Errors.ts"
import { type Admission, held, type KeyStore } from "../ports/KeyStore.ts"

/** The part of a statement's answer that belongs to one request. */
export interface Turn {
  readonly admission: Admission
  /** Whether this request fitted in the window. */
  readonly admitted: boolean
  /** Requests left in the window after this one. */
  readonly remaining: number
}

type Outcome = Exit.Exit<Admission | undefined, StorageUnavailable>
type Waiter = Deferred.Deferred<Turn | undefined, StorageUnavailable>

interface Queue {
  readonly id: string
  readonly secretHash: string
  waiters: Array<Waiter>
  /** Whether a statement for this key alone is under way. */
  alone: boolean
}

/**
 * Counts requests so that at most one statement is under way in this process, for all keys: requests that arrive
 * meanwhile gather and go together as the next one. A key that another process holds has its own statement, so that
 * no other key waits for it. No request is answered by a statement that began before the request came, so that a
 * revocation holds from the moment it is committed.
 */
export const makeAdmissions = (
  store: KeyStore["Service"],
  scope: Scope.Scope
): ((id: string, secretHash: string) => Effect.Effect<Turn | undefined, StorageUnavailable>) => {
  const queues = new Map<string, Queue>()
  let running = false

  /** Those who wait, and nobody after them. */
  const take = (queue: Queue): ReadonlyArray<Waiter> => {
    const waiters = queue.waiters
    queue.waiters = []
    return waiters
  }
  const release = (name: string, queue: Queue): void => {
    if (queue.waiters.length === 0 && !queue.alone) queues.delete(name)
  }
  // Interrupted with the scope, it still answers everybody who waits.
  const inBackground = (work: Effect.Effect<void>) => Effect.forkIn(work, scope, { uninterruptible: true })

  /** Until the other one lets go of the key. */
  const admitAlone = (name: string, queue: Queue, waiters: ReadonlyArray<Waiter>) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const { id, secretHash } = queue
      const asked = { id, secretHash, requests: waiters.length }
      share(waiters, yield* Effect.exit(Effect.interruptible(store.admit(asked, now))))
      queue.alone = false
      if (queue.waiters.length > 0) yield* wake
      release(name, queue)
    })

  const round = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const turn = [...queues]
      .filter(([, queue]) => !queue.alone && queue.waiters.length > 0)
      .map(([name, queue]) => ({ name, queue, waiters: take(queue) }))
    const asked = turn.map(({ queue: { id, secretHash }, waiters }) => ({ id, secretHash, requests: waiters.length }))
    const exit = yield* Effect.exit(Effect.interruptible(store.admitAll(asked, now)))
    for (const [at, { name, queue, waiters }] of turn.entries()) {
      const outcome = Exit.map(exit, (admissions) => admissions[at])
      if (Exit.isSuccess(outcome) && outcome.value === held) {
        queue.alone = true
        yield* inBackground(admitAlone(name, queue, waiters))
      } else share(waiters, outcome as Outcome)
      release(name, queue)
    }
  })

  const run = Effect.gen(function* () {
    const waiting = () => [...queues.values()].some((queue) => !queue.alone && queue.waiters.length > 0)
    while (waiting()) yield* round
    running = false
  })

  const wake: Effect.Effect<void> = Effect.suspend(() => {
    if (running) return Effect.void
    running = true
    return Effect.asVoid(inBackground(run))
  })

  return (id, secretHash) =>
    Effect.suspend(() => {
      const name = `${id} ${secretHash}`
      const waiter: Waiter = Deferred.makeUnsafe()
      const queue = queues.get(name)
      if (queue === undefined) queues.set(name, { id, secretHash, waiters: [waiter], alone: false })
      else queue.waiters.push(waiter)
      return Effect.andThen(wake, Deferred.await(waiter))
    })
}

/** Hands each request its own place in the window, in the order in which they came. */
const share = (waiters: ReadonlyArray<Waiter>, exit: Outcome): void => {
  if (exit._tag === "Failure" || exit.value === undefined) {
    for (const waiter of waiters) Deferred.doneUnsafe(waiter, exit as Exit.Exit<undefined, StorageUnavailable>)
    return
  }
  const admission = exit.value
  const before = admission.used - admission.admitted
  waiters.forEach((waiter, at) => {
    const admitted = at < admission.admitted
    const remaining = admitted ? Math.max(0, admission.key.rateLimit - before - at - 1) : 0
    Deferred.doneUnsafe(waiter, Effect.succeed({ admission, admitted, remaining }))
  })
}
