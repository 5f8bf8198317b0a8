import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { CreateWebhookInput, ReplayInput, UpdateWebhookInput } from "@lists-and-things/domain/json/WebhookJson"
import { scopes } from "@lists-and-things/domain/model/Scope"
import * as Answers from "./Answers.ts"
import * as Errors from "./Errors.ts"
import { Authentication, operation } from "./Operation.ts"
import * as Parameters from "./Parameters.ts"
import * as Examples from "./WebhookExamples.ts"

const params = Parameters.webhookInPath
const read = { scope: scopes, changes: false }
const write = { ...read, configures: true }

const listWebhooks = HttpApiEndpoint.get("listWebhooks", "/webhooks", {
  success: Answers.WebhookList,
  error: Errors.reading
}).annotateMerge(
  operation({
    ...read,
    summary: "List webhooks",
    description: "Returns the webhooks of the account, at most 20, oldest first, without their secrets.",
    example: () => ({ response: Examples.webhooks() })
  })
)

const createWebhook = HttpApiEndpoint.post("createWebhook", "/webhooks", {
  payload: CreateWebhookInput.annotate({ identifier: "CreateWebhookInput" }),
  success: Answers.CreatedWebhook,
  error: Errors.writing
}).annotateMerge(
  operation({
    ...write,
    summary: "Create a webhook",
    description:
      "A webhook tells another system when a reminder is due (`reminder.due`) and when something changed (`operation`). Only this response shows the secret, which signs every request as Standard Webhooks defines. Private addresses and http are refused unless the operator allows them with LAT_WEBHOOK_ALLOW. An account has at most 20 webhooks.",
    example: () => ({ request: Examples.newWebhook, response: Examples.withSecret() })
  })
)

const getWebhook = HttpApiEndpoint.get("getWebhook", "/webhooks/:id", {
  params,
  success: Answers.OneWebhook,
  error: Errors.readingOne
}).annotateMerge(
  operation({
    ...read,
    summary: "Get a webhook",
    description:
      "Returns the webhook, with the times of its last success and failure and the reason if it was switched off.",
    example: () => ({ response: Examples.oneWebhook() })
  })
)

const updateWebhook = HttpApiEndpoint.patch("updateWebhook", "/webhooks/:id", {
  params,
  payload: UpdateWebhookInput.annotate({ identifier: "UpdateWebhookInput" }),
  success: Answers.OneWebhook,
  error: Errors.writingOne
}).annotateMerge(
  operation({
    ...write,
    summary: "Change a webhook",
    resource: "webhook",
    description:
      "Only the fields that are sent change. Switching a webhook off drops its pending deliveries; removing an event drops the pending deliveries of that event. Events that occur while it is off are never sent.",
    example: () => ({ request: { enabled: true }, response: Examples.oneWebhook() })
  })
)

const deleteWebhook = HttpApiEndpoint.delete("deleteWebhook", "/webhooks/:id", {
  params,
  success: Answers.Success,
  error: Errors.writing
}).annotateMerge(
  operation({
    ...write,
    summary: "Delete a webhook",
    description:
      "Deletes the webhook and its deliveries. Idempotent: with an unknown id the request succeeds and changes nothing.",
    example: () => ({ response: { success: true } })
  })
)

const rotateWebhook = HttpApiEndpoint.post("rotateWebhook", "/webhooks/:id/rotate", {
  params,
  success: Answers.WebhookSecret,
  error: Errors.writingOne
}).annotateMerge(
  operation({
    ...write,
    summary: "Replace the secret of a webhook",
    description: "Returns the new secret. For 24 hours, requests are signed with the old secret as well.",
    example: () => ({ response: Examples.withSecret() })
  })
)

const testWebhook = HttpApiEndpoint.post("testWebhook", "/webhooks/:id/test", {
  params,
  success: Answers.OneDelivery,
  error: Errors.writingOne
}).annotateMerge(
  operation({
    ...write,
    summary: "Send a ping to a webhook",
    description:
      "Sends one `ping` at once, even if the webhook is off, and returns what the receiver answered. It is not retried.",
    example: () => ({ response: Examples.pinged() })
  })
)

const listDeliveries = HttpApiEndpoint.get("listDeliveries", "/webhooks/:id/deliveries", {
  params,
  query: Parameters.page,
  success: Answers.DeliveryPage,
  error: Errors.readingOne
}).annotateMerge(
  operation({
    ...read,
    summary: "List the deliveries of a webhook",
    resource: "webhook",
    description:
      "Returns deliveries newest first, 50 per page: the number of attempts, the receiver's last answer and the time of the next attempt. They are kept for seven days.",
    example: () => ({ response: Examples.deliveries() })
  })
)

const replayDelivery = HttpApiEndpoint.post("replayDelivery", "/webhooks/:id/deliveries/:delivery/replay", {
  params: Parameters.deliveryInPath,
  success: Answers.OneDelivery,
  error: Errors.replaying
}).annotateMerge(
  operation({
    ...write,
    summary: "Deliver an event again",
    description: "Sends the same body with the same `webhook-id`. 409 while the webhook is off.",
    example: () => ({ response: Examples.replayed() })
  })
)

const replayWebhook = HttpApiEndpoint.post("replayWebhook", "/webhooks/:id/replay", {
  params,
  payload: ReplayInput.annotate({ identifier: "ReplayInput" }),
  success: Answers.Replayed,
  error: Errors.replaying
}).annotateMerge(
  operation({
    ...write,
    summary: "Deliver failed events again",
    resource: "webhook",
    description:
      "Sends again the events since the given time that failed or were never sent. 409 while the webhook is off.",
    example: () => ({ request: { since: "2026-11-20T08:00:00.000Z" }, response: { replayed: 2 } })
  })
)

export const WebhooksApi = HttpApiGroup.make("webhooks")
  .add(
    listWebhooks,
    createWebhook,
    getWebhook,
    updateWebhook,
    deleteWebhook,
    rotateWebhook,
    testWebhook,
    listDeliveries,
    replayDelivery,
    replayWebhook
  )
  .middleware(Authentication)
  .annotateMerge(
    OpenApi.annotations({
      title: "Webhooks",
      description: "Webhooks tell other systems of reminders and changes. Every operation requires all five scopes."
    })
  )
