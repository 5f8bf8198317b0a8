import { Effect } from "effect"
import { addMillis, currentTime } from "../model/EpochMillis.ts"
import type { StorageUnavailable } from "../model/Errors.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { maxLateness } from "./ReminderEvents.ts"

/**
 * Ends what a clock that was ahead has done to webhooks: reminders that it passed over are announced, as far as they are
 * not too old for that, and deliveries that it put off go out. Says so in the log.
 */
export const correctWebhookClocks: Effect.Effect<void, StorageUnavailable, WebhookStore> = Effect.gen(function* () {
  const now = yield* currentTime
  const accounts = yield* (yield* WebhookStore).correctDates(now, addMillis(now, -maxLateness))
  if (accounts > 0)
    yield* Effect.logWarning(
      `Webhooks of ${accounts === 1 ? "an account" : `${accounts} accounts`} were dated ahead of this machine's clock: this clock is behind, or one was ahead once. They go on by this clock.`
    )
})
