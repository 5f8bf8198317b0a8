import { Context } from "effect"
import type { Outdated } from "../days/ClockSkew.ts"
import type { AccountId, ThingId } from "../model/Ids.ts"
import { type EpochMillis, msPerMinute } from "../model/EpochMillis.ts"
import type { Delivery, NewDelivery, Webhook, WebhookEvent } from "../model/Webhook.ts"
import type { Page, Stored } from "./Storage.ts"

/** An account whose operations are followed, because a webhook of it is on. */
export interface FollowedAccount {
  readonly owner: AccountId
  /** Of the last operation that was announced. */
  readonly writeTimestamp: EpochMillis
  /** Whether a webhook with `reminder.due` is on. */
  readonly keepsMoments: boolean
  /** Set when moments must be recomputed, for reminders that are due later than this; null otherwise. */
  readonly rebuildFrom: EpochMillis | null
}

/** The next moment of a reminder: when it, or an alert of it, is due. */
export interface Moment {
  readonly thingId: ThingId
  readonly dueAt: EpochMillis
  /** Of the operation after which it was computed. */
  readonly writeTimestamp: EpochMillis
}

/** A moment with its account, for reads across accounts. */
export interface OwnedMoment extends Moment {
  readonly owner: AccountId
}

/** A moment to be stored; without `dueAt` the reminder has none any more. */
export interface NextMoment extends Omit<Moment, "dueAt"> {
  readonly dueAt: EpochMillis | undefined
}

/** A moment that is over: what it announced, and the one that follows it. */
export interface SettledMoment {
  readonly moment: Moment
  /** Undefined when none is left. */
  readonly next: EpochMillis | undefined
  readonly deliveries: ReadonlyArray<NewDelivery>
}

/** A delivery that this process alone may attempt until the lease ends. */
export interface Lease {
  readonly webhook: Webhook
  readonly delivery: Delivery & Pick<NewDelivery, "body" | "notification">
  /** Identifies the lease. */
  readonly token: number
}

/** What came of an attempt. */
export interface Outcome {
  readonly lease: Lease
  /** When the attempt ended. */
  readonly at: EpochMillis
  readonly isSuccess: boolean
  /** The HTTP status; null where no answer came. */
  readonly status: number | null
  readonly durationMillis: number
  /** The beginning of the answer's text, or why there was none. */
  readonly answer: string
  /** Of a failure that is tried again. */
  readonly nextAttempt: EpochMillis | null
  /** Switches the webhook off if its URL is still the one of the lease. */
  readonly disabledReason: string | null
}

/** When failures alone switch a webhook off. */
export interface FailingLimit {
  /** Milliseconds from the first failure to the last one. */
  readonly millis: number
  /** `Webhook.disabledReason` from then on. */
  readonly reason: string
}

/** What is still to be delivered, over all accounts. */
export interface Backlog {
  /** Deliveries that are due, or were tried and will be again. */
  readonly count: number
  /** When the oldest of them was made; null without any. */
  readonly oldest: EpochMillis | null
}

/** How many deliveries of one webhook may be under way at a time, beside one operation in its turn. */
export const parallelDeliveries = 8

/** What a program that has much under way begins. */
export interface LeaseShare {
  /** Deliveries at most: the first of each webhook before the second of any. */
  readonly deliveries: number
  /** Deliveries of one webhook at a time, from 1 to `parallelDeliveries`, in place of that many. */
  readonly parallel: number
  /** Accounts of which nothing begins. */
  readonly without: ReadonlyArray<AccountId>
}

/** Everything, for a program that has little under way. */
export const wholeShare: LeaseShare = {
  deliveries: Number.MAX_SAFE_INTEGER,
  parallel: parallelDeliveries,
  without: []
}

/** Milliseconds that a lease lasts at most. */
export const leaseMillis = msPerMinute

/**
 * Webhooks, the moments of reminders, and deliveries. Methods without an owner serve the programs that deliver, of
 * which several may run: each method is one atomic step, and of two that do the same one has the effect.
 */
export class WebhookStore extends Context.Service<
  WebhookStore,
  {
    /** By `created`, then id. */
    readonly list: (owner: AccountId) => Stored<ReadonlyArray<Webhook>>
    /** Whether it is on or off. */
    readonly get: (owner: AccountId, id: string) => Stored<Webhook | undefined>
    /** Stores a new webhook; it is delivered to only once `follow` was called. */
    readonly insert: (webhook: Webhook) => Stored<void>
    /**
     * Replaces everything but what deliveries change: `failingSince` is what `failingSinceAfter` decides. Nothing is
     * leased of one that is off; what was still to be delivered of `endedEvents` ends.
     */
    readonly update: (webhook: Webhook) => Stored<void>
    /** Takes its deliveries along. True when it existed. */
    readonly remove: (owner: AccountId, id: string) => Stored<boolean>
    /**
     * Ends what waits for a webhook that is off, or removes its deliveries; not those under way, and nothing of one that
     * is on. Takes many steps, of which those that were taken stay.
     */
    readonly clear: (owner: AccountId, webhook: string, what: "waiting" | "all") => Stored<void>
    /** Ends what waits of these events, but not what is under way. Takes many steps, of which those that were taken stay. */
    readonly endWaiting: (owner: AccountId, webhook: string, events: ReadonlyArray<WebhookEvent>) => Stored<void>
    /**
     * Follows the account from this write timestamp on where a webhook of it is on, or no longer where none is; keeps
     * moments, of reminders due later than `now`, where a webhook with `reminder.due` is on. What is kept already stays.
     */
    readonly follow: (owner: AccountId, writeTimestamp: EpochMillis, now: EpochMillis) => Stored<void>
    /** Newest first, then by id descending; the first page is 0. */
    readonly deliveries: (owner: AccountId, webhook: string, page: number, size: number) => Stored<Page<Delivery>>
    /** Undefined for an unknown one, and for one of another webhook. */
    readonly delivery: (owner: AccountId, webhook: string, id: string) => Stored<Delivery | undefined>
    /** Adds what was delivered at once, such as a ping; its webhook is as `afterLogged` decides. */
    readonly log: (
      owner: AccountId,
      delivery: NewDelivery,
      outcome: Omit<Outcome, "lease" | "nextAttempt" | "disabledReason">
    ) => Stored<void>
    /** Delivers it again, from the first attempt on; true when there is such a delivery. */
    readonly replay: (owner: AccountId, webhook: string, id: string, now: EpochMillis) => Stored<boolean>
    /** Replays the deliveries made at or after a time that were not delivered and are not under way; returns how many. */
    readonly replaySince: (owner: AccountId, webhook: string, since: EpochMillis, now: EpochMillis) => Stored<number>

    /** Whether any account is followed. */
    readonly isNeeded: Stored<boolean>
    /**
     * Accounts with operations that were not announced, or whose moments must be recomputed; by `writeTimestamp`, at
     * most `limit`.
     */
    readonly followed: (limit: number) => Stored<ReadonlyArray<FollowedAccount>>
    /** The moments of these things; those without one are omitted. */
    readonly momentsOf: (owner: AccountId, things: ReadonlyArray<ThingId>) => Stored<ReadonlyArray<Moment>>
    /** Inserts, replaces or removes; leaves moments of a later write timestamp alone. */
    readonly putMoments: (owner: AccountId, moments: ReadonlyArray<NextMoment>) => Stored<void>
    /**
     * Adds deliveries and advances the account from operation `from` to `to`; clears the request to recompute moments
     * if it still is `rebuildFrom`. False, without any effect, when another process has advanced it, or the account is
     * no longer followed.
     */
    readonly advance: (
      owner: AccountId,
      from: EpochMillis,
      to: EpochMillis,
      news: { readonly deliveries: ReadonlyArray<NewDelivery>; readonly rebuilt?: EpochMillis }
    ) => Stored<boolean>
    /** Marks the moments of an account to be recomputed. */
    readonly rebuild: (owner: AccountId, since: EpochMillis) => Stored<void>
    /** Moments at or before `now`, earliest first, but none of these accounts. */
    readonly dueMoments: (
      now: EpochMillis,
      limit: number,
      without: ReadonlyArray<AccountId>
    ) => Stored<ReadonlyArray<OwnedMoment>>
    /** Replaces moments by the next ones and adds their deliveries; leaves out those that have changed meanwhile. */
    readonly settle: (owner: AccountId, settled: ReadonlyArray<SettledMoment>) => Stored<void>

    /**
     * Leases deliveries that are due, for so many milliseconds: of each webhook that is on at most `parallelDeliveries`
     * at a time over all processes, and beside them the first operation that was not tried, when no other one is under
     * way. At most `max` webhooks, those that are not failing first; `share`, `wholeShare` by default, begins less.
     */
    readonly lease: (now: EpochMillis, millis: number, max: number, share?: LeaseShare) => Stored<ReadonlyArray<Lease>>
    /**
     * Stores the outcomes of attempts whose leases are still held, and what `afterAttempts` decides of their webhooks.
     */
    readonly finish: (outcomes: ReadonlyArray<Outcome>, limit: FailingLimit) => Stored<void>
    /** Releases leases as if no attempt had been made. */
    readonly release: (leases: ReadonlyArray<Lease>) => Stored<void>
    readonly backlog: (now: EpochMillis) => Stored<Backlog>
    /**
     * Repairs what a clock that was ahead of `now` has dated, in the accounts for which `isDatedAhead` holds: webhooks as
     * `correctedWebhook` decides, deliveries as `correctedDelivery` does, and moments are marked to be recomputed for
     * reminders due later than `since`. Returns the number of those accounts. Cheap if there are none.
     */
    readonly correctDates: (now: EpochMillis, since: EpochMillis) => Stored<number>
    /**
     * Removes at most `max` outdated deliveries by when they were made, but none that waits, unless it has waited for
     * as long; returns how many.
     */
    readonly prune: (outdated: Outdated, max: number) => Stored<number>
  }
>()("@lists-and-things/domain/ports/WebhookStore") {}
