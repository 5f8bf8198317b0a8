import type { Row } from "@effect/sql-pg/PgConnection"
import { clockTolerance } from "@lists-and-things/domain/days/ClockSkew"
import { isIdForm } from "@lists-and-things/domain/model/Ids"
import { revokedKeyReason } from "@lists-and-things/domain/model/Webhook"
import { KeyStore } from "@lists-and-things/domain/ports/KeyStore"
import { Effect, Layer } from "effect"
import { Database } from "../connection/Database.ts"
import { Engine } from "../Engine.ts"
import type { Params } from "../connection/ConnectionPool.ts"
import { contended, type LockMode, makeBatcher } from "../connection/Batcher.ts"
import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
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
  )
  insert into key_usage (owner_id, key_id, window_start, used, granted, last_used) values ($1, $2, -${hour}, 0, 0, $9)`

const revoke = `update api_keys set revoked = coalesce(revoked, $2::bigint) where id = $1
  returning owner_id::text as owner`

const switchOff = `update webhooks set enabled = false, disabled_reason = $3
  where owner_id = $1 and made_by = $2 and enabled`

/** SQL for what the window that is open at `$1` has counted before this statement. */
const isOpen = `$1::bigint between u.window_start - ${clockTolerance} and u.window_start + ${hour - 1}`
const counted = `case when ${isOpen} then u.used else 0 end`
const granted = `least(locked.requests, greatest(locked.rate_limit - (${counted}), 0))`

/** With the write timestamps of the accounts, where they lie on the same server. */
const stamps = {
  columns: ", w.last_write::float8, w.settings_changed::float8",
  join: "join write_clocks w on w.owner_id = k.owner_id"
}
const noStamps: typeof stamps = { columns: "", join: "" }

/** The counting statement, one per batch of requests for any number of keys. */
const admit = (
  whenLocked: LockMode,
  { columns, join }: typeof stamps,
  isDurable: boolean
): string => `with found as materialized (
    select ${keyColumns}, ${accountColumns}${columns}, presented.requests
    from json_to_recordset($3::json) as presented ("id" text, "secretHash" text, requests int4)
    join api_keys k on k.id = presented.id and k.secret_hash = presented."secretHash" and k.revoked is null
    join accounts a on a.id = k.owner_id
    ${join}
  ), locked as materialized (
    select u.owner_id, u.key_id, found.requests, found.rate_limit
    from found join key_usage u on u.owner_id = found.owner_id and u.key_id = found.key_id
    for update of u ${whenLocked === "skip" ? "skip locked" : ""}
  ), counted as (
    update key_usage u set
      window_start = case when ${isOpen} then u.window_start else $1::bigint end,
      used = ${counted} + ${granted},
      granted = ${granted},
      last_used = case when u.last_used - $2::bigint > ${clockTolerance} then $2::bigint
        else greatest(u.last_used, $2::bigint) end
    from locked where u.owner_id = locked.owner_id and u.key_id = locked.key_id
    returning u.key_id, u.window_start, u.used, u.granted, u.last_used
  )
  select found.*, counted.window_start::float8, counted.used, counted.granted, counted.last_used::float8
    ${isDurable ? "" : ", (select set_config('synchronous_commit', 'off', true))"}
  from found left join counted on counted.key_id = found.key_id`

/** On several servers the commit of a write may be on another one than the count's. */
const admitOn = (isDistributed: boolean) => {
  const of = (isDurable: boolean) => {
    const known = isDistributed ? noStamps : stamps
    return { wait: admit("wait", known, isDurable), skip: admit("skip", known, isDurable) }
  }
  return { durable: of(true), beforeWrite: of(isDistributed) }
}

/** Writes to the log, whose commit takes with it whatever was committed before. */
const flushLog = "select pg_logical_emit_message(true, 'lists-and-things', '')::text"

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
  admitted: row.granted as number,
  used: row.used as number,
  resetAt: addMillis(row.window_start as EpochMillis, hour)
})

const countWith =
  (db: Database["Service"], { beforeWrite, durable }: ReturnType<typeof admitOn>): CountRequests =>
  (requests, now, mode, reads, isDurable) => {
    const statements = isDurable ? durable : beforeWrite
    const params = paramsOf(requests, now)
    const skipping = () =>
      reads.length === 0
        ? db.autocommitPipelined(statements.skip, params)
        : db.autocommitWith(reads, statements.skip, params)
    const counted = mode === "wait" ? db.autocommitExclusive(statements.wait, params) : skipping()
    return Effect.map(counted, (rows) => {
      const byKey = new Map(rows.map((row) => [row.key_id as string, row]))
      return requests.map(({ id, secretHash }) => {
        const row = byKey.get(id)
        if (row === undefined || row.secret_hash !== secretHash) return undefined
        return row.granted === null ? contended : grantOf(row)
      })
    })
  }

export const layer = Layer.effect(
  KeyStore,
  Effect.gen(function* () {
    const db = yield* Database
    const { isDistributed } = yield* Engine
    const scope = yield* Effect.scope
    const limiter = makeRateLimiter(countWith(db, admitOn(isDistributed)), scope)
    const settled = makeBatcher<void, void, StorageUnavailable>(
      {
        keyOf: () => "",
        maxConcurrentBatches: 1,
        runBatch: (waiting) =>
          Effect.as(
            db.autocommitPipelined(flushLog),
            waiting.map(() => undefined)
          )
      },
      scope
    )
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
      admit: (id, secretHash, counting) => limiter.answer(present(id, secretHash, counting)),
      counted: isDistributed ? Effect.void : settled.answer(undefined),
      admitWith: makeAdmitWith(limiter)
    })
  })
)
