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
import { mostUnused, unusedLifetime } from "../signin/OAuthClients.ts"
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
   * Removes at most `most` expired rows and returns how many; less than `most` means that nothing is left but what another
   * transaction has locked. Concurrent steps of several processes are safe: each skips such rows.
   */
  readonly step: (now: EpochMillis, most: number) => Stored<number>
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
    { name: "idempotency records", step: (now, most) => records.prune(madeBefore(now, idempotencyLifetime), most) },
    { name: "sign-in attempts", step: (now, most) => sessions.pruneAttempts(madeBefore(now, attemptLifetime), most) },
    { name: "sessions", step: (now, most) => sessions.pruneSessions(expired(now, sessionLifetime), most) },
    { name: "addresses of servers", step: (now, most) => servers.prune(madeBefore(now, serverLifetime), most) },
    { name: "authorization codes", step: (now, most) => oauth.pruneCodes(outdatedCodes(now), most) },
    { name: "tokens", step: (now, most) => oauth.pruneTokens(outdatedTokens(now), most) },
    { name: "revoked grants", step: (now, most) => oauth.pruneGrants(madeBefore(now, lifetimes.revoked), most) },
    { name: "unused clients", step: (now, most) => oauth.pruneClients(madeBefore(now, unusedLifetime), most) },
    { name: "clients beyond the cap", step: (_, most) => oauth.trimClients(mostUnused, most) },
    {
      name: "operations",
      step: (now, most) => history.prune(addMillis(now, -operationLifetime(retention)), most)
    },
    {
      name: "deliveries to webhooks",
      // Deliveries that a fast clock dated in the future may still be pending.
      step: (now, most) => Effect.andThen(corrected, webhooks.prune(madeBefore(now, deliveryLifetime), most))
    },
    { name: "images of operations", step: (_, most) => history.pruneImages(retention.bytes, most) }
  ] satisfies ReadonlyArray<Job>
})
