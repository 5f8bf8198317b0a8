import { Context, Latch } from "effect"

/** Opened when this process has changed webhooks, so that an idle deliverer looks at once. */
export const WebhookNews = Context.Reference<Latch.Latch>("@lists-and-things/domain/webhooks/WebhookNews", {
  defaultValue: () => Latch.makeUnsafe()
})
