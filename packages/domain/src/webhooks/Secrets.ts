import { msPerDay } from "../model/EpochMillis.ts"
import { Effect } from "effect"
import * as Crypto from "effect/Crypto"
import * as Base64 from "effect/encoding/Base64"

/** Webhooks of an account. */
export const mostWebhooks = 20

/** How long a secret that was replaced signs on, in milliseconds. */
export const formerSecretLifetime = msPerDay

/** A new secret: `whsec_` and 32 random bytes in base64. */
export const mintWebhookSecret: Effect.Effect<string, never, Crypto.Crypto> = Effect.flatMap(Crypto.Crypto, (crypto) =>
  Effect.map(Effect.orDie(crypto.randomBytes(32)), (bytes) => `whsec_${Base64.encode(bytes)}`)
)
