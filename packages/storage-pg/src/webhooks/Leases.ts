import { type Backlog, type Outcome, type WebhookStore, wholeShare } from "@lists-and-things/domain/ports/WebhookStore"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { Effect } from "effect"
import type { Database } from "../connection/Database.ts"
import { clock, makeDueWebhooks } from "./DueWebhooks.ts"
import { deliveryColumns, leaseOf, webhookColumns } from "./WebhookRows.ts"

const isFree = "(d.lease_until is null or d.lease_until < clock.now)"
const ofWebhook = "d.owner_id = w.owner_id and d.webhook_id = w.id"

/** A row if a delivery of the webhook is due. The order has PostgreSQL read the first by the index, and not all of them. */
const due = `(select from (values (false), (true)) as turn (is_in), lateral (select from webhook_deliveries d
      where ${ofWebhook} and d.in_turn = turn.is_in and d.next_attempt <= $1 and ${isFree}
      order by d.next_attempt, d.id limit 1) as first limit 1)`

/**
 * Of the webhooks given ($7, $8). The lock on the webhook's row makes processes lease one after the other; those that
 * come second pass over it. A statement that saw the state before the other's commit finds its choice leased, or moved,
 * when it updates.
 */
export const lease = `with clock as materialized (select ${clock} as now), w as materialized (
    select ${webhookColumns.replaceAll("::text", "")} from webhooks w, clock, lateral ${due} as due
    where w.enabled and w.owner_id <> all ($5::uuid[])
      and (w.owner_id, w.id) in (select * from unnest($7::uuid[], $8::uuid[]))
    order by w.failing_since is not null, random() limit $3 for no key update of w skip locked
  ), chosen as materialized (
    select d.at from w, clock, lateral (
      (select s.at, row_number() over (order by s.next_attempt, s.id) as nth
        from (select d.ctid as at, d.id, d.next_attempt from webhook_deliveries d
          where ${ofWebhook} and not d.in_turn and d.next_attempt <= $1 and ${isFree}
          order by d.next_attempt, d.id
          limit greatest(0, $4::int4 - (select count(*) from webhook_deliveries d
            where ${ofWebhook} and d.lease_until >= clock.now and not d.in_turn))) as s)
      union all
      (select t.at, 1 from (
          select d.ctid as at, d.lease_until from webhook_deliveries d
          where ${ofWebhook} and d.in_turn and d.next_attempt is not null order by d.position, d.id limit 1
        ) as t where t.lease_until is null or t.lease_until < clock.now)
    ) as d order by w.failing_since is not null, d.nth limit $6
  ), leased as (
    update webhook_deliveries d set lease_until = clock.now + $2::bigint from clock
    where d.ctid = any (array(select at from chosen)) and d.next_attempt <= $1 and ${isFree}
    returning d.*
  )
  select ${webhookColumns}, ${deliveryColumns}, d.body, d.notice, d.lease_until::float8 as token
  from leased d join w on w.owner_id = d.owner_id and w.id = d.webhook_id order by d.next_attempt, d.position, d.id`

/**
 * `afterAttempts` in SQL, and so is what `finish` sets: by the row that is updated, which another process may have
 * changed since the statement began.
 */
const switchedOffBy = `(case when w.url = any(s.gone) then s.reason
  when s.success is null and s.failure - w.failing_since >= $2::bigint then $3::text end)`

const finish = `with given as materialized (
    select * from json_to_recordset($1::json) as g (owner_id uuid, webhook_id uuid, id uuid, token bigint, at bigint,
      success boolean, status integer, duration_ms integer, answer text, next_attempt bigint, reason text,
        url text)
  ), done as (
    update webhook_deliveries d set attempts = d.attempts + 1, status = g.status, duration_ms = g.duration_ms,
      answer = g.answer, next_attempt = g.next_attempt, in_turn = false, lease_until = null
    from given g where d.owner_id = g.owner_id and d.webhook_id = g.webhook_id and d.id = g.id
      and d.lease_until = g.token
    returning d.owner_id, d.webhook_id, g.at, g.success, g.reason, g.url
  ), sums as (
    select owner_id, webhook_id, max(at) filter (where success) as success,
      max(at) filter (where not success) as failure, min(at) filter (where not success) as first_failure,
      max(reason) as reason, array_agg(url) filter (where reason is not null) as gone
    from done group by owner_id, webhook_id
  )
  update webhooks w set last_success = greatest(w.last_success, s.success),
    last_failure = greatest(w.last_failure, s.failure),
    failing_since = case when s.success is null then coalesce(w.failing_since, s.first_failure) end,
    enabled = w.enabled and ${switchedOffBy} is null,
    disabled_reason = case when w.enabled then ${switchedOffBy} else w.disabled_reason end
  from sums s where w.owner_id = s.owner_id and w.id = s.webhook_id`

const release = `update webhook_deliveries d set lease_until = null
  from json_to_recordset($1::json) as g (owner_id uuid, webhook_id uuid, id uuid, token bigint)
  where d.owner_id = g.owner_id and d.webhook_id = g.webhook_id and d.id = g.id and d.lease_until = g.token`

const backlog = `select count(*)::int4 as count, min(d.created)::float8 as oldest
  from webhooks w join webhook_deliveries d on ${ofWebhook} and d.next_attempt is not null
  where w.enabled and (d.next_attempt <= $1 or d.attempts > 0)`

const keyOf = ({ delivery, token }: Outcome["lease"]) => ({
  owner_id: delivery.owner,
  webhook_id: delivery.webhookId,
  id: delivery.id,
  token
})

const outcomeJson = (outcome: Outcome) => ({
  ...keyOf(outcome.lease),
  at: outcome.at,
  success: outcome.isSuccess,
  status: outcome.status,
  duration_ms: Math.round(outcome.durationMillis),
  answer: outcome.answer,
  next_attempt: outcome.nextAttempt,
  reason: outcome.disabledReason,
  url: outcome.lease.webhook.url
})

/** The part of the store that the programs that deliver share work by. */
export const makeLeases = (
  db: Database["Service"]
): Pick<WebhookStore["Service"], "lease" | "finish" | "release" | "backlog"> => {
  const dueWebhooks = makeDueWebhooks(db)
  return {
    lease: (now, millis, max, { deliveries, parallel, without } = wholeShare) =>
      Effect.gen(function* () {
        const due = yield* dueWebhooks(now)
        if (due.length === 0) return []
        const keys = [due.map(([owner]) => owner), due.map(([, webhook]) => webhook)]
        const leasing = db.write(lease, [now, millis, max, parallel, without, deliveries, ...keys])
        // In a transaction, which commits once the rows have arrived. A frozen server that runs the statement after its
        // caller has given up would otherwise lease deliveries that nobody attempts.
        return (yield* db.transactionFrom(leasing, Effect.succeed)).map(leaseOf)
      }),
    finish: (outcomes, { millis, reason }) =>
      Effect.asVoid(db.write(finish, [JSON.stringify(outcomes.map(outcomeJson)), millis, reason])),
    release: (leases) => Effect.asVoid(db.write(release, [JSON.stringify(leases.map(keyOf))])),
    backlog: (now) =>
      Effect.map(db.readLong(backlog, [now]), ([row]): Backlog => ({
        count: row?.count as number,
        oldest: row?.oldest as EpochMillis | null
      }))
  }
}
