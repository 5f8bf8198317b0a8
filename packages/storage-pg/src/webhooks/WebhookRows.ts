import type { Row } from "@effect/sql-pg/PgConnection"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { AccountId, DeliveryId, WebhookId } from "@lists-and-things/domain/model/Ids"
import type { Delivery, FormerSecret, NewDelivery, Notification, Webhook } from "@lists-and-things/domain/model/Webhook"
import type { Lease } from "@lists-and-things/domain/ports/WebhookStore"
import type { Params } from "../connection/ConnectionPool.ts"

export const webhookColumns = `w.owner_id::text, w.id::text, w.url, w.events, w.format, w.description, w.enabled,
  w.disabled_reason, w.secret, w.former_secret, w.former_until::float8, w.earlier_secrets, w.created::float8,
  w.last_success::float8, w.last_failure::float8, w.failing_since::float8, w.made_by, w.since::float8,
  w.after_write::float8`

export const webhookOf = (row: Row): Webhook => ({
  id: row.id as WebhookId,
  owner: row.owner_id as AccountId,
  url: row.url as string,
  events: row.events as Webhook["events"],
  format: row.format as Webhook["format"],
  description: row.description as string,
  enabled: row.enabled as boolean,
  disabledReason: row.disabled_reason as string | null,
  secret: row.secret as string,
  formerSecrets:
    row.former_secret === null
      ? []
      : [
          { secret: row.former_secret as string, until: row.former_until as EpochMillis },
          ...((row.earlier_secrets ?? []) as ReadonlyArray<FormerSecret>)
        ],
  created: row.created as EpochMillis,
  lastSuccess: row.last_success as EpochMillis | null,
  lastFailure: row.last_failure as EpochMillis | null,
  failingSince: row.failing_since as EpochMillis | null,
  madeBy: row.made_by as string | null,
  since: row.since as EpochMillis,
  afterWrite: row.after_write as EpochMillis
})

/** What a person sets, in the order of the parameters of `insert` and `update`. */
export const settingsParams = (webhook: Webhook): Params => [
  webhook.owner,
  webhook.id,
  webhook.url,
  webhook.events,
  webhook.format,
  webhook.description,
  webhook.enabled,
  webhook.disabledReason,
  webhook.secret,
  ...formerParams(webhook),
  webhook.since,
  webhook.afterWrite
]

const formerParams = ({ formerSecrets: [former, ...earlier] }: Webhook): Params => [
  former?.secret ?? null,
  former?.until ?? null,
  earlier.length === 0 ? null : JSON.stringify(earlier)
]

export const deliveryColumns = `d.owner_id::text, d.webhook_id::text, d.id::text as delivery_id, d.event, d.message_id,
  d.attempts, d.status, d.duration_ms, d.answer, d.created::float8 as made, d.next_attempt::float8`

export const deliveryOf = (row: Row): Delivery => ({
  id: row.delivery_id as DeliveryId,
  owner: row.owner_id as AccountId,
  webhookId: row.webhook_id as WebhookId,
  event: row.event as Delivery["event"],
  messageId: row.message_id as string,
  attempts: row.attempts as number,
  status: row.status as number | null,
  durationMillis: row.duration_ms as number | null,
  answer: row.answer as string | null,
  created: row.made as EpochMillis,
  nextAttempt: row.next_attempt as EpochMillis | null
})

export const leaseOf = (row: Row): Lease => ({
  webhook: webhookOf(row),
  delivery: { ...deliveryOf(row), body: row.body as string, notification: row.notice as Notification },
  token: row.token as number
})

/** New deliveries as the JSON that `insertDeliveries` reads; `fields` are further ones of each. */
export const deliveriesJson = (
  deliveries: ReadonlyArray<{ readonly delivery: NewDelivery; readonly fields?: object }>
): string =>
  JSON.stringify(
    deliveries.map(({ delivery, fields }) => ({
      ...fields,
      webhook_id: delivery.webhookId,
      id: delivery.id,
      event: delivery.event,
      message_id: delivery.messageId,
      body: delivery.body,
      notice: delivery.notification,
      position: delivery.position,
      created: delivery.created
    }))
  )

/**
 * Adds the deliveries of an account (`$1`) that the JSON in a parameter holds, of webhooks that are there; one that was
 * added before is left alone. `more` are further columns of the JSON, `joined` joins with them as `n`.
 */
export const insertDeliveries = (parameter: string, joined: string, more = ""): string =>
  `insert into webhook_deliveries (owner_id, webhook_id, id, event, message_id, body, notice, position, in_turn,
      attempts, created, next_attempt)
    select $1::uuid, n.webhook_id, n.id, n.event, n.message_id, n.body, n.notice, n.position, n.event = 'operation', 0,
      n.created, n.created
    from json_to_recordset(${parameter}::json) as n (${more} webhook_id uuid, id uuid, event text, message_id text,
      body text, notice json, position bigint, created bigint)
    join webhooks w on w.owner_id = $1 and w.id = n.webhook_id ${joined}
    for key share of w
  on conflict do nothing`
