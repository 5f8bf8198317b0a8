import { Effect } from "effect"
import { idempotencyLifetime } from "../caller/IdempotencyRecords.ts"
import { expired, madeBefore } from "../days/ClockSkew.ts"
import { OAuthStore } from "../ports/OAuthStore.ts"
import { IdempotencyStore } from "../ports/IdempotencyStore.ts"
import { correctWebhookClocks } from "../webhooks/ClockCorrection.ts"
import { deliveryLifetime } from "../webhooks/Webhooks.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { ServerStore } from "../ports/ServerStore.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import type { Stored } from "../ports/Storage.ts"
import { attemptLifetime } from "../signin/AttemptLimiter.ts"
import { lifetimes, outdatedCodes, outdatedTokens } from "../signin/Authorizations.ts"
import { maxUnused, unusedLifetime } from "../signin/OAuthClients.ts"
import { serverLifetime } from "../servers/ServerAddress.ts"
import { sessionLifetime } from "../signin/SignIn.ts"
import { addMillis, type EpochMillis } from "../model/EpochMillis.ts"
import { HistoryRetention, operationLifetime } from "../history/HistoryRetention.ts"
import { HistoryStore } from "../ports/HistoryStore.ts"

/** Expired data that is removed regularly in small steps. */
export interface Job {
  /** The name in the log. */
  readonly name: string
  /**
   * Removes at most `max` expired rows and returns how many; less than `max` means that nothing is left but what another
   * transaction has locked. Concurrent steps of several processes are safe: each skips such rows.
   */
  readonly step: (now: EpochMillis, max: number) => Stored<number>
}

/** A job for all data that expires. */
export const jobs = Effect.gen(function* () {
  const [records, sessions, oauth] = [yield* IdempotencyStore, yield* SessionStore, yield* OAuthStore]
  const history = yield* HistoryStore
  const webhooks = yield* WebhookStore
  const servers = yield* ServerStore
  const retention = yield* HistoryRetention
  const corrected = Effect.provideService(correctWebhookClocks, WebhookStore, webhooks)
  return [
    { name: "idempotency records", step: (now, max) => records.prune(madeBefore(now, idempotencyLifetime), max) },
    { name: "sign-in attempts", step: (now, max) => sessions.pruneAttempts(madeBefore(now, attemptLifetime), max) },
    { name: "sessions", step: (now, max) => sessions.pruneSessions(expired(now, sessionLifetime), max) },
    { name: "addresses of servers", step: (now, max) => servers.prune(madeBefore(now, serverLifetime), max) },
    { name: "authorization codes", step: (now, max) => oauth.pruneCodes(outdatedCodes(now), max) },
    { name: "tokens", step: (now, max) => oauth.pruneTokens(outdatedTokens(now), max) },
    { name: "revoked grants", step: (now, max) => oauth.pruneGrants(madeBefore(now, lifetimes.revoked), max) },
    { name: "unused clients", step: (now, max) => oauth.pruneClients(madeBefore(now, unusedLifetime), max) },
    { name: "clients beyond the cap", step: (_, max) => oauth.trimClients(maxUnused, max) },
    {
      name: "operations",
      step: (now, max) => history.prune(addMillis(now, -operationLifetime(retention)), max)
    },
    {
      name: "deliveries to webhooks",
      // Deliveries that a fast clock dated in the future may still be pending.
      step: (now, max) => Effect.andThen(corrected, webhooks.prune(madeBefore(now, deliveryLifetime), max))
    },
    { name: "images of operations", step: (_, max) => history.pruneImages(retention.bytes, max) }
  ] satisfies ReadonlyArray<Job>
})
