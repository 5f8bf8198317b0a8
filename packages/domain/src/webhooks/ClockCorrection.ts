import { Effect } from "effect"
import { isAhead } from "../days/ClockSkew.ts"
import { addMillis, currentTime, earlierOf, type EpochMillis } from "../model/EpochMillis.ts"
import type { StorageUnavailable } from "../model/Errors.ts"
import type { Delivery, Webhook } from "../model/Webhook.ts"
import { leaseMillis, WebhookStore } from "../ports/WebhookStore.ts"
import { maxWaits } from "./Attempts.ts"
import { maxLateness } from "./ReminderEvents.ts"

/**
 * Ends what a clock that was ahead has done to webhooks: reminders that it passed over are announced, as far as they are
 * not too old for that, and deliveries that it put off go out. Says so in the log.
 */
export const correctWebhookClocks: Effect.Effect<void, StorageUnavailable, WebhookStore> = Effect.gen(function* () {
  const now = yield* currentTime
  const accounts = yield* (yield* WebhookStore).correctDates(now, addMillis(now, -maxLateness))
  if (accounts > 0)
    yield* Effect.logWarning(
      `Webhooks of ${accounts === 1 ? "an account" : `${accounts} accounts`} were dated ahead of this machine's clock: this clock is behind, or one was ahead once. They go on by this clock.`
    )
})

const dates = ["since", "lastSuccess", "lastFailure", "failingSince"] as const

/**
 * Whether a clock ahead of `now` has dated something of an account: one of its webhooks, or `announced`, the time at
 * which a program has announced last.
 */
export const isDatedAhead = (announced: EpochMillis, webhooks: Iterable<Webhook>, now: EpochMillis): boolean =>
  isAhead(announced, now) ||
  [...webhooks].some((webhook) => dates.some((field) => webhook[field] !== null && isAhead(webhook[field], now)))

/** A webhook of an account for which `isDatedAhead` holds, with no date after `now`. */
export const correctedWebhook = (webhook: Webhook, now: EpochMillis): Webhook => {
  const within = (time: EpochMillis | null) => (time === null ? null : earlierOf(time, now))
  return {
    ...webhook,
    since: earlierOf(webhook.since, now),
    lastSuccess: within(webhook.lastSuccess),
    lastFailure: within(webhook.lastFailure),
    failingSince: within(webhook.failingSince)
  }
}

type Dated = Pick<Delivery, "attempts" | "created" | "nextAttempt"> & {
  /** Null if it is not under way. */
  readonly leaseUntil: EpochMillis | null
}

/**
 * A delivery of an account for which `isDatedAhead` holds, as if no clock that dated it had been ahead; undefined if
 * none was. Leases are measured by the clock of the storage, `clock`, and everything else by `now`.
 */
export const correctedDelivery = <A extends Dated>(
  delivery: A,
  now: EpochMillis,
  clock: EpochMillis
): A | undefined => {
  const { attempts, created, leaseUntil, nextAttempt } = delivery
  const isPutOff = nextAttempt !== null && isAhead(nextAttempt, addMillis(now, maxWaits[attempts] ?? 0))
  const isHeld = leaseUntil !== null && isAhead(leaseUntil, addMillis(clock, leaseMillis))
  if (!isPutOff && !isHeld && !isAhead(created, now)) return undefined
  return {
    ...delivery,
    created: earlierOf(created, now),
    nextAttempt: isPutOff ? now : nextAttempt,
    leaseUntil: isHeld ? null : leaseUntil
  }
}
