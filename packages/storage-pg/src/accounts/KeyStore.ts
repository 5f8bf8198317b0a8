import { msPerHour } from "@lists-and-things/domain/model/EpochMillis"
import { isIdForm } from "@lists-and-things/domain/model/Ids"
import { revokedKeyReason } from "@lists-and-things/domain/model/Webhook"
import { KeyStore } from "@lists-and-things/domain/ports/KeyStore"
import { Effect, Layer } from "effect"
import { Database } from "../connection/Database.ts"
import { Engine } from "../Engine.ts"
import { keyColumns, keyOf } from "./AccountRows.ts"
import { noStamps, stamps } from "./AdmissionStatements.ts"
import { makeRateLimiter, present } from "./RateLimiter.ts"
import { makeAdmitWith } from "./ReadAhead.ts"
import { countWith } from "./RequestCounts.ts"
import { revokeAllOf } from "./Revocation.ts"

const select = `select ${keyColumns}, u.last_used::float8 as last_used
  from api_keys k join key_usage u on u.owner_id = k.owner_id and u.key_id = k.id`

const insert = `with added as (
    insert into api_keys (owner_id, id, name, scopes, rate_limit, secret_hash, created, revoked)
    values ($1, $2, $3, $4::text[], $5, $6, $7, $8)
  ), counted as (
    insert into key_counts (owner_id, key_id, window_start, used, reserved, last_used) values ($1, $2, -${msPerHour}, 0, 0, $9)
  )
  insert into key_usage (owner_id, key_id, window_start, used, granted, last_used) values ($1, $2, -${msPerHour}, 0, 0, $9)`

const revoke = `update api_keys set revoked = coalesce(revoked, $2::bigint) where id = $1
  returning owner_id::text as owner`

const switchOff = `update webhooks set enabled = false, disabled_reason = $3
  where owner_id = $1 and made_by = $2 and enabled`

/** Those made by the keys that were revoked at $2. */
const switchOffAll = `update webhooks w set enabled = false, disabled_reason = $3
  where w.owner_id = $1 and w.enabled
    and exists (select from api_keys k where k.owner_id = $1 and k.id = w.made_by and k.revoked = $2::bigint)`

export const layer = Layer.effect(
  KeyStore,
  Effect.gen(function* () {
    const db = yield* Database
    const { isDistributed } = yield* Engine
    const limiter = makeRateLimiter(countWith(db, isDistributed ? noStamps : stamps), yield* Effect.scope)
    const several = (where: string, params: ReadonlyArray<string>) =>
      Effect.map(db.readLong(`${select} ${where} order by k.created, k.id`, params), (rows) => rows.map(keyOf))

    return KeyStore.of({
      insert: (key) =>
        Effect.asVoid(
          db.write(insert, [
            key.accountId,
            key.id,
            key.name,
            key.scopes,
            key.rateLimit,
            key.secretHash,
            key.created,
            key.revoked,
            key.lastUsed
          ])
        ),
      get: (id) =>
        Effect.map(db.read(`${select} where k.id = $1`, [id]), ([row]) => (row === undefined ? undefined : keyOf(row))),
      list: (owner) => {
        if (owner === undefined) return several("", [])
        return isIdForm(owner) ? several("where k.owner_id = $1", [owner]) : Effect.succeed([])
      },
      valid: (owner) =>
        isIdForm(owner) ? several("where k.owner_id = $1 and k.revoked is null", [owner]) : Effect.succeed([]),
      revoke: (id, now) =>
        db.transaction(
          Effect.gen(function* () {
            const [key] = yield* db.write(revoke, [id, now])
            if (key === undefined) return false
            yield* db.write(switchOff, [key.owner as string, id, revokedKeyReason])
            return true
          })
        ),
      revokeAll: (owner, now) =>
        db.transaction(
          Effect.gen(function* () {
            const revoked = yield* revokeAllOf(db, "api_keys", owner, now)
            if (revoked > 0) yield* db.write(switchOffAll, [owner, now, revokedKeyReason])
            return revoked
          })
        ),
      admit: (id, secretHash) => limiter.answer(present(id, secretHash)),
      admitWith: makeAdmitWith(limiter)
    })
  })
)
