import { currentTime, type EpochMillis, msPerMinute } from "@lists-and-things/domain/model/EpochMillis"
import { type AccountId, isIdForm, type ThingId } from "@lists-and-things/domain/model/Ids"
import type { Webhook } from "@lists-and-things/domain/model/Webhook"
import type { Stored } from "@lists-and-things/domain/ports/Storage"
import { type FollowedAccount, type Moment, WebhookStore } from "@lists-and-things/domain/ports/WebhookStore"
import { endedEvents } from "@lists-and-things/domain/webhooks/WebhookChanges"
import { Effect, Layer } from "effect"
import type { Row } from "@effect/sql-pg/PgConnection"
import { pruneBy, pruneStatement } from "../Pruning.ts"
import { Database } from "../connection/Database.ts"
import { Engine } from "../Engine.ts"
import { isDeepPage, offsetOf, pageOf } from "../Paging.ts"
import { correctDates, webhooksAhead } from "./DateCorrection.ts"
import { makeDeliveryChanges } from "./DeliveryChanges.ts"
import { makeLeases } from "./Leases.ts"
import {
  deliveriesJson,
  deliveryColumns,
  deliveryOf,
  insertDeliveries,
  settingsParams,
  webhookColumns,
  webhookOf
} from "./WebhookRows.ts"

const select = `select ${webhookColumns} from webhooks w where w.owner_id = $1`

const insert = `insert into webhooks (owner_id, id, url, events, format, description, enabled, disabled_reason, secret,
    former_secret, former_until, earlier_secrets, since, after_write, created, last_success, last_failure,
    failing_since, made_by)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`

/** `failingSinceAfter` decides when failures count no longer. */
const update = `update webhooks w set url = $3, events = $4, format = $5, description = $6, enabled = $7,
    disabled_reason = $8, secret = $9, former_secret = $10, former_until = $11, earlier_secrets = $12, since = $13,
    after_write = $14, failing_since = case when w.enabled = $7::boolean and w.url = $3 then w.failing_since end
  where w.owner_id = $1 and w.id = $2`

const follow = `with wanted as materialized (
    select count(*) > 0 as any_on, coalesce(bool_or('reminder.due' = any (w.events)), false) as reminders
    from webhooks w where w.owner_id = $1 and w.enabled
  ), left_alone as (
    delete from webhook_accounts f using wanted where f.owner_id = $1 and not wanted.any_on
  ), forgotten as (
    delete from reminder_moments m using wanted where m.owner_id = $1 and not wanted.reminders
  )
  insert into webhook_accounts as f (owner_id, stamp, keeps_moments, rebuild_from)
    select $1::uuid, $2::bigint, reminders, case when reminders then $3::bigint end from wanted where any_on
  on conflict (owner_id) do update set keeps_moments = excluded.keeps_moments,
    rebuild_from = case when not excluded.keeps_moments then null
      when f.keeps_moments then f.rebuild_from else excluded.rebuild_from end`

const deliveries = `select ${deliveryColumns} from webhook_deliveries d where d.owner_id = $1 and d.webhook_id = $2`

/** The times are those of `afterLogged`. */
const log = `with touched as (
    update webhooks w set last_success = case when $9 then greatest(w.last_success, $8::bigint) else w.last_success end,
      last_failure = case when $9 then w.last_failure else greatest(w.last_failure, $8::bigint) end,
      failing_since = case when not $9 then w.failing_since end
    where w.owner_id = $1 and w.id = $2 returning w.id
  )
  insert into webhook_deliveries (owner_id, webhook_id, id, event, message_id, body, notice, position, in_turn,
    attempts, status, duration_ms, answer, created)
  select $1::uuid, touched.id, $3::uuid, $4, $5, $6, $7::json, $8::bigint, false, 1, $10::integer, $11::integer, $12,
    $13::bigint from touched`

const replay = `update webhook_deliveries d
    set attempts = 0, next_attempt = $3::bigint, in_turn = d.event = 'operation', lease_until = null
  where d.owner_id = $1 and d.webhook_id = $2 and d.id = $4 returning 1`

const followed = `select f.owner_id::text, f.stamp::float8, f.keeps_moments, f.rebuild_from::float8
  from webhook_accounts f
  where f.rebuild_from is not null
    or exists (select from operations o where o.owner_id = f.owner_id and o.stamp > f.stamp)
  order by f.stamp limit $1`

/** The same in two readings, where operations lie on other servers. */
const following = `select f.owner_id::text, f.stamp::float8, f.keeps_moments, f.rebuild_from::float8
  from webhook_accounts f order by f.stamp`
const newestOperations = `select o.owner_id::text, max(o.stamp)::float8 as stamp from operations o
  where o.owner_id = any ($1::uuid[]) group by o.owner_id`

const followedApart = (db: Database["Service"], limit: number): Stored<ReadonlyArray<FollowedAccount>> =>
  Effect.gen(function* () {
    const all = (yield* db.readLong(following)).map(followedOf)
    const rows = yield* db.readLong(newestOperations, [all.map(({ owner }) => owner)])
    const newest = new Map(rows.map((row) => [row.owner_id as string, row.stamp as number]))
    return all
      .filter(
        ({ owner, rebuildFrom, writeTimestamp }) => rebuildFrom !== null || (newest.get(owner) ?? 0) > writeTimestamp
      )
      .slice(0, limit)
  })

const momentColumns = "m.thing_id::text, m.due_at::float8, m.stamp::float8"
const momentsOf = `select ${momentColumns} from reminder_moments m where m.owner_id = $1 and m.thing_id = any ($2::uuid[])`
const dueMoments = `select m.owner_id::text, ${momentColumns} from reminder_moments m where m.due_at <= $1
  and m.owner_id <> all ($3::uuid[]) order by m.due_at limit $2`

const putMoments = `with given as materialized (
    select * from json_to_recordset($2::json) as g (thing_id uuid, due_at bigint, stamp bigint)
  ), gone as (
    delete from reminder_moments m using given g
    where m.owner_id = $1 and m.thing_id = g.thing_id and g.due_at is null and m.stamp <= g.stamp
  )
  insert into reminder_moments as m (owner_id, thing_id, due_at, stamp)
    select $1::uuid, g.thing_id, g.due_at, g.stamp from given g where g.due_at is not null order by g.thing_id
  on conflict (owner_id, thing_id) do update set due_at = excluded.due_at, stamp = excluded.stamp
    where m.stamp <= excluded.stamp`

const advance = `with moved as (
    update webhook_accounts f set stamp = $3, clock = greatest(f.clock, $6::bigint),
      rebuild_from = case when f.rebuild_from = $4::bigint then null else f.rebuild_from end
    where f.owner_id = $1 and f.stamp = $2 returning 1
  ), added as (${insertDeliveries("$5", "cross join moved")})
  select 1 from moved`

const settle = `with given as materialized (
    select * from json_to_recordset($2::json) as g (thing_id uuid, due_at bigint, stamp bigint, next bigint)
  ), moved as (
    update reminder_moments m set due_at = g.next from given g
    where m.owner_id = $1 and m.thing_id = g.thing_id and m.due_at = g.due_at and m.stamp = g.stamp
      and g.next is not null
    returning m.thing_id
  ), gone as (
    delete from reminder_moments m using given g
    where m.owner_id = $1 and m.thing_id = g.thing_id and m.due_at = g.due_at and m.stamp = g.stamp and g.next is null
    returning m.thing_id
  ), told as (
    update webhook_accounts f set clock = $4::bigint where f.owner_id = $1
      and coalesce(f.clock, 0) < $4::bigint - ${msPerMinute}
  ), settled as (select thing_id from moved union all select thing_id from gone)
  ${insertDeliveries("$3", "join settled s on s.thing_id = n.thing_id", "thing_id uuid,")}`

const pruneDeliveries = pruneStatement({
  table: "webhook_deliveries",
  key: ["owner_id", "webhook_id", "id"],
  column: "created",
  // One that was replayed waits longer than it is kept. What waits since then is of a webhook that is off.
  only: "(next_attempt is null or next_attempt < $1 or created > $2)"
})

const momentOf = (row: Row): Moment => ({
  thingId: row.thing_id as ThingId,
  dueAt: row.due_at as EpochMillis,
  writeTimestamp: row.stamp as EpochMillis
})

const followedOf = (row: Row): FollowedAccount => ({
  owner: row.owner_id as AccountId,
  writeTimestamp: row.stamp as EpochMillis,
  keepsMoments: row.keeps_moments as boolean,
  rebuildFrom: row.rebuild_from as EpochMillis | null
})

const subscriptionOf = (row: Row): Pick<Webhook, "enabled" | "events"> => ({
  enabled: row.enabled as boolean,
  events: row.events as Webhook["events"]
})

const beyondSettings = (webhook: Webhook) => [
  webhook.created,
  webhook.lastSuccess,
  webhook.lastFailure,
  webhook.failingSince,
  webhook.madeBy
]

export const layer = Layer.effect(
  WebhookStore,
  Effect.gen(function* () {
    const db = yield* Database
    const { isDistributed } = yield* Engine
    const prune = pruneBy(db)
    const changes = makeDeliveryChanges(db)
    const known = <A, E>(ids: ReadonlyArray<string>, found: Effect.Effect<A, E>, unknown: A) =>
      ids.every(isIdForm) ? found : Effect.succeed(unknown)

    return WebhookStore.of({
      ...makeLeases(db),
      list: (owner) =>
        Effect.map(db.read(`${select} order by w.created, w.id`, [owner]), (rows) => rows.map(webhookOf)),
      get: (owner, id) =>
        known(
          [id],
          Effect.map(db.read(`${select} and w.id = $2`, [owner, id]), ([row]) => row && webhookOf(row)),
          undefined
        ),
      insert: (webhook) => Effect.asVoid(db.write(insert, [...settingsParams(webhook), ...beyondSettings(webhook)])),
      update: (webhook) =>
        Effect.gen(function* () {
          const { id, owner } = webhook
          const [before] = yield* db.read("select enabled, events from webhooks where owner_id = $1 and id = $2", [
            owner,
            id
          ])
          const ended = before === undefined ? [] : endedEvents(subscriptionOf(before), webhook)
          if (ended.length > 0) yield* changes.end(owner, id, ended)
          yield* db.write(update, settingsParams(webhook))
        }),
      remove: (owner, id) =>
        known(
          [id],
          Effect.map(
            db.write("delete from webhooks where owner_id = $1 and id = $2 returning 1", [owner, id]),
            (rows) => rows.length > 0
          ),
          false
        ),
      clear: (owner, webhook, what) => known([webhook], Effect.asVoid(changes.clear(owner, webhook, what)), undefined),
      endWaiting: (owner, webhook, events) =>
        known([webhook], Effect.asVoid(changes.endWaiting(owner, webhook, events)), undefined),
      follow: (owner, writeTimestamp, now) => Effect.asVoid(db.write(follow, [owner, writeTimestamp, now])),
      deliveries: (owner, webhook, page, size) =>
        known(
          [webhook],
          Effect.map(
            (isDeepPage(page, size) ? db.readLong : db.read)(
              `${deliveries} order by d.created desc, d.id desc limit $3 offset $4`,
              [owner, webhook, size + 1, offsetOf(page, size)]
            ),
            (rows) => pageOf(rows.map(deliveryOf), size)
          ),
          { items: [], hasMore: false }
        ),
      delivery: (owner, webhook, id) =>
        known(
          [webhook, id],
          Effect.map(db.read(`${deliveries} and d.id = $3`, [owner, webhook, id]), ([row]) => row && deliveryOf(row)),
          undefined
        ),
      log: (owner, { body, created, event, id, messageId, notification, webhookId }, outcome) =>
        Effect.asVoid(
          db.write(log, [
            owner,
            webhookId,
            id,
            event,
            messageId,
            body,
            JSON.stringify(notification),
            outcome.at,
            outcome.isSuccess,
            outcome.status,
            Math.round(outcome.durationMillis),
            outcome.answer,
            created
          ])
        ),
      replay: (owner, webhook, id, now) =>
        known(
          [webhook, id],
          Effect.map(db.write(replay, [owner, webhook, now, id]), (rows) => rows.length > 0),
          false
        ),
      replaySince: (owner, webhook, since, now) => known([webhook], changes.replay(owner, webhook, since, now), 0),
      isNeeded: Effect.map(
        db.read("select exists (select from webhook_accounts) as needed"),
        ([row]) => row?.needed === true
      ),
      followed: (limit) =>
        isDistributed
          ? followedApart(db, limit)
          : Effect.map(db.readLong(followed, [limit]), (rows) => rows.map(followedOf)),
      momentsOf: (owner, things) =>
        things.length === 0
          ? Effect.succeed([])
          : Effect.map(db.read(momentsOf, [owner, things]), (rows) => rows.map(momentOf)),
      putMoments: (owner, moments) =>
        moments.length === 0
          ? Effect.void
          : Effect.asVoid(
              db.write(putMoments, [
                owner,
                JSON.stringify(
                  moments.map(({ dueAt = null, thingId, writeTimestamp }) => ({
                    thing_id: thingId,
                    due_at: dueAt,
                    stamp: writeTimestamp
                  }))
                )
              ])
            ),
      advance: (owner, from, to, { deliveries, rebuilt = null }) =>
        Effect.gen(function* () {
          const added = deliveriesJson(deliveries.map((delivery) => ({ delivery })))
          const rows = yield* db.write(advance, [owner, from, to, rebuilt, added, yield* currentTime])
          return rows.length > 0
        }),
      rebuild: (owner, since) =>
        Effect.asVoid(
          db.write("update webhook_accounts set rebuild_from = $2 where owner_id = $1 and keeps_moments", [
            owner,
            since
          ])
        ),
      dueMoments: (now, limit, without) =>
        Effect.map(db.read(dueMoments, [now, limit, without]), (rows) =>
          rows.map((row) => ({ ...momentOf(row), owner: row.owner_id as AccountId }))
        ),
      settle: (owner, settled) =>
        Effect.gen(function* () {
          const moments = settled.map(({ moment, next = null }) => ({
            thing_id: moment.thingId,
            due_at: moment.dueAt,
            stamp: moment.writeTimestamp,
            next
          }))
          const added = settled.flatMap(({ deliveries, moment }) =>
            deliveries.map((delivery) => ({ delivery, fields: { thing_id: moment.thingId } }))
          )
          yield* db.write(settle, [owner, JSON.stringify(moments), deliveriesJson(added), yield* currentTime])
        }),
      correctDates: (now, since) =>
        Effect.gen(function* () {
          const found = yield* db.readLong(webhooksAhead, [now])
          if (found.length === 0) return 0
          for (const { id, owner_id } of found)
            if (id !== null) yield* changes.correct(owner_id as AccountId, id as string, now)
          // Last: whoever repeats a correction that was cut off finds the accounts by these dates.
          return (yield* db.write(correctDates, [now, since])).length
        }),
      prune: (outdated, max) => prune(pruneDeliveries, outdated, max)
    })
  })
)
