import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { AccountId } from "@lists-and-things/domain/model/Ids"
import { partlyApplied } from "@lists-and-things/domain/model/Errors"
import { Effect } from "effect"
import { inChunks, inChunk, chunkStatement, updating } from "../Chunks.ts"
import type { Database } from "../connection/Database.ts"
import { nilId } from "../Ids.ts"
import { datedByClock, isMisdated } from "./DateCorrection.ts"

const table = "webhook_deliveries"
const notLeased = "d.lease_until is null"

const deliveryChunks = (each: Omit<Parameters<typeof chunkStatement>[0], "table" | "of">): string =>
  chunkStatement({
    table,
    of: [
      ["owner_id", "uuid"],
      ["webhook_id", "uuid"]
    ],
    ...each
  })

const changing = (set: string, only: string): string => updating(table, set, only)

const isLeft = `d.event <> 'ping' and ${notLeased} and (d.status is null or d.status not between 200 and 299)`

/** Whether it changes; one that was never tried is sent as it is, so a repetition changes what the one before did not. */
const isTried = "(t.attempts > 0 or t.next_attempt is null or t.next_attempt > $5::bigint)"

const replay = deliveryChunks({
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

const end = deliveryChunks({
  order: [
    ["in_turn", "boolean"],
    ["next_attempt", "bigint"],
    ["id", "uuid"]
  ],
  only: waits,
  change: changing("set next_attempt = null, in_turn = false, lease_until = null", waits)
})

const remove = deliveryChunks({
  order: [["id", "uuid"]],
  only: `${notLeased} and ${isOff}`,
  change: `delete from ${table} t where ${inChunk} and t.lease_until is null`
})

const correct = deliveryChunks({
  order: [["id", "uuid"]],
  only: isMisdated,
  change: changing(datedByClock, isMisdated)
})

/** Changes of all deliveries of a webhook, in statements of so many. */
export const makeDeliveryChanges = (db: Database["Service"]) => {
  const endIn = (
    owner: AccountId,
    webhook: string,
    events: ReadonlyArray<string> | "all",
    { isOn, leasedToo }: { readonly isOn: boolean; readonly leasedToo: boolean }
  ) =>
    inChunks(db, end, {
      of: [owner, webhook],
      start: [false, -1, nilId],
      rest: [events === "all" ? null : events, leasedToo, isOn]
    })

  return {
    /** Those made at or after `since` that were not delivered and are not under way; the oldest first. */
    replay: (owner: AccountId, webhook: string, since: EpochMillis, now: EpochMillis) =>
      inChunks(db, replay, { of: [owner, webhook], start: [since, nilId], rest: [now] }, partlyApplied),
    /**
     * Those that wait, of some events or all. Those under way come last: a program that stores what came of them waits
     * for the end of the transaction.
     */
    end: (owner: AccountId, webhook: string, events: ReadonlyArray<string> | "all") =>
      Effect.forEach([false, true], (leasedToo) => endIn(owner, webhook, events, { isOn: true, leasedToo }), {
        discard: true
      }),
    /** Those that wait of some events and are not under way. */
    endWaiting: (owner: AccountId, webhook: string, events: ReadonlyArray<string>) =>
      endIn(owner, webhook, events, { isOn: true, leasedToo: false }),
    /** Those of a webhook that is off and that are not under way: ends those that wait, or removes all. */
    clear: (owner: AccountId, webhook: string, what: "waiting" | "all") =>
      what === "all"
        ? inChunks(db, remove, { of: [owner, webhook], start: [nilId] })
        : endIn(owner, webhook, "all", { isOn: false, leasedToo: false }),
    /** Those that another clock, ahead of `now`, has dated, leased or put off. */
    correct: (owner: AccountId, webhook: string, now: EpochMillis) =>
      inChunks(db, correct, { of: [owner, webhook], start: [nilId], rest: [now] })
  }
}
