import { clockTolerance } from "@lists-and-things/domain/days/ClockSkew"
import { leaseMillis } from "@lists-and-things/domain/ports/WebhookStore"
import { maxWaits } from "@lists-and-things/domain/webhooks/Attempts"
import { clock } from "./Leases.ts"

/** Ahead of the clock ($1) by more than the tolerance. */
const isAhead = (time: string): string => `${time} > $1::bigint + ${clockTolerance}`

const isPutOff = isAhead(`d.next_attempt - (array[${maxWaits.join(", ")}])[d.attempts + 1]`)

/** A lease of another clock of the database, which was ahead. */
const isHeld = `d.lease_until > ${clock} + ${leaseMillis + clockTolerance}`

const within = (column: string): string =>
  `${column} = case when w.${column} is not null then least(w.${column}, $1::bigint) end`

/** Accounts that are followed and of which another clock, ahead of this one ($1), has dated something. */
export const ahead = `select f.owner_id from webhook_accounts f
    where ${isAhead("f.clock")} or exists (select from webhooks w where w.owner_id = f.owner_id
      and ${isAhead("greatest(w.since, w.last_success, w.last_failure, w.failing_since)")})`

/**
 * Dates by the clock ($1) what another one, which was ahead, has dated of accounts that are followed; reminders due later
 * than $2 are looked at again. Answers a row per such account.
 */
export const correctDates = `with ahead as materialized (
    ${ahead}
  ), dated_webhooks as (
    update webhooks w set since = least(w.since, $1::bigint), ${["last_success", "last_failure", "failing_since"].map(within).join(", ")}
    from ahead a where w.owner_id = a.owner_id
  ), dated_deliveries as (
    update webhook_deliveries d set created = least(d.created, $1::bigint),
      lease_until = case when not ${isHeld} then d.lease_until end,
      next_attempt = case when ${isPutOff} then $1::bigint else d.next_attempt end
    from ahead a where d.owner_id = a.owner_id and (${isAhead("d.created")} or ${isPutOff} or ${isHeld})
  )
  update webhook_accounts f set clock = least(f.clock, $1::bigint),
    rebuild_from = case when f.keeps_moments then $2::bigint end
  from ahead a where f.owner_id = a.owner_id returning 1`
