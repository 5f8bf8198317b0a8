import { expect, it } from "@effect/vitest"
import { verifyWebhook } from "@lists-and-things/client/webhooks"
import { WebhookTransport } from "@lists-and-things/domain/ports/WebhookTransport"
import * as NodeWebhookTransport from "@lists-and-things/platform-node/NodeWebhookTransport"
import { until } from "@lists-and-things/testing/Until"
import { Effect } from "effect"
import { receiver } from "./Receivers.ts"

it("the TypeScript client verifies a webhook's request with each secret", async () => {
  const { received, stop, url } = await receiver("answers")
  const secrets = [7, 9].map((byte) => `whsec_${Buffer.alloc(32, byte).toString("base64")}`)
  const [body, timestamp] = ['{"type":"ping","text":"ü 🦊"}', String(Math.floor(new Date().getTime() / 1000))]
  const sending = Effect.flatMap(WebhookTransport, ({ send }) =>
    send({
      url,
      body,
      headers: { "webhook-id": "msg_1", "webhook-timestamp": timestamp },
      signed: { text: `msg_1.${timestamp}.${body}`, secrets }
    })
  )
  try {
    await Effect.runPromise(Effect.provide(sending, NodeWebhookTransport.layer(["127.0.0.1"])))
    await until("the request", () => received.length > 0)
    for (const secret of secrets)
      expect(await verifyWebhook({ ...received[0]!, secret })).toStrictEqual(JSON.parse(body))
    await expect(verifyWebhook({ ...received[0]!, secret: "whsec_AAAA" })).rejects.toThrow(/No signature/)
  } finally {
    await stop()
  }
})
