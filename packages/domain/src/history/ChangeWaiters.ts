import { Clock, Context, Effect, Fiber, Layer } from "effect"
import { TooManyWaiting, Unauthorized } from "../model/Errors.ts"
import type { AccountId } from "../model/Ids.ts"
import type { Actor } from "../model/Operation.ts"
import { HistoryStore } from "../ports/HistoryStore.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"

/** Milliseconds between two polls. */
const pollMillis = 500

/** Waiting requests of one key, or of one app in one account. */
const maxWaitersOfOne = 20

/** A request that waits for the next write of an account. */
export interface Wait {
  readonly owner: AccountId
  /** The account's last write timestamp that the request has seen. */
  readonly seen: EpochMillis
  /** Who waits: a key whose revocation ends it, an app that a person let in, or somebody at the machine itself. */
  readonly by: Pick<Actor, "type" | "id">
  /** How long it waits at most. */
  readonly millis: number
}

/** Why a wait ended: the account was written to, the time is over, or this process stops. */
export type WakeReason = "written" | "timeout" | "closing"

/** `Unauthorized` when the key was revoked meanwhile, `TooManyWaiting` beyond 20 waits of one key or app. */
export type Outcome = Effect.Effect<WakeReason, TooManyWaiting | Unauthorized>

interface Waiter extends Omit<Wait, "millis" | "by"> {
  /** The API key that may be revoked. */
  readonly key: string | undefined
  /** Whose waits are counted together. */
  readonly counted: string | undefined
  /** Nanoseconds of the monotonic clock. */
  readonly deadline: bigint
  readonly ended: (outcome: Outcome) => void
}

/**
 * Requests that wait for changes. However many they are, one query each half second polls all of their accounts and
 * keys. A waiting request holds no connection and no fiber, only an entry in a set.
 */
export class ChangeWaiters extends Context.Service<
  ChangeWaiters,
  {
    /**
     * Calls `ended` exactly once, possibly before it returns. The returned function cancels the wait, and `ended` is
     * then not called.
     */
    readonly begin: (wait: Wait, ended: (outcome: Outcome) => void) => () => void
    /** Waits in the fiber. */
    readonly wait: (wait: Wait) => Outcome
    /** Fails if one more wait would exceed the limit, for hosts that refuse before the wait begins. */
    readonly checkLimit: (owner: AccountId, by: Wait["by"]) => Effect.Effect<void, TooManyWaiting>
    /** How many wait. */
    readonly count: () => number
    /** Ends all waits, and immediately any that begin later; for a process that is about to stop. */
    readonly close: Effect.Effect<void>
  }
>()("@lists-and-things/domain/history/ChangeWaiters") {
  static readonly layer = Layer.effect(
    ChangeWaiters,
    Effect.gen(function* () {
      const history = yield* HistoryStore
      const scope = yield* Effect.scope
      const clock = yield* Clock.Clock
      const fork = Effect.runForkWith(yield* Effect.context())
      const waiters = new Set<Waiter>()
      const waits = new Map<string, number>()
      let isPolling = false
      let isClosed = false

      const count = ({ counted }: Waiter, more: number): void => {
        if (counted === undefined) return
        const now = (waits.get(counted) ?? 0) + more
        if (now === 0) waits.delete(counted)
        else waits.set(counted, now)
      }

      const forget = (waiter: Waiter): boolean => {
        const waited = waiters.delete(waiter)
        if (waited) count(waiter, -1)
        return waited
      }

      const end = (waiter: Waiter, outcome: Outcome): void => {
        if (forget(waiter)) waiter.ended(outcome)
      }

      const answerDue = Effect.map(Clock.monotonicTimeNanos, (now) => {
        for (const waiter of waiters) if (waiter.deadline <= now) end(waiter, timeout)
      })

      const answerChanged = Effect.gen(function* () {
        const asked = [...waiters]
        const owners = new Set(asked.map(({ owner }) => owner))
        const keys = new Set(asked.flatMap(({ key }) => key ?? []))
        const { lastWrites, revoked } = yield* history.watch([...owners], [...keys])
        for (const waiter of asked) {
          const { key, owner, seen } = waiter
          if (key !== undefined && revoked.has(key)) end(waiter, refused)
          else if ((lastWrites.get(owner) ?? Number.POSITIVE_INFINITY) > seen) end(waiter, written)
        }
      }).pipe(
        // Waits continue until their deadlines; the read that follows then reports the error.
        Effect.catch(() => Effect.void)
      )

      /** Until the next poll, or the first deadline. */
      const pause = Effect.flatMap(Clock.monotonicTimeNanos, (now) => {
        let first = now + BigInt(pollMillis) * 1_000_000n
        for (const { deadline } of waiters) if (deadline < first) first = deadline
        return Effect.sleep(Math.max(1, Math.ceil(Number(first - now) / 1_000_000)))
      })

      const poll = Effect.gen(function* () {
        while (waiters.size > 0) {
          yield* pause
          yield* answerDue
          if (waiters.size > 0) yield* answerChanged
        }
        // Before the fiber can yield: a wait that begins now starts another loop.
        isPolling = false
      })

      const startPolling = (): void => {
        if (isPolling) return
        isPolling = true
        Fiber.runIn(fork(poll), scope)
      }

      const isFull = (counted: string | undefined): boolean =>
        counted !== undefined && (waits.get(counted) ?? 0) >= maxWaitersOfOne

      const checkLimit = (owner: AccountId, by: Wait["by"]) =>
        Effect.suspend(() => (isFull(limitKey(owner, by)) ? tooMany : Effect.void))

      const begin = (asked: Wait, ended: (outcome: Outcome) => void): (() => void) => {
        const { by, millis, owner, seen } = asked
        const counted = limitKey(owner, by)
        const isRefused = isFull(counted)
        if (isClosed || isRefused) {
          ended(isClosed ? closing : tooMany)
          return () => {}
        }
        const deadline = clock.monotonicTimeNanosUnsafe() + BigInt(millis) * 1_000_000n
        const key = by.type === "key" ? by.id : undefined
        const waiter: Waiter = { owner, seen, key, counted, deadline, ended }
        waiters.add(waiter)
        count(waiter, 1)
        startPolling()
        return () => void forget(waiter)
      }

      const wait = (asked: Wait): Outcome =>
        Effect.callback((resume) => {
          const cancel = begin(asked, resume)
          return Effect.sync(cancel)
        })

      const close = Effect.sync(() => {
        isClosed = true
        for (const waiter of waiters) end(waiter, closing)
      })
      yield* Effect.addFinalizer(() => close)

      return ChangeWaiters.of({ begin, wait, checkLimit, count: () => waiters.size, close })
    })
  )
}

const limitKey = (owner: AccountId, { id, type }: Wait["by"]): string | undefined =>
  type === "key" ? `key ${id}` : type === "app" ? `app ${owner} ${id}` : undefined

const written = Effect.succeed("written" as const)
const timeout = Effect.succeed("timeout" as const)
const closing = Effect.succeed("closing" as const)
const refused = Effect.fail(new Unauthorized({ isInvalid: true }))
const tooMany = Effect.fail(new TooManyWaiting({ limit: maxWaitersOfOne }))
