import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { AccountId } from "@lists-and-things/domain/model/Ids"
import { partlyApplied, type StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { Effect, identity } from "effect"
import type { Params } from "../connection/ConnectionPool.ts"
import type { Database } from "../connection/Database.ts"
import { datedByClock, isMisdated } from "./DateCorrection.ts"

/** Deliveries that one statement changes at most: few enough that it ends well within the statement timeout. */
export const deliveriesPerStep = 2_000

const noId = "00000000-0000-0000-0000-000000000000"
const notLeased = "d.lease_until is null"
const ofWebhook = "d.owner_id = $1::uuid and d.webhook_id = $2::uuid"

interface Step {
  /** The columns of an index in which deliveries of a webhook are read, with the types of `after`. */
  readonly order: ReadonlyArray<readonly [column: string, type: string]>
  /** Names the parameters behind the owner, the webhook and the cursor. */
  readonly only: string
  readonly change: string
}

/**
 * Changes the first deliveries after a cursor ($3 and following), which is the key of the last one in that order. Answers
 * a row with how many were found and changed and the next cursor, or none.
 */
const step = ({ change, only, order }: Step): string => {
  const columns = order.map(([column]) => `d.${column}`)
  const after = order.map(([, type], nth) => `$${nth + 3}::${type}`)
  const first = `select d.ctid, ${columns.join(", ")} from webhook_deliveries d
    where ${ofWebhook} and (${columns.join(", ")}) > (${after.join(", ")}) and ${only}
    order by ${columns.join(", ")} limit ${deliveriesPerStep}`
  return `with d as materialized (${first}), changed as (${change} returning 1)
    select (select count(*) from d)::int4 as found, (select count(*) from changed)::int4 as changed, array[${columns.map((each) => `${each}::text`).join(", ")}] as cursor
    from d order by ${columns.map((each) => `${each} desc`).join(", ")} limit 1`
}

/** By their physical location, at which they are found at once whatever the statistics of the table say. */
const ofStep = "t.ctid = any (array(select d.ctid from d))"
const ofTarget = (sql: string): string => sql.replaceAll("d.", "t.")
const changing = (set: string, only: string): string =>
  `update webhook_deliveries t ${ofTarget(set)} where ${ofStep} and ${ofTarget(only)}`

const isLeft = `d.event <> 'ping' and ${notLeased} and (d.status is null or d.status not between 200 and 299)`

/** Whether it changes; one that was never tried is sent as it is, so a repetition changes what the one before did not. */
const isTried = "(t.attempts > 0 or t.next_attempt is null or t.next_attempt > $5::bigint)"

const replay = step({
  order: [
    ["created", "bigint"],
    ["id", "uuid"]
  ],
  only: isLeft,
  change: changing(
    "set attempts = 0, next_attempt = $5::bigint, in_turn = t.event = 'operation', lease_until = null",
    `${isLeft} and ${isTried}`
  )
})

const isOff = "not exists (select from webhooks w where w.owner_id = $1::uuid and w.id = $2::uuid and w.enabled)"

const waits = `d.next_attempt is not null and ($6::text[] is null or d.event = any ($6::text[])) and ($7::boolean or ${notLeased})
    and ($8::boolean or ${isOff})`

const end = step({
  order: [
    ["in_turn", "boolean"],
    ["next_attempt", "bigint"],
    ["id", "uuid"]
  ],
  only: waits,
  change: changing("set next_attempt = null, in_turn = false, lease_until = null", waits)
})

const remove = step({
  order: [["id", "uuid"]],
  only: `${notLeased} and ${isOff}`,
  change: `delete from webhook_deliveries t where ${ofStep} and t.lease_until is null`
})

const correct = step({ order: [["id", "uuid"]], only: isMisdated, change: changing(datedByClock, isMisdated) })

/**
 * Changes of all deliveries of a webhook, in statements of so many. Inside a transaction they are one change; outside of
 * it each statement commits, and whoever repeats a change that was cut off continues it.
 */
export const makeDeliverySteps = (db: Database["Service"]) => {
  const inSteps = Effect.fnUntraced(function* (
    sql: string,
    of: readonly [owner: AccountId, webhook: string],
    start: Params,
    rest: Params,
    /** What a failure is after a step was taken. */
    failed: (error: StorageUnavailable) => StorageUnavailable = identity
  ) {
    let total = 0
    for (let cursor = start; ;) {
      const changed = db.write(sql, [...of, ...cursor, ...rest])
      const [row] = yield* total === 0 ? changed : Effect.mapError(changed, failed)
      if (row === undefined) return total
      total += row.found as number
      cursor = row.cursor as ReadonlyArray<string>
    }
  })
  const endIn = (
    owner: AccountId,
    webhook: string,
    events: ReadonlyArray<string> | null,
    { isOn, leasedToo }: { readonly isOn: boolean; readonly leasedToo: boolean }
  ) => inSteps(end, [owner, webhook], [false, -1, noId], [events, leasedToo, isOn])

  return {
    /** Those made at or after `since` that were not delivered and are not under way; the oldest first. */
    replay: (owner: AccountId, webhook: string, since: EpochMillis, now: EpochMillis) =>
      inSteps(replay, [owner, webhook], [since, noId], [now], partlyApplied),
    /**
     * Those that wait, of some events or all. Those under way come last: a program that stores what came of them waits
     * for the end of the transaction.
     */
    end: (owner: AccountId, webhook: string, events: ReadonlyArray<string> | null) =>
      Effect.forEach([false, true], (leasedToo) => endIn(owner, webhook, events, { isOn: true, leasedToo }), {
        discard: true
      }),
    /** Those that wait of some events and are not under way. */
    endWaiting: (owner: AccountId, webhook: string, events: ReadonlyArray<string>) =>
      endIn(owner, webhook, events, { isOn: true, leasedToo: false }),
    /** Those of a webhook that is off and that are not under way: ends those that wait, or removes all. */
    clear: (owner: AccountId, webhook: string, what: "waiting" | "all") =>
      what === "all"
        ? inSteps(remove, [owner, webhook], [noId], [])
        : endIn(owner, webhook, null, { isOn: false, leasedToo: false }),
    /** Those that another clock, ahead of `now`, has dated, leased or put off. */
    correct: (owner: AccountId, webhook: string, now: EpochMillis) => inSteps(correct, [owner, webhook], [noId], [now])
  }
}
