import { Cause, Duration, Effect, Fiber, Latch, Layer, Random } from "effect"
import { currentTime, monotonicMillis, msPerMinute } from "../model/EpochMillis.ts"
import { logFailure } from "../model/FailureLog.ts"
import type { AccountId } from "../model/Ids.ts"
import {
  type Lease,
  leaseMillis,
  type LeaseShare,
  type Outcome,
  parallelDeliveries,
  WebhookStore
} from "../ports/WebhookStore.ts"
import { WebhookTransport } from "../ports/WebhookTransport.ts"
import { Announcements } from "./Announcements.ts"
import type { PollResult } from "./AnnouncementTurns.ts"
import { failingLimit, outcomeOf } from "./Attempts.ts"
import { correctWebhookClocks } from "./ClockCorrection.ts"
import { requestOf } from "./Formats.ts"
import { WebhooksChanged } from "./Webhooks.ts"

/** Milliseconds between two polls for what is due. */
const defaultPollMillis = 500
/** The factor by which polling slows down while there is no webhook. */
const idleFactor = 8
/** The pause after a poll, as a multiple of its duration, and at most as a multiple of the usual pause. */
const [pausePerPoll, maxPause] = [10, 5]
/** Milliseconds of the pause after a failure of the storage, doubled by each further failure, and its maximum. */
const [failedMillis, maxFailedMillis] = [500, 5_000]
/** Milliseconds between two checks whether a clock was ahead. */
const correctionMillis = msPerMinute
/** Milliseconds in which attempts that end are stored together. */
const gatherMillis = 20

/** The age of a lease, in milliseconds, up to which an attempt may begin; an attempt takes at most 15 seconds. */
const maxLeaseAge = leaseMillis - 20_000

/** Milliseconds that attempts in progress may take when the program stops; after that their leases are released. */
const stopMillis = 7_000

/** Attempts of this process at a time, and how many begin per poll; webhooks per poll. */
const [maxUnderWay, attemptsPerPoll, webhooksPerPoll] = [1_000, 200, 200]

/**
 * Endpoints that answer slowly or not at all hold attempts for long. The fewer are free, the less each poll, account and
 * webhook may begin, so that some are left for the others, however many such endpoints there are.
 */
const leaseShareOf = (leases: Iterable<Lease>, free: number): LeaseShare => {
  const counts = new Map<AccountId, number>()
  for (const { webhook } of leases) counts.set(webhook.owner, (counts.get(webhook.owner) ?? 0) + 1)
  return {
    deliveries: Math.min(attemptsPerPoll, Math.ceil(free / 2)),
    parallel: Math.max(1, Math.min(parallelDeliveries, Math.floor(free / 50))),
    without: [...counts].filter(([, count]) => count >= free / 2).map(([owner]) => owner)
  }
}

/**
 * Announces and delivers until its scope closes; closing waits for attempts in progress, then releases their leases.
 * `siteUrl`, without a trailing slash, is the base of links; nothing begins before it is known. For long-running
 * programs, several of which may share one storage.
 */
export const delivererLayer = (
  siteUrl: Effect.Effect<string>,
  pollMillis = defaultPollMillis
): Layer.Layer<never, never, Layer.Services<typeof Announcements.layer> | WebhookStore> =>
  Layer.provide(Layer.effectDiscard(run(siteUrl, pollMillis)), Announcements.layer)

/** Attempts of this process, and their outcomes until they are stored. Calls `onEnd` when an attempt has ended. */
const makeAttempts = Effect.fnUntraced(function* (onEnd: () => void) {
  const store = yield* WebhookStore
  const transport = yield* WebhookTransport
  const underWay = new Map<Lease, Fiber.Fiber<void>>()
  const finished: Array<Outcome> = []
  const idle = Latch.makeUnsafe(true)

  const attempt = Effect.fnUntraced(function* (lease: Lease, leasedAt: number, site: string) {
    // A process that was suspended for too long leaves the delivery to another process.
    if ((yield* monotonicMillis) - leasedAt > maxLeaseAge) return
    const { delivery, webhook } = lease
    const answer = yield* transport.send(requestOf(webhook, delivery, yield* currentTime, site))
    finished.push(outcomeOf(lease, answer, yield* currentTime, yield* Random.next))
  })

  const begin = Effect.fnUntraced(function* (lease: Lease, leasedAt: number, site: string) {
    const ended = Effect.sync(() => {
      underWay.delete(lease)
      onEnd()
      if (underWay.size === 0) idle.openUnsafe()
    })
    idle.closeUnsafe()
    const fiber = yield* Effect.forkDetach(
      Effect.ensuring(
        Effect.catchCause(Effect.interruptible(attempt(lease, leasedAt, site)), (cause) =>
          Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.logError("A delivery to a webhook failed", cause)
        ),
        ended
      )
    )
    if (fiber.pollUnsafe() === undefined) underWay.set(lease, fiber)
  })

  const flush = Effect.suspend(() => {
    const outcomes = finished.splice(0)
    return outcomes.length === 0
      ? Effect.void
      : Effect.onError(store.finish(outcomes, failingLimit), () => Effect.sync(() => finished.unshift(...outcomes)))
  })

  /**
   * Stores outcomes and begins what is due. True if more may be due. Must not be interrupted, so that every lease is
   * registered in `underWay` and can be released.
   */
  const deliver = Effect.fnUntraced(function* (site: string) {
    yield* flush
    const free = maxUnderWay - underWay.size - finished.length
    if (free <= 0) return false
    const leasedAt = yield* monotonicMillis
    const share = leaseShareOf(underWay.keys(), free)
    const leases = yield* store.lease(yield* currentTime, leaseMillis, webhooksPerPoll, share)
    for (const lease of leases) yield* begin(lease, leasedAt, site)
    return leases.length === share.deliveries
  })

  /** Waits for the attempts in progress, then interrupts what is left of them and releases their leases. */
  const stop = Effect.gen(function* () {
    yield* Effect.timeoutOption(Effect.interruptible(idle.await), stopMillis)
    const left = [...underWay.keys()]
    yield* Fiber.interruptAll(underWay.values())
    yield* flush
    if (left.length > 0) yield* store.release(left)
  })

  return { isAnyUnderWay: () => underWay.size > 0, deliver, stop }
})

const run = Effect.fnUntraced(function* (siteUrl: Effect.Effect<string>, pollMillis: number) {
  const store = yield* WebhookStore
  const announcements = yield* Announcements
  const webhooksChanged = yield* WebhooksChanged
  const mayDeliver = Latch.makeUnsafe()
  const needed = Latch.makeUnsafe()
  const attempts = yield* makeAttempts(() => mayDeliver.openUnsafe())

  const delivering = (site: string) =>
    Effect.flatMap(Effect.uninterruptible(attempts.deliver(site)), (isMore) => (isMore ? mayDeliver.open : Effect.void))

  /** Until there may be something to deliver, or a poll is due. */
  const rest = Effect.andThen(
    Effect.timeoutOption(mayDeliver.await, pollMillis),
    Effect.suspend(() =>
      mayDeliver.closeUnsafe() && attempts.isAnyUnderWay() ? Effect.sleep(gatherMillis) : Effect.void
    )
  )

  /** Lets the other loops run only while there is a webhook; an installation without any runs one small query. */
  const watching = withBackoff(
    Effect.flatMap(store.isNeeded, (isNeeded) =>
      Effect.andThen(
        isNeeded || attempts.isAnyUnderWay() ? needed.open : needed.close,
        Effect.andThen(Effect.timeoutOption(webhooksChanged.await, idleFactor * pollMillis), webhooksChanged.close)
      )
    )
  )

  const correction = Effect.provideService(correctWebhookClocks, WebhookStore, store)

  /**
   * Runs one poll at a time, and polls take at most a tenth of the time, since they take longer the more accounts are
   * followed. The pause is bounded, so that a reminder that was set just before it is due is not late.
   */
  const announcing = (step: Effect.Effect<PollResult, unknown>) =>
    withBackoff(
      Effect.gen(function* () {
        const [took, result] = yield* needed.whenOpen(Effect.timed(step))
        if (result !== "nothing") yield* mayDeliver.open
        const pause = Math.min(maxPause * pollMillis, pausePerPoll * Duration.toMillis(took))
        yield* result === "more" ? Effect.yieldNow : Effect.sleep(Math.max(pollMillis, pause))
      })
    )

  // Detached, like attempts, so that the finalizer rather than the scope decides in which order they end.
  const loops = yield* Effect.forkDetach(
    Effect.flatMap(siteUrl, (site) =>
      Effect.all(
        [
          watching,
          withBackoff(needed.whenOpen(Effect.andThen(correction, Effect.sleep(correctionMillis)))),
          announcing(announcements.operations),
          announcing(announcements.reminders),
          withBackoff(needed.whenOpen(Effect.andThen(delivering(site), rest)))
        ],
        { concurrency: "unbounded", discard: true }
      )
    )
  )

  yield* Effect.addFinalizer(() =>
    Effect.catchCause(Effect.andThen(Fiber.interrupt(loops), attempts.stop), (cause) =>
      logFailure("Leases of webhooks could not be given back", cause)
    )
  )
})

/** Repeats a step for ever, with a pause after a failure. Logs the first of several failures in a row. */
const withBackoff = (step: Effect.Effect<void, unknown>): Effect.Effect<never> => {
  let failures = 0
  const succeeded = Effect.sync(() => {
    failures = 0
  })
  const once = Effect.catchCause(Effect.andThen(step, succeeded), (cause) => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
    const say = failures > 0 ? Effect.void : logFailure("Webhooks are not delivered for now", cause)
    const pause = Math.min(maxFailedMillis, failedMillis * 2 ** failures++)
    return Effect.andThen(say, Effect.sleep(pause))
  })
  return Effect.forever(once)
}
