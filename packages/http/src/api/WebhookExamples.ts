import { deliveriesJson, deliveryJson, secretJson, webhookJson } from "@lists-and-things/domain/json/WebhookJson"
import { exampleIds } from "@lists-and-things/domain/json/Described"
import { addMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { DeliveryId, WebhookId } from "@lists-and-things/domain/model/Ids"
import { type Delivery, neverDelivered, type Webhook } from "@lists-and-things/domain/model/Webhook"
import type { TimeReminder } from "@lists-and-things/domain/ports/ReminderStore"
import { eventBody } from "@lists-and-things/domain/webhooks/Formats"
import { announce } from "@lists-and-things/domain/webhooks/ReminderEvents"
import { groceries, milk, owner, updated, weekly } from "./Examples.ts"
import { operationView } from "./HistoryExamples.ts"

/** Examples of webhooks: one that sends reminders to a phone. */

export const newWebhook = { url: "https://ntfy.sh/my-topic", events: ["reminder.due"], format: "ntfy" }

const phone: Webhook = {
  ...neverDelivered,
  id: exampleIds.webhook as WebhookId,
  owner: owner.id,
  url: newWebhook.url,
  events: ["reminder.due"],
  format: "ntfy",
  description: "",
  enabled: true,
  disabledReason: null,
  secret: "whsec_5f2hV3mQy8Jx1nR7tK0bW4cZ6aE9dG3iL2oP5sU8vY0=",
  created: updated,
  madeBy: "4f9Kq2LmX0aB",
  since: updated,
  afterWrite: updated
}

const delivered: Delivery = {
  id: exampleIds.delivery as DeliveryId,
  owner: owner.id,
  webhookId: phone.id,
  event: "reminder.due",
  messageId: `reminder_${exampleIds.reminder}_1763625600000_due`,
  attempts: 1,
  status: 200,
  durationMillis: 84,
  answer: "ok",
  created: addMillis(updated, 60_000),
  nextAttempt: null
}

const ping: Delivery = { ...delivered, event: "ping", messageId: `ping_${delivered.id}` }

export const webhooks = () => ({ webhooks: [webhookJson(phone)] })
export const oneWebhook = () => ({ webhook: webhookJson(phone) })
export const withSecret = () => secretJson(phone)
export const deliveries = () => deliveriesJson({ items: [delivered], hasMore: false }, 0, 50)
export const pinged = () => ({ delivery: deliveryJson(ping) })
export const replayed = () => ({
  delivery: deliveryJson({ ...delivered, attempts: 0, nextAttempt: addMillis(updated, 120_000) })
})

/** The body that a webhook in the standard format gets when a reminder is due. */
export const reminderDue = (): string => {
  const reminder = weekly() as TimeReminder
  const { at } = reminder.trigger
  const moment = { thingId: milk.id, dueAt: at, writeTimestamp: updated }
  const clock = { zone: owner.timezone, allDayAt: owner.allDayAt }
  const due = { moment, reminder, thing: milk, list: groceries }
  const audience = { webhooks: [phone], clock, now: at, freshId: () => delivered.id }
  return announce(due, audience).settled.deliveries[0]!.body
}

/** The body that it gets for a change. */
export const operationEvent = (): string => {
  const { entities, operation } = operationView()
  return eventBody("operation", updated, { operation, entities, truncated: false })
}
