import { Context, Latch } from "effect"

/** Opened when webhooks were changed in this process, so that a deliverer that rests looks at once. */
export const WebhookNews = Context.Reference<Latch.Latch>("@lists-and-things/domain/webhooks/WebhookNews", {
  defaultValue: () => Latch.makeUnsafe()
})
