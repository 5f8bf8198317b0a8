import { Clock, Deferred, Effect, type Exit, type Scope } from "effect"
import type { StorageUnavailable } from "../Errors.ts"
import type { Admission, KeyStore } from "../ports/KeyStore.ts"

/** The part of a statement's answer that belongs to one request. */
export interface Turn {
  readonly admission: Admission
  /** Whether this request fitted in the window. */
  readonly admitted: boolean
  /** Requests left in the window after this one. */
  readonly remaining: number
}

type Waiter = Deferred.Deferred<Turn | undefined, StorageUnavailable>

/**
 * Counts requests so that at most one statement of a key is under way in this process: those that arrive
 * meanwhile gather and go together as the next one. No request is answered by a statement that began before
 * the request came, so that a revocation holds from the moment it is committed.
 */
export const makeAdmissions = (
  store: KeyStore["Service"],
  scope: Scope.Scope
): ((id: string, secretHash: string) => Effect.Effect<Turn | undefined, StorageUnavailable>) => {
  /** Present while a statement of that key is under way; the requests for the next one. */
  const gathering = new Map<string, Array<Waiter>>()

  const run = Effect.fnUntraced(function* (id: string, secretHash: string, first: ReadonlyArray<Waiter>) {
    const name = `${id} ${secretHash}`
    for (let waiters = first; waiters.length > 0;) {
      const now = yield* Clock.currentTimeMillis
      const exit = yield* Effect.exit(Effect.interruptible(store.admit(id, secretHash, waiters.length, now)))
      share(waiters, exit)
      waiters = gathering.get(name) ?? []
      if (waiters.length > 0) gathering.set(name, [])
      else gathering.delete(name)
    }
  })

  return (id, secretHash) =>
    Effect.suspend(() => {
      const name = `${id} ${secretHash}`
      const waiter: Waiter = Deferred.makeUnsafe()
      const next = gathering.get(name)
      if (next !== undefined) {
        next.push(waiter)
        return Deferred.await(waiter)
      }
      gathering.set(name, [])
      // Interrupted with the scope, it still answers everybody who waits.
      const running = Effect.forkIn(run(id, secretHash, [waiter]), scope, { uninterruptible: true })
      return Effect.andThen(running, Deferred.await(waiter))
    })
}

/** Hands each request its own place in the window, in the order in which they came. */
const share = (waiters: ReadonlyArray<Waiter>, exit: Exit.Exit<Admission | undefined, StorageUnavailable>): void => {
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
