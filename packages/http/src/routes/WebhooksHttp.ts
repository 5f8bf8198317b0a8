import { Effect } from "effect"
import { deliveriesJson, deliveryJson, secretJson, webhookJson } from "@lists-and-things/domain/json/WebhookJson"
import { deliveriesPerPage, Webhooks } from "@lists-and-things/domain/webhooks/Webhooks"
import { success } from "./Conditional.ts"
import { type Operations, Prepared } from "./Handlers.ts"
import { serve } from "./Serve.ts"

/** See docs/webhooks.md. Handlers that resolve names or send do so before their transactions. */
const operations = Effect.gen(function* () {
  const webhooks = yield* Webhooks
  return {
    listWebhooks: () => Effect.map(webhooks.list, (all) => ({ webhooks: all.map(webhookJson) })),
    createWebhook: ({ payload }) =>
      new Prepared(
        Effect.map(webhooks.allow(payload.url), (url) => Effect.map(webhooks.create({ ...payload, url }), secretJson))
      ),
    getWebhook: ({ params }) => Effect.map(webhooks.get(params.id), (webhook) => ({ webhook: webhookJson(webhook) })),
    updateWebhook: ({ params, payload: { url, ...patch } }) =>
      new Prepared(
        Effect.gen(function* () {
          yield* webhooks.get(params.id)
          const allowed = url === undefined ? {} : { url: yield* webhooks.allow(url) }
          return Effect.map(webhooks.update(params.id, { ...patch, ...allowed }), (webhook) => ({
            webhook: webhookJson(webhook)
          }))
        })
      ),
    deleteWebhook: ({ params }) => Effect.as(webhooks.remove(params.id), success),
    rotateWebhook: ({ params }) => Effect.map(webhooks.rotate(params.id), secretJson),
    testWebhook: ({ params }) =>
      new Prepared(
        Effect.map(webhooks.test(params.id), (logged) =>
          Effect.map(logged, (delivery) => ({ delivery: deliveryJson(delivery) }))
        )
      ),
    listDeliveries: ({ params, query: { page = 0 } }) =>
      Effect.map(webhooks.deliveries(params.id, page), (found) => deliveriesJson(found, page, deliveriesPerPage)),
    replayDelivery: ({ params }) =>
      Effect.map(webhooks.replay(params.id, params.delivery), (delivery) => ({ delivery: deliveryJson(delivery) })),
    replayWebhook: ({ params, payload }) =>
      Effect.map(webhooks.replaySince(params.id, payload.since), (replayed) => ({ replayed }))
  } satisfies Operations<"webhooks">
})

export const layer = serve("webhooks", operations)
