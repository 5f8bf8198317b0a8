import { inFigures } from "../text/Wording.ts"
import { caps } from "../model/Caps.ts"
import { Schema, SchemaTransformation } from "effect"
import { formatTime, formatTimeOrNull } from "../days/IsoTime.ts"
import {
  type Delivery,
  deliveryEvents,
  type Webhook,
  type WebhookEvent,
  webhookEvents,
  webhookFormats
} from "../model/Webhook.ts"
import type { Page } from "../ports/Storage.ts"
import { atMost, isStorable } from "../text/Characters.ts"
import { Count, described, optional, rule, TimeJson } from "./Described.ts"
import * as Fields from "./Fields.ts"
import { pageFields, pageJson } from "./PageJson.ts"

const NullOr = Schema.NullOr

/** A webhook without its secret (docs/decisions.md#webhooks). */
export const WebhookJson = Schema.Struct({
  id: described(Schema.String, "Opaque."),
  url: described(Schema.String, "The address that events are posted to."),
  events: described(Schema.Array(Schema.Literals(webhookEvents)), "The events that are sent to it."),
  format: described(Schema.Literals(webhookFormats), "The format of the requests."),
  description: described(Schema.String, "What it is for; may be empty."),
  enabled: described(Schema.Boolean, "Whether it is on."),
  disabled_reason: described(NullOr(Schema.String), "Why the server switched it off; null if it did not."),
  created: described(TimeJson, "When it was created."),
  last_success: described(NullOr(TimeJson), "When a delivery last succeeded; null before the first success."),
  last_failure: described(NullOr(TimeJson), "When an attempt last failed; null before the first failure.")
})
export type WebhookJson = typeof WebhookJson.Type

export const webhookJson = (webhook: Webhook): WebhookJson => ({
  id: webhook.id,
  url: webhook.url,
  events: webhook.events,
  format: webhook.format,
  description: webhook.description,
  enabled: webhook.enabled,
  disabled_reason: webhook.disabledReason,
  created: formatTime(webhook.created),
  last_success: formatTimeOrNull(webhook.lastSuccess),
  last_failure: formatTimeOrNull(webhook.lastFailure)
})

/** The answer to creating a webhook and to rotating its secret: the only places where the secret is shown. */
export const SecretJson = Schema.Struct({
  webhook: WebhookJson,
  secret: described(Schema.String, "The secret that signs every request. It is shown only here.")
})

export const secretJson = (webhook: Webhook): typeof SecretJson.Type => ({
  webhook: webhookJson(webhook),
  secret: webhook.secret
})

/** What became of one event. */
export const DeliveryJson = Schema.Struct({
  id: described(Schema.String, "Opaque; a replay takes it."),
  event: described(Schema.Literals(deliveryEvents), "The event that is delivered."),
  webhook_id: described(Schema.String, "The header `webhook-id` of every attempt."),
  attempts: described(Count, "How many attempts were made since it was created or replayed."),
  status: described(NullOr(Schema.Int), "The HTTP status of the last answer; null if there was none."),
  duration_ms: described(NullOr(Count), "How many milliseconds the last attempt took; null before the first."),
  answer: described(NullOr(Schema.String), "The first 200 characters of the last answer, or why there was none."),
  created: described(TimeJson, "When the event was created."),
  next_attempt: described(NullOr(TimeJson), "When it is tried next; null if it was delivered or is not tried any more.")
})
export type DeliveryJson = typeof DeliveryJson.Type

export const deliveryJson = (delivery: Delivery): DeliveryJson => ({
  id: delivery.id,
  event: delivery.event,
  webhook_id: delivery.messageId,
  attempts: delivery.attempts,
  status: delivery.status,
  duration_ms: delivery.durationMillis === null ? null : Math.round(delivery.durationMillis),
  answer: delivery.answer,
  created: formatTime(delivery.created),
  next_attempt: formatTimeOrNull(delivery.nextAttempt)
})

/** `GET /webhooks/{id}/deliveries`. */
export const DeliveriesJson = Schema.Struct({
  deliveries: described(Schema.Array(DeliveryJson), "Newest first."),
  ...pageFields
})

export const deliveriesJson = (found: Page<Delivery>, page: number, pageSize: number): typeof DeliveriesJson.Type => ({
  deliveries: found.items.map(deliveryJson),
  ...pageJson(found, page, pageSize)
})

/** URL parsers take the first word of the path for a host that is missing, as in `https:///x`. */
const isWebUrl = (text: string): boolean => /^https?:\/\/[^/\\\s]\S*$/i.test(text) && URL.canParse(text)

const WebhookUrl = Schema.String.check(
  rule(
    (text: string) => atMost(text, caps.webhookUrl) && isStorable(text) && isWebUrl(text),
    `an https URL of at most ${inFigures(caps.webhookUrl)} characters, such as https://ntfy.sh/my-topic`
  )
)

const inOrder = (events: ReadonlyArray<WebhookEvent>): ReadonlyArray<WebhookEvent> =>
  webhookEvents.filter((event) => events.includes(event))

const EventList: Schema.Codec<ReadonlyArray<WebhookEvent>> = Schema.Array(Schema.Literals(webhookEvents))
  .check(
    rule(
      (events: ReadonlyArray<WebhookEvent>) => events.length > 0 && events.length <= 10,
      `at least one of ${webhookEvents.join(" and ")}`,
      () => ({ minItems: 1 })
    )
  )
  .pipe(
    Schema.decodeTo(
      Schema.Array(Schema.Literals(webhookEvents)),
      SchemaTransformation.transform({ decode: inOrder, encode: (events: ReadonlyArray<WebhookEvent>) => events })
    )
  )

const url = [
  WebhookUrl,
  "The address that events are posted to: https, or what `LAT_WEBHOOK_ALLOW` allows.",
  "https://ntfy.sh/my-topic"
] as const
const events = [
  EventList,
  "`reminder.due` is sent at the time of each reminder and of each of its alerts, `operation` for each change.",
  ["reminder.due"]
] as const

const settings = {
  format: optional(
    Schema.Literals(webhookFormats),
    "`standard` (the default) is Standard Webhooks, `ntfy` is plain text with headers, `slack` is `{ text }`.",
    "standard"
  ),
  description: optional(Fields.Name, "What it is for.", "My phone"),
  enabled: optional(Schema.Boolean, "Whether it is on. Events that occur while it is off are never sent.", true),
  ...Fields.ignored("id", "disabled_reason", "created", "last_success", "last_failure")
}

/** `POST /webhooks`. */
export const CreateWebhookInput = Schema.Struct({ url: described(...url), events: described(...events), ...settings })
export type CreateWebhookInput = typeof CreateWebhookInput.Type

/** `PATCH /webhooks/{id}`: omitted fields stay as they are. */
export const UpdateWebhookInput = Schema.Struct({ url: optional(...url), events: optional(...events), ...settings })
export type UpdateWebhookInput = typeof UpdateWebhookInput.Type

/** `POST /webhooks/{id}/replay`. */
export const ReplayInput = Schema.Struct({
  since: described(
    Fields.TimeText,
    "Sends again what failed or was never sent since this time, inclusive. A time without an offset is in the account's time zone.",
    "2026-11-20T08:00:00.000Z"
  )
})
