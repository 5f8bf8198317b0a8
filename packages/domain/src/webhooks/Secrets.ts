import { addMillis, type EpochMillis, msPerDay } from "../model/EpochMillis.ts"
import { Effect } from "effect"
import * as Crypto from "effect/Crypto"
import * as Base64 from "effect/encoding/Base64"
import { isAlive } from "../days/ClockSkew.ts"
import type { FormerSecret, Webhook } from "../model/Webhook.ts"

/** How long a secret that was replaced signs on, in milliseconds. */
const formerSecretLifetime = msPerDay

/** Secrets that may sign beside the newest one: each makes every delivery longer. */
const maxFormerSecrets = 9

type Secrets = Pick<Webhook, "formerSecrets" | "secret">

const signing = (former: ReadonlyArray<FormerSecret>, now: EpochMillis): ReadonlyArray<FormerSecret> =>
  former.filter(({ until }) => isAlive(until, formerSecretLifetime, now))

/** The secrets that sign a delivery: the newest first. */
export const signingSecrets = ({ formerSecrets, secret }: Secrets, now: EpochMillis): ReadonlyArray<string> => [
  secret,
  ...signing(formerSecrets, now).map((former) => former.secret)
]

/** With a new secret. The one before it signs on for a day, as those do that were replaced within the last one. */
export const rotated = ({ formerSecrets, secret }: Secrets, next: string, now: EpochMillis): Secrets => ({
  secret: next,
  formerSecrets: [{ secret, until: addMillis(now, formerSecretLifetime) }, ...signing(formerSecrets, now)].slice(
    0,
    maxFormerSecrets
  )
})

/** A new secret: `whsec_` and 32 random bytes in base64. */
export const mintWebhookSecret: Effect.Effect<string, never, Crypto.Crypto> = Effect.flatMap(Crypto.Crypto, (crypto) =>
  Effect.map(Effect.orDie(crypto.randomBytes(32)), (bytes) => `whsec_${Base64.encode(bytes)}`)
)
