import { laterOf, type EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { Webhook } from "@lists-and-things/domain/model/Webhook"
import type { FailingLimit, Outcome } from "@lists-and-things/domain/ports/WebhookStore"

export const succeeded = ({ lastSuccess }: Webhook, at: EpochMillis) => ({
  lastSuccess: laterOf(lastSuccess ?? at, at),
  failingSince: null
})

export const failed = ({ lastFailure }: Webhook, at: EpochMillis) => ({ lastFailure: laterOf(lastFailure ?? at, at) })

/** The fields of its webhook that an attempt changes. Without a limit, a webhook never counts as failing. */
export const afterAttempt = (
  webhook: Webhook,
  { at, disabledReason, isSuccess, lease }: Outcome,
  limit: FailingLimit | undefined
): Partial<Webhook> => {
  if (isSuccess) return succeeded(webhook, at)
  const failingSince = limit === undefined ? null : (webhook.failingSince ?? at)
  const isTooLong = limit !== undefined && failingSince !== null && at - failingSince >= limit.millis
  const gone = lease.webhook.url === webhook.url ? disabledReason : null
  const reason = gone ?? (isTooLong ? limit.reason : null)
  const off = reason === null || !webhook.enabled ? {} : { enabled: false, disabledReason: reason }
  return { ...failed(webhook, at), failingSince, ...off }
}
