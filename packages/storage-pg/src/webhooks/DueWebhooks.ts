import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { Stored } from "@lists-and-things/domain/ports/Storage"
import { Effect } from "effect"
import type { Database } from "../connection/Database.ts"
import { nilId } from "../Ids.ts"

/** Milliseconds since 1970 by the clock of the database. */
export const clock = "(extract(epoch from clock_timestamp()) * 1000)::bigint"

/** Deliveries that a poll reads by their time at most, and the webhooks that it adds when there are that many. */
export const [dueRead, webhooksWalked] = [1_000, 500]

/** The webhooks of the deliveries that became due last and are not leased, with the number of these deliveries. */
export const newestDue = `select d.owner_id::text, d.webhook_id::text, (sum(count(*)) over ())::int4 as found
  from (select d.owner_id, d.webhook_id from webhook_deliveries d
    where d.next_attempt > 0 and d.next_attempt <= $1
      and (d.lease_until is null or d.lease_until < (select ${clock}))
    order by d.next_attempt desc limit ${dueRead}) as d
  group by d.owner_id, d.webhook_id`

/** The first delivery that waits for a webhook behind this one: a step of the index, however many wait for each. */
const firstBehind = (owner: string, webhook: string): string => `select d.owner_id, d.webhook_id
    from webhook_deliveries d
    where d.next_attempt is not null and (d.owner_id, d.webhook_id, d.in_turn) > (${owner}, ${webhook}, true)
    order by d.owner_id, d.webhook_id, d.in_turn, d.next_attempt, d.id limit 1`

/** The next webhooks for which a delivery waits, behind the one given. */
export const walk = `with recursive walked (owner_id, webhook_id) as (
    (${firstBehind("$2::uuid", "$3::uuid")})
    union all
    select next.owner_id, next.webhook_id
    from walked, lateral (${firstBehind("walked.owner_id", "walked.webhook_id")}) as next
  )
  select owner_id::text, webhook_id::text from walked limit $1`

type Key = readonly [owner: string, webhook: string]

const start: Key = [nilId, nilId]

/**
 * The webhooks to be checked: all of which a delivery is due, and some of which none is. While more deliveries are due
 * than one poll reads, those of the newest ones, and further ones in turns, so that a backlog hides no webhook for long.
 */
export const makeDueWebhooks = (db: Database["Service"]): ((now: EpochMillis) => Stored<ReadonlyArray<Key>>) => {
  let last = start
  return Effect.fnUntraced(function* (now) {
    const newest = yield* db.read(newestDue, [now])
    if (newest[0]?.found !== dueRead) return newest.map(keyOf)
    const walked = (yield* db.readLong(walk, [webhooksWalked, ...last])).map(keyOf)
    last = walked.length < webhooksWalked ? start : walked.at(-1)!
    return [...newest.map(keyOf), ...walked]
  })
}

const keyOf = (row: { readonly [column: string]: unknown }): Key => [row.owner_id as string, row.webhook_id as string]
