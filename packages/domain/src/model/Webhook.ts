import type { EpochMillis } from "./EpochMillis.ts"
import type { AccountId, DeliveryId, WebhookId } from "./Ids.ts"

/** What a webhook may be told of. */
export const webhookEvents = ["reminder.due", "operation"] as const
export type WebhookEvent = (typeof webhookEvents)[number]

/** What is delivered; a ping whenever somebody asks for one. */
export const deliveryEvents = [...webhookEvents, "ping"] as const
export type DeliveryEvent = (typeof deliveryEvents)[number]

/** `standard`: Standard Webhooks; `ntfy`: a text with headers; `slack`: `{ "text" }`. */
export const webhookFormats = ["standard", "ntfy", "slack"] as const
export type WebhookFormat = (typeof webhookFormats)[number]

/** A secret that was replaced, and signs beside the new one until a time. */
export interface FormerSecret {
  readonly secret: string
  /** Exclusive. */
  readonly until: EpochMillis
}

/** Another system that is told of reminders and changes of an account (docs/decisions.md#webhooks). */
export interface Webhook {
  readonly id: WebhookId
  readonly owner: AccountId
  readonly url: string
  /** In the order of `webhookEvents`. */
  readonly events: ReadonlyArray<WebhookEvent>
  readonly format: WebhookFormat
  readonly description: string
  readonly enabled: boolean
  /** Why the product has switched it off; null when a person did, and while it is on. */
  readonly disabledReason: string | null
  /** `whsec_` and 32 bytes in base64. */
  readonly secret: string
  /** Each signs beside the secret while it is valid; the newest first. */
  readonly formerSecrets: ReadonlyArray<FormerSecret>
  readonly created: EpochMillis
  readonly lastSuccess: EpochMillis | null
  readonly lastFailure: EpochMillis | null
  /** The first failure since the last success, since it was switched on, or since its address was changed. */
  readonly failingSince: EpochMillis | null
  /** The API key that made it, which takes it along when it is revoked; null for those that people made. */
  readonly madeBy: string | null
  /** Reminders are announced that are due later than this: when it was made or switched on. */
  readonly since: EpochMillis
  /** Operations are announced whose write timestamp is later than this. */
  readonly afterWrite: EpochMillis
}

/** The fields of a webhook that was just made: it has had one secret, and nothing was delivered to it. */
export const neverDelivered = { formerSecrets: [], lastSuccess: null, lastFailure: null, failingSince: null } as const

export const revokedKeyReason = "The API key that made it was revoked."
export const goneReason = "The endpoint answered 410 Gone."
export const failingReason = "Every delivery has failed for five days."
export const loadedReason = "It was loaded from a backup and waits to be switched on."
export const restoredReason = "It was restored from an export and waits to be switched on."

/** An event in words, for the formats that people read (docs/webhooks.md). */
export interface Notification {
  /** A line of its own, where a format has one. */
  readonly title: string
  readonly text: string
  /** The path of the page that shows what it is about; undefined for a ping. */
  readonly path?: string
  /** The name of an emoji, which some receivers show. */
  readonly tag: string
}

/** An event on its way to one webhook, and what came of it. */
export interface Delivery {
  readonly id: DeliveryId
  readonly owner: AccountId
  readonly webhookId: WebhookId
  readonly event: DeliveryEvent
  /** The `webhook-id` of every attempt, the same for each webhook that the event goes to. */
  readonly messageId: string
  /** Since it was made, or last replayed. */
  readonly attempts: number
  /** The HTTP status of the last answer; null where there was none. */
  readonly status: number | null
  /** Of the last attempt, in milliseconds. */
  readonly durationMillis: number | null
  /** The beginning of the last answer, or why there was none; null before the first attempt. */
  readonly answer: string | null
  readonly created: EpochMillis
  /** Null when it was delivered, or is not tried any more. */
  readonly nextAttempt: EpochMillis | null
}

/** An event for one webhook, to be delivered. */
export interface NewDelivery extends Pick<Delivery, "id" | "webhookId" | "event" | "messageId" | "created"> {
  /** The event in JSON, which every attempt sends as it was made. */
  readonly body: string
  readonly notification: Notification
  /** The order in which operations of one webhook go out, ascending: the write timestamp. */
  readonly position: EpochMillis
}
