import { clockTolerance } from "@lists-and-things/domain/days/ClockSkew"
import { leaseMillis } from "@lists-and-things/domain/ports/WebhookStore"
import { maxWaits } from "@lists-and-things/domain/webhooks/Attempts"
import { clock } from "./DueWebhooks.ts"

/** As `isAhead` of the domain. What follows is in SQL what `ClockCorrection` decides there. */
const isAhead = (time: string, now = "$1"): string => `${time} > ${now}::bigint + ${clockTolerance}`

const isPutOff = isAhead(`d.next_attempt - (array[${maxWaits.join(", ")}])[d.attempts + 1]`, "$4")

/** A lease of another clock of the database, which was ahead. */
const isHeld = `d.lease_until > ${clock} + ${leaseMillis + clockTolerance}`

/** Whether another clock, ahead of this one ($4), has dated something of a delivery. */
export const isMisdated = `(${isAhead("d.created", "$4")} or ${isPutOff} or ${isHeld})`
export const datedByClock = `set created = least(d.created, $4::bigint),
  lease_until = case when not ${isHeld} then d.lease_until end,
  next_attempt = case when ${isPutOff} then $4::bigint else d.next_attempt end`

const within = (column: string): string =>
  `${column} = case when w.${column} is not null then least(w.${column}, $1::bigint) end`

/** Accounts that are followed and of which another clock, ahead of this one ($1), has dated something. */
const ahead = `select f.owner_id from webhook_accounts f
    where ${isAhead("f.clock")} or exists (select from webhooks w where w.owner_id = f.owner_id
      and ${isAhead("greatest(w.since, w.last_success, w.last_failure, w.failing_since)")})`

/** These accounts with their webhooks: a row for each webhook, or one without for an account that has none. */
export const webhooksAhead = `select f.owner_id::text, w.id::text from (${ahead}) f
  left join webhooks w on w.owner_id = f.owner_id order by f.owner_id, w.id`

/**
 * Dates by the clock ($1) what another one, which was ahead, has dated of these accounts and of their webhooks; reminders
 * due later than $2 are looked at again. Answers a row per account, which is none of them from then on.
 */
export const correctDates = `with ahead as materialized (
    ${ahead}
  ), dated_webhooks as (
    update webhooks w set since = least(w.since, $1::bigint), ${["last_success", "last_failure", "failing_since"].map(within).join(", ")}
    from ahead a where w.owner_id = a.owner_id
  )
  update webhook_accounts f set clock = least(f.clock, $1::bigint),
    rebuild_from = case when f.keeps_moments then $2::bigint end
  from ahead a where f.owner_id = a.owner_id returning 1`
