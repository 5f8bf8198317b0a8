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
    description: "The webhooks of the account, oldest first; at most 20. Secrets are not shown.",
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
      "Tells another system when a reminder is due (`reminder.due`) and when something changed (`operation`). The answer is the only one that shows the secret, with which every request is signed as Standard Webhooks says. Private addresses, and http, are refused unless whoever runs the server allows them with LAT_WEBHOOK_ALLOW. An account has at most 20.",
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
    description: "With when it last succeeded and failed, and why it was switched off.",
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
      "Switching it off ends what was still to be delivered, and taking an event off what was of that event; nothing that is due while it is off is sent when it is on again.",
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
    description: "With its deliveries. Idempotent: an unknown id succeeds and changes nothing.",
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
    description: "The answer shows the new secret. For 24 hours requests have a signature of the old one too.",
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
    description: "Sends a `ping` at once, also while it is off, and answers what came back; tried once.",
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
    summary: "List what was delivered to a webhook",
    resource: "webhook",
    description:
      "Newest first, 50 a page, kept for seven days: how often it was tried, what came back, and when it is tried next.",
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
    summary: "Deliver an event once more",
    description: "The same body with the same `webhook-id`. 409 while the webhook is off.",
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
    summary: "Deliver what failed once more",
    resource: "webhook",
    description: "What failed or was never sent since then. 409 while the webhook is off.",
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
      description: "Other systems that are told of reminders and changes. Every operation requires all five scopes."
    })
  )
