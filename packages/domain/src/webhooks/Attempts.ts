import { addMillis, type EpochMillis, msPerDay, msPerHour, msPerMinute, msPerSecond } from "../model/EpochMillis.ts"
import { failingReason, goneReason } from "../model/Webhook.ts"
import type { FailingLimit, Lease, Outcome } from "../ports/WebhookStore.ts"
import type { WebhookAnswer } from "../ports/WebhookTransport.ts"

/** Milliseconds from a failed attempt to the next one; after the last one a delivery is not tried again. */
const delays = [
  5 * msPerSecond,
  5 * msPerMinute,
  30 * msPerMinute,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * msPerHour)
]

/** The largest factor by which an endpoint can lengthen a delay, by `Retry-After`. */
const maxStretch = 2

/** Milliseconds that a delivery may wait for its next attempt, by the number of attempts that failed. */
export const maxWaits: ReadonlyArray<number> = [0, ...delays.map((delay) => maxStretch * delay)]

/** The part of a delay that chance adds. */
const jitter = 0.1

/** When failures alone switch a webhook off (docs/decisions.md#webhooks). */
export const failingLimit: FailingLimit = { millis: 5 * msPerDay, reason: failingReason }

/**
 * When to try again after so many failed attempts; undefined for never. Between once and twice the delay, where the
 * endpoint asks for it (`retryAfter`, as the header); `random` is from 0 to 1.
 */
export const nextAttempt = (
  attempts: number,
  at: EpochMillis,
  retryAfter: string | null,
  random: number
): EpochMillis | undefined => {
  const delay = delays[attempts - 1]
  if (delay === undefined) return undefined
  const wanted = retryAfter === null ? undefined : retryMillis(retryAfter, at)
  return addMillis(
    at,
    Math.round(
      wanted === undefined ? delay * (1 + jitter * random) : Math.min(Math.max(wanted, delay), maxStretch * delay)
    )
  )
}

/** Seconds or an HTTP date; undefined for anything else. */
const retryMillis = (header: string, at: EpochMillis): number | undefined => {
  const text = header.trim()
  if (/^\d+$/.test(text)) return Number(text) * msPerSecond
  const date = Date.parse(text)
  return /^[A-Z][a-z]{2}, /.test(text) && !Number.isNaN(date) ? date - at : undefined
}

/** Whether an answer's status is 2xx; null is for no answer. */
export const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300

/** Why an answer of this status switches the webhook off, whatever was sent (docs/decisions.md#webhooks); or null. */
export const reasonToDisable = (status: number | null): string | null => (status === 410 ? goneReason : null)

/** What comes of an attempt that was answered like this. */
export const outcomeOf = (lease: Lease, answer: WebhookAnswer, at: EpochMillis, random: number): Outcome => {
  const { durationMillis, retryAfter, status, text } = answer
  const common = { lease, at, status, durationMillis, answer: text }
  if (isSuccess(status)) return { ...common, isSuccess: true, nextAttempt: null, disabledReason: null }
  const disabledReason = reasonToDisable(status)
  const next = disabledReason === null ? nextAttempt(lease.delivery.attempts + 1, at, retryAfter, random) : undefined
  return { ...common, isSuccess: false, nextAttempt: next ?? null, disabledReason }
}
