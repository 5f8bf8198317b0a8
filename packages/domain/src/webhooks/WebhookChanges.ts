import { EpochMillis, laterOf } from "../model/EpochMillis.ts"
import type { Webhook, WebhookEvent } from "../model/Webhook.ts"
import type { FailingLimit, Outcome } from "../ports/WebhookStore.ts"

type Subscription = Pick<Webhook, "enabled" | "events">

/** The events that a webhook which stays on is no longer told of. */
export const droppedEvents = (before: Subscription, after: Subscription): ReadonlyArray<WebhookEvent> =>
  before.enabled && after.enabled ? before.events.filter((event) => !after.events.includes(event)) : []

/** The events whose waiting deliveries end with a change of a webhook: all when it is switched on, none while it is off. */
export const endedEvents = (before: Subscription, after: Subscription): ReadonlyArray<WebhookEvent> | "all" =>
  after.enabled && !before.enabled ? "all" : droppedEvents(before, after)

/** Since when a webhook counts as failing after a person changed it: a switch, or another address, starts anew. */
export const failingSinceAfter = (before: Webhook, after: Webhook): EpochMillis | null =>
  before.enabled === after.enabled && before.url === after.url ? before.failingSince : null

/** A webhook after what was delivered at once, such as a ping: a success ends its failures, and a failure begins none. */
export const afterLogged = (webhook: Webhook, { at, isSuccess }: Pick<Outcome, "at" | "isSuccess">): Webhook =>
  isSuccess
    ? { ...webhook, lastSuccess: laterOf(webhook.lastSuccess ?? at, at), failingSince: null }
    : { ...webhook, lastFailure: laterOf(webhook.lastFailure ?? at, at) }

/**
 * A webhook after attempts of it, at least one, that are stored together in any order (docs/decisions.md#webhooks). One
 * success among them ends its failures; only one that was failing before is switched off for the limit.
 */
export const afterAttempts = (webhook: Webhook, outcomes: ReadonlyArray<Outcome>, limit: FailingLimit): Webhook => {
  const failures = outcomes.filter(({ isSuccess }) => !isSuccess).map(({ at }) => at)
  const isFailing = failures.length === outcomes.length
  const isTooLong =
    isFailing && webhook.failingSince !== null && Math.max(...failures) - webhook.failingSince >= limit.millis
  const refused = outcomes.find(
    ({ disabledReason, lease }) => disabledReason !== null && lease.webhook.url === webhook.url
  )
  const reason = refused?.disabledReason ?? (isTooLong ? limit.reason : null)
  return {
    ...outcomes.reduce(afterLogged, webhook),
    failingSince: isFailing ? (webhook.failingSince ?? EpochMillis(Math.min(...failures))) : null,
    ...(webhook.enabled && reason !== null && { enabled: false, disabledReason: reason })
  }
}
