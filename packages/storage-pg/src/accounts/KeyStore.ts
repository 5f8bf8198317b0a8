import type { Row } from "@effect/sql-pg/PgConnection"
import { clockTolerance } from "@lists-and-things/domain/days/ClockSkew"
import { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { isIdForm } from "@lists-and-things/domain/model/Ids"
import { revokedKeyReason } from "@lists-and-things/domain/model/Webhook"
import { KeyStore } from "@lists-and-things/domain/ports/KeyStore"
import { Effect, Layer } from "effect"
import { Database } from "../connection/Database.ts"
import { Engine } from "../Engine.ts"
import type { Params } from "../connection/ConnectionPool.ts"
import { contended, type LockMode } from "../connection/Batcher.ts"
import { accountColumns, accountOf, keyColumns, keyOf } from "../Rows.ts"
import { makeAdmitWith } from "./ReadAhead.ts"
import { type CountRequests, makeRateLimiter, present, type QuotaGrant, type QuotaRequest } from "./RateLimiter.ts"
import { addMillis, type EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

const hour = 3_600_000
const minute = 60_000

const select = `select ${keyColumns}, u.last_used::float8 as last_used
  from api_keys k join key_usage u on u.owner_id = k.owner_id and u.key_id = k.id`

const insert = `with added as (
    insert into api_keys (owner_id, id, name, scopes, rate_limit, secret_hash, created, revoked)
    values ($1, $2, $3, $4::text[], $5, $6, $7, $8)
  ), counted as (
    insert into key_counts (owner_id, key_id, window_start, used, reserved, last_used) values ($1, $2, -${hour}, 0, 0, $9)
  )
  insert into key_usage (owner_id, key_id, window_start, used, granted, last_used) values ($1, $2, -${hour}, 0, 0, $9)`

const revoke = `update api_keys set revoked = coalesce(revoked, $2::bigint) where id = $1
  returning owner_id::text as owner`

const switchOff = `update webhooks set enabled = false, disabled_reason = $3
  where owner_id = $1 and made_by = $2 and enabled`

/** SQL: whether the window of a row is open at `$1`. */
const isOpen = (row: "u" | "r"): string =>
  `$1::bigint between ${row}.window_start - ${clockTolerance} and ${row}.window_start + ${hour - 1}`

/** SQL for what `key_usage` counts in that window before this statement, and for how many more it can. */
const durable = `case when ${isOpen("u")} then u.used else 0 end`
const granted = `least(asked.wanted, greatest(asked.rate_limit - (${durable}), 0))`

/** SQL for how many requests are counted durably in advance, and so lost in a crash: a hundredth of the limit. */
const inAdvance = "(locked.rate_limit + 99) / 100"

/** With the write timestamps of the accounts, where they lie on the same server. */
const stamps = {
  columns: ", w.last_write::float8, w.settings_changed::float8",
  join: "join write_clocks w on w.owner_id = k.owner_id"
}
const noStamps: typeof stamps = { columns: "", join: "" }

/**
 * The counting statement, one per batch of requests for any number of keys. `key_counts` has the exact count and costs no
 * log; where that would pass what `key_usage` has counted, this counts more in advance, which is durable (ADR 81). A key
 * whose row in `key_counts` a crash has emptied is contended.
 */
const admit = (whenLocked: LockMode, { columns, join }: typeof stamps): string => `with found as materialized (
    select ${keyColumns}, ${accountColumns}${columns}, presented.requests
    from json_to_recordset($3::json) as presented ("id" text, "secretHash" text, requests int4)
    join api_keys k on k.id = presented.id and k.secret_hash = presented."secretHash" and k.revoked is null
    join accounts a on a.id = k.owner_id
    ${join}
    -- Always true. For the planner, which else expects a hundred rows here and reads whole tables for them.
    where presented.requests % 1 = 0
  ), locked as materialized (
    select r.owner_id, r.key_id, found.requests, found.rate_limit, r.window_start, r.last_used,
      case when ${isOpen("r")} then r.used else 0 end as used,
      case when ${isOpen("r")} then r.reserved else 0 end as reserved,
      case when r.last_used - $2::bigint > ${clockTolerance} then $2::bigint
        else greatest(r.last_used, $2::bigint) end as now_used
    from found join key_counts r on r.owner_id = found.owner_id and r.key_id = found.key_id
    for update of r ${whenLocked === "skip" ? "skip locked" : ""}
  ), asked as materialized (
    select locked.*, case when requests <= reserved then 0
      else greatest(least(requests - reserved + ${inAdvance}, rate_limit - used - reserved), 0) end as wanted
    from locked
  ), extended as (
    update key_usage u set
      window_start = case when ${isOpen("u")} then u.window_start else $1::bigint end,
      used = ${durable} + ${granted},
      granted = ${granted},
      last_used = asked.now_used
    from asked where u.owner_id = asked.owner_id and u.key_id = asked.key_id
      and (asked.wanted > 0 or asked.now_used is distinct from asked.last_used)
    returning u.key_id, u.window_start, u.used, u.granted
  ), answer as materialized (
    select asked.*, least(requests, reserved + coalesce(e.granted, 0)) as admitted, e.used as counted,
      coalesce(e.granted, 0) as granted, coalesce(e.window_start, asked.window_start) as open_since
    from asked left join extended e on e.key_id = asked.key_id
  ), counted as (
    update key_counts r set
      window_start = a.open_since,
      used = coalesce(a.counted - a.reserved - a.granted, a.used) + a.admitted,
      reserved = a.reserved + a.granted - a.admitted,
      last_used = a.now_used
    from answer a where r.owner_id = a.owner_id and r.key_id = a.key_id
    returning r.key_id, r.window_start, r.used, a.admitted, r.last_used
  )
  select found.*, counted.window_start::float8, counted.used, counted.admitted, counted.last_used::float8
  from found left join counted on counted.key_id = found.key_id`

/** Rows for keys that have none, with nothing counted in advance. */
const restore = `insert into key_counts (owner_id, key_id, window_start, used, reserved, last_used)
  select owner_id, key_id, -${hour}, 0, 0, null from key_usage
  where key_id in (select id from json_to_recordset($1::json) as presented (id text))
  on conflict do nothing`

/** One JSON parameter: with an array, PostgreSQL would plan anew for each number of keys. */
const paramsOf = (requests: ReadonlyArray<QuotaRequest>, now: EpochMillis): Params => [
  now,
  Math.floor(now / minute) * minute,
  JSON.stringify(requests)
]

const grantOf = (row: Row): QuotaGrant => ({
  key: keyOf(row),
  account: accountOf(row),
  ...("last_write" in row && {
    stamps: { lastWrite: row.last_write as number, settingsChanged: row.settings_changed as number }
  }),
  admitted: row.admitted as number,
  used: row.used as number,
  resetAt: addMillis(row.window_start as EpochMillis, hour)
})

/** Whether it was counted may be unknown; the request itself has not begun. */
const beforeTheRequest = ({ cause, full = false }: StorageUnavailable): StorageUnavailable =>
  new StorageUnavailable({ outcome: "not-applied", full, cause })

const countWith = (db: Database["Service"], known: typeof stamps): CountRequests => {
  const [skip, wait] = [admit("skip", known), admit("wait", known)]
  return (requests, now, mode, reads) => {
    const params = paramsOf(requests, now)
    const skipping = () =>
      reads.length === 0 ? db.autocommitPipelined(skip, params) : db.autocommitWith(reads, skip, params)
    const waiting = () =>
      Effect.andThen(db.autocommitExclusive(restore, [params[2]!]), db.autocommitExclusive(wait, params))
    const counted = Effect.mapError(mode === "wait" ? waiting() : skipping(), beforeTheRequest)
    return Effect.map(counted, (rows) => {
      const byKey = new Map(rows.map((row) => [row.key_id as string, row]))
      return requests.map(({ id, secretHash }) => {
        const row = byKey.get(id)
        if (row === undefined || row.secret_hash !== secretHash) return undefined
        return row.admitted === null ? contended : grantOf(row)
      })
    })
  }
}

export const layer = Layer.effect(
  KeyStore,
  Effect.gen(function* () {
    const db = yield* Database
    const { isDistributed } = yield* Engine
    const limiter = makeRateLimiter(countWith(db, isDistributed ? noStamps : stamps), yield* Effect.scope)
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
        if (owner !== undefined && !isIdForm(owner)) return Effect.succeed([])
        const order = "order by k.created, k.id"
        const rows =
          owner === undefined
            ? db.readLong(`${select} ${order}`)
            : db.read(`${select} where k.owner_id = $1 ${order}`, [owner])
        return Effect.map(rows, (found) => found.map(keyOf))
      },
      revoke: (id, now) =>
        db.transaction(
          Effect.gen(function* () {
            const [key] = yield* db.write(revoke, [id, now])
            if (key === undefined) return false
            yield* db.write(switchOff, [key.owner as string, id, revokedKeyReason])
            return true
          })
        ),
      admit: (id, secretHash) => limiter.answer(present(id, secretHash)),
      admitWith: makeAdmitWith(limiter)
    })
  })
)
