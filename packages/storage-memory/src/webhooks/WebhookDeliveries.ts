import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { Delivery, NewDelivery } from "@lists-and-things/domain/model/Webhook"
import { byId } from "@lists-and-things/domain/model/Ids"

/** A delivery with the fields that only the adapter needs. */
export interface StoredDelivery extends Delivery, Pick<NewDelivery, "body" | "notification" | "position"> {
  /** Whether it waits for the deliveries of earlier operations. */
  readonly inTurn: boolean
  readonly leaseUntil: EpochMillis | null
}

export const waiting = (delivery: NewDelivery, owner: Delivery["owner"]): StoredDelivery => ({
  ...delivery,
  owner,
  inTurn: delivery.event === "operation",
  attempts: 0,
  status: null,
  durationMillis: null,
  answer: null,
  nextAttempt: delivery.created,
  leaseUntil: null
})

/** The delivery without the adapter's own fields. */
export const shown = (delivery: StoredDelivery): Delivery => {
  const {
    body: _body,
    inTurn: _inTurn,
    leaseUntil: _until,
    notification: _notification,
    position: _position,
    ...rest
  } = delivery
  return rest
}

export const replayed = (delivery: StoredDelivery, now: EpochMillis): StoredDelivery => ({
  ...delivery,
  attempts: 0,
  nextAttempt: now,
  inTurn: delivery.event === "operation",
  leaseUntil: null
})

export const ended = (delivery: StoredDelivery): StoredDelivery => ({
  ...delivery,
  nextAttempt: null,
  inTurn: false,
  leaseUntil: null
})

const isLeased = ({ leaseUntil }: StoredDelivery, now: EpochMillis): boolean => leaseUntil !== null && leaseUntil >= now

/**
 * The deliveries of one webhook that are due at `now` and may begin, so many at a time; `clock` is the time by which
 * leases are measured.
 */
export const leasable = (
  all: Iterable<StoredDelivery>,
  now: EpochMillis,
  clock: EpochMillis,
  atATime: number
): ReadonlyArray<StoredDelivery> => {
  const parallel: Array<StoredDelivery> = []
  let [underWay, first] = [0, undefined as StoredDelivery | undefined]
  for (const delivery of all) {
    if (delivery.inTurn) {
      if (delivery.nextAttempt !== null && (first === undefined || byPosition(delivery, first) < 0)) first = delivery
    } else if (isLeased(delivery, clock)) underWay++
    else if (delivery.nextAttempt !== null && delivery.nextAttempt <= now) parallel.push(delivery)
  }
  const chosen = parallel.sort(soonestFirst).slice(0, Math.max(0, atATime - underWay))
  return first === undefined || first.nextAttempt! > now || isLeased(first, clock) ? chosen : [...chosen, first]
}

const soonestFirst = (a: StoredDelivery, b: StoredDelivery): number => a.nextAttempt! - b.nextAttempt! || byId(a, b)

const byPosition = (a: StoredDelivery, b: StoredDelivery): number => a.position - b.position || byId(a, b)
