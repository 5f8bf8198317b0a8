import { Cause, Duration, Effect, Fiber, Latch, Layer, Random } from "effect"
import { currentTime, monotonicMillis, msPerMinute } from "../model/EpochMillis.ts"
import { type Lease, longestLease, type Outcome, WebhookStore } from "../ports/WebhookStore.ts"
import { WebhookTransport } from "../ports/WebhookTransport.ts"
import { Announcements } from "./Announcements.ts"
import type { Look } from "./AnnouncementTurns.ts"
import { failingLimit, outcomeOf } from "./Attempts.ts"
import { correctWebhookClocks } from "./ClockCorrection.ts"
import { WebhookNews } from "./WebhookNews.ts"
import { requestOf } from "./Formats.ts"

/** Milliseconds between two looks for what is due. */
const defaultPollMillis = 500
/** How much rarer the looks are, whether there is any webhook, while there is none. */
const idleFactor = 8
/** How many times as long as a look the pause after it is, and how many times the usual pause at most. */
const [pausePerLook, longestPause] = [10, 5]
/** Milliseconds after a failure of the storage, and at most after several in a row: each doubles them. */
const [failedMillis, mostFailedMillis] = [500, 5_000]
/** Milliseconds between two looks whether a clock was ahead. */
const correctionMillis = msPerMinute
/** Milliseconds in which attempts that end are stored together. */
const gatherMillis = 20

/** How much of a lease may be over when an attempt, of at most 15 seconds, begins, in milliseconds. */
const mostWaited = longestLease - 20_000

/** Milliseconds that attempts under way are given when the program stops; then their leases are given back. */
export const stopMillis = 7_000

/** Attempts of this process at a time, and webhooks per look. */
const [mostUnderWay, webhooksPerLook] = [1_000, 100]

/**
 * Announces and delivers until its scope closes, which ends what is under way or gives it back. `siteUrl`, without a
 * trailing slash, is where links lead; nothing begins before it is known. For programs that run for long, of which
 * several may share one storage.
 */
export const delivererLayer = (
  siteUrl: Effect.Effect<string>,
  pollMillis = defaultPollMillis
): Layer.Layer<never, never, Layer.Services<typeof Announcements.layer> | WebhookStore> =>
  Layer.provide(Layer.effectDiscard(run(siteUrl, pollMillis)), Announcements.layer)

const run = Effect.fnUntraced(function* (siteUrl: Effect.Effect<string>, pollMillis: number) {
  const store = yield* WebhookStore
  const transport = yield* WebhookTransport
  const announcements = yield* Announcements
  const underWay = new Map<Lease, Fiber.Fiber<void>>()
  const finished: Array<Outcome> = []
  const webhookNews = yield* WebhookNews
  const news = Latch.makeUnsafe()
  const idle = Latch.makeUnsafe(true)
  const needed = Latch.makeUnsafe()

  const attempt = Effect.fnUntraced(function* (lease: Lease, leasedAt: number, site: string) {
    // A process that was stopped meanwhile leaves the delivery to another one.
    if ((yield* monotonicMillis) - leasedAt > mostWaited) return
    const { delivery, webhook } = lease
    const answer = yield* transport.send(requestOf(webhook, delivery, yield* currentTime, site))
    finished.push(outcomeOf(lease, answer, yield* currentTime, yield* Random.next))
  })

  const begin = Effect.fnUntraced(function* (lease: Lease, leasedAt: number, site: string) {
    const ended = Effect.sync(() => {
      underWay.delete(lease)
      news.openUnsafe()
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

  /** Not to be interrupted: what was leased is under way, and can be given back. */
  const deliver = Effect.fnUntraced(function* (site: string) {
    yield* flush
    if (underWay.size + finished.length >= mostUnderWay) return
    const leasedAt = yield* monotonicMillis
    const leases = yield* store.lease(yield* currentTime, longestLease, webhooksPerLook)
    for (const lease of leases) yield* begin(lease, leasedAt, site)
  })

  /** Until there is news, or a look is due. */
  const rest = Effect.andThen(
    Effect.timeoutOption(news.await, pollMillis),
    Effect.suspend(() => (news.closeUnsafe() && underWay.size > 0 ? Effect.sleep(gatherMillis) : Effect.void))
  )

  /** Lets the other loops go on while there is a webhook: an installation without any is asked one small question. */
  const watching = patiently(
    Effect.flatMap(store.isNeeded, (isNeeded) =>
      Effect.andThen(
        isNeeded || underWay.size > 0 ? needed.open : needed.close,
        Effect.andThen(Effect.timeoutOption(webhookNews.await, idleFactor * pollMillis), webhookNews.close)
      )
    )
  )

  const correction = Effect.provideService(correctWebhookClocks, WebhookStore, store)

  /**
   * A look for operations takes the longer the more accounts are followed, so it is one at a time, and a tenth of the
   * time at most; unless that were later than a reminder that was set just before its moment may wait.
   */
  const announcing = (step: Effect.Effect<Look, unknown>) =>
    patiently(
      Effect.gen(function* () {
        const [took, look] = yield* needed.whenOpen(Effect.timed(step))
        if (look !== "nothing") yield* news.open
        const pause = Math.min(longestPause * pollMillis, pausePerLook * Duration.toMillis(took))
        yield* look === "more" ? Effect.yieldNow : Effect.sleep(Math.max(pollMillis, pause))
      })
    )

  // Detached, as attempts are: the finalizer ends them in its order, not the scope in its own.
  const loops = yield* Effect.forkDetach(
    Effect.flatMap(siteUrl, (site) =>
      Effect.all(
        [
          watching,
          patiently(needed.whenOpen(Effect.andThen(correction, Effect.sleep(correctionMillis)))),
          announcing(announcements.operations),
          announcing(announcements.reminders),
          patiently(needed.whenOpen(Effect.andThen(Effect.uninterruptible(deliver(site)), rest)))
        ],
        { concurrency: "unbounded", discard: true }
      )
    )
  )

  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      yield* Fiber.interrupt(loops)
      yield* Effect.timeoutOption(Effect.interruptible(idle.await), stopMillis)
      const left = [...underWay.keys()]
      yield* Fiber.interruptAll(underWay.values())
      yield* flush
      if (left.length > 0) yield* store.release(left)
    }).pipe(Effect.catchCause((cause) => Effect.logWarning("Leases of webhooks could not be given back", cause)))
  )
})

/** Repeats a step for ever; after a failure, later. Says so when failures begin. */
const patiently = (step: Effect.Effect<void, unknown>): Effect.Effect<never> => {
  let failures = 0
  const succeeded = Effect.sync(() => {
    failures = 0
  })
  const once = Effect.catchCause(Effect.andThen(step, succeeded), (cause) => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
    const say = failures > 0 ? Effect.void : Effect.logWarning("Webhooks are not delivered for now", cause)
    const pause = Math.min(mostFailedMillis, failedMillis * 2 ** failures++)
    return Effect.andThen(say, Effect.sleep(pause))
  })
  return Effect.forever(once)
}
