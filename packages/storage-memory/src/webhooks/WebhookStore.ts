import { Effect, Layer } from "effect"
import { addMillis, currentTime, earlierOf, type EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { newestFirst } from "@lists-and-things/domain/model/Ids"
import {
  type Lease,
  type Moment,
  type Outcome,
  WebhookStore,
  wholeShare
} from "@lists-and-things/domain/ports/WebhookStore"
import type { Outdated } from "@lists-and-things/domain/days/ClockSkew"
import { isSuccess } from "@lists-and-things/domain/webhooks/Attempts"
import { correctedDelivery, correctedWebhook, isDatedAhead } from "@lists-and-things/domain/webhooks/ClockCorrection"
import {
  afterAttempts,
  afterLogged,
  endedEvents,
  failingSinceAfter
} from "@lists-and-things/domain/webhooks/WebhookChanges"
import { Database } from "../Database.ts"
import { byCreated, emptyPage, pageOf } from "../Order.ts"
import type { OwnerData } from "../OwnerData.ts"
import { prune } from "../Pruning.ts"
import { ended, leasable, replayed, shown, type StoredDelivery, waiting } from "./WebhookDeliveries.ts"
import { WebhookState } from "./WebhookState.ts"

type Store = WebhookStore["Service"]

/** Webhooks as their accounts have set them. */
const settings = (
  database: Database["Service"],
  state: WebhookState
): Pick<Store, "list" | "get" | "insert" | "update" | "remove" | "clear" | "endWaiting" | "follow"> => ({
  list: (owner) => database.read(owner, (data) => [...data.webhooks.values()].toSorted(byCreated), []),
  get: (owner, id) => database.read(owner, (data) => data.webhooks.get(id)),
  insert: (webhook) => database.write(webhook.owner, (data) => void data.webhooks.set(webhook.id, webhook)),
  update: (webhook) =>
    database.write(webhook.owner, (data) => {
      const before = data.webhooks.get(webhook.id)
      if (before === undefined) return
      const { lastFailure, lastSuccess, created, madeBy } = before
      const failingSince = failingSinceAfter(before, webhook)
      data.webhooks.set(webhook.id, { ...webhook, created, madeBy, lastFailure, lastSuccess, failingSince })
      const events: ReadonlyArray<string> | "all" = endedEvents(before, webhook)
      state.changeAll(webhook.owner, webhook.id, (each) =>
        each.nextAttempt !== null && (events === "all" || events.includes(each.event)) ? ended(each) : undefined
      )
    }),
  remove: (owner, id) =>
    database.write(
      owner,
      (data) => {
        state.of(owner).deliveries.delete(id)
        return data.webhooks.delete(id)
      },
      false
    ),
  clear: (owner, id, what) =>
    database.read(owner, (data) => {
      if (data.webhooks.get(id)?.enabled === true) return
      const all = state.deliveriesOf(owner, id)
      for (const each of [...all.values()]) {
        if (each.leaseUntil !== null) continue
        if (what === "all") all.delete(each.id)
        else if (each.nextAttempt !== null) all.set(each.id, ended(each))
      }
    }),
  endWaiting: (owner, id, events: ReadonlyArray<string>) =>
    Effect.sync(() => {
      state.changeAll(owner, id, (each) =>
        each.nextAttempt !== null && each.leaseUntil === null && events.includes(each.event) ? ended(each) : undefined
      )
    }),
  follow: (owner, writeTimestamp, now) =>
    database.read(owner, (data) => {
      const on = [...data.webhooks.values()].filter(({ enabled }) => enabled)
      const keepsMoments = on.some(({ events }) => events.includes("reminder.due"))
      const followed = state.of(owner)
      if (!keepsMoments) followed.moments.clear()
      const before = followed.account
      const rebuildFrom = !keepsMoments ? null : before?.keepsMoments === true ? before.rebuildFrom : now
      followed.account =
        on.length === 0
          ? undefined
          : { writeTimestamp: before?.writeTimestamp ?? writeTimestamp, keepsMoments, rebuildFrom }
    })
})

/** The log of deliveries. */
const log = (
  database: Database["Service"],
  state: WebhookState
): Pick<Store, "deliveries" | "delivery" | "log" | "replay" | "replaySince" | "backlog"> => ({
  deliveries: (owner, webhook, page, size) =>
    database.read(
      owner,
      () =>
        pageOf(
          [...state.deliveriesOf(owner, webhook).values()].toSorted(newestFirst("created")).map(shown),
          page,
          size
        ),
      emptyPage
    ),
  delivery: (owner, webhook, id) =>
    database.read(owner, () => {
      const found: StoredDelivery | undefined = state.deliveriesOf(owner, webhook).get(id)
      return found && shown(found)
    }),
  log: (owner, delivery, outcome) =>
    database.write(owner, (data) => {
      const webhook = data.webhooks.get(delivery.webhookId)
      if (webhook === undefined) return
      data.webhooks.set(webhook.id, afterLogged(webhook, outcome))
      state.add(data, [delivery])
      const { answer, durationMillis, status } = outcome
      const tried = { attempts: 1, status, answer, durationMillis: Math.round(durationMillis) }
      state.store({ ...ended(waiting(delivery, owner)), ...tried })
    }),
  replay: (owner, webhook, id, now) =>
    Effect.sync(
      () => state.changeAll(owner, webhook, (each) => (each.id === id ? replayed(each, now) : undefined)) > 0
    ),
  replaySince: (owner, webhook, since, now) =>
    Effect.sync(() =>
      state.changeAll(owner, webhook, (each) => {
        const isLeft = each.created >= since && each.event !== "ping" && each.leaseUntil === null
        return isLeft && !isSuccess(each.status) ? replayed(each, now) : undefined
      })
    ),
  backlog: (now) =>
    Effect.map(
      state.perOwner((data, { deliveries }) =>
        [...data.webhooks.values()]
          .filter(({ enabled }) => enabled)
          .flatMap(({ id }) => [...(deliveries.get(id)?.values() ?? [])])
          .filter(({ attempts, nextAttempt }) => nextAttempt !== null && (nextAttempt <= now || attempts > 0))
      ),
      (late) => ({
        count: late.length,
        oldest: late.reduce<EpochMillis | null>(
          (oldest, { created }) => (oldest === null || created < oldest ? created : oldest),
          null
        )
      })
    )
})

/** How far the changes and moments of accounts have become deliveries. */
const following = (
  database: Database["Service"],
  state: WebhookState
): Pick<
  Store,
  "isNeeded" | "followed" | "momentsOf" | "putMoments" | "advance" | "rebuild" | "dueMoments" | "settle"
> => ({
  isNeeded: Effect.map(
    state.perOwner((_, { account }) => (account === undefined ? [] : [account])),
    (followed) => followed.length > 0
  ),
  followed: (limit) =>
    Effect.map(
      state.perOwner((data, { account }) => {
        if (account === undefined) return []
        const isBehind = [...data.operations.values()].some(({ operation }) => operation.at > account.writeTimestamp)
        return isBehind || account.rebuildFrom !== null ? [{ owner: data.account.id, ...account }] : []
      }),
      (found) => found.toSorted((a, b) => a.writeTimestamp - b.writeTimestamp).slice(0, limit)
    ),
  momentsOf: (owner, things) =>
    database.read(owner, () => things.flatMap((id) => state.of(owner).moments.get(id) ?? []), []),
  putMoments: (owner, moments) =>
    database.read(owner, () => {
      const { moments: stored } = state.of(owner)
      for (const { dueAt, writeTimestamp, thingId } of moments) {
        if ((stored.get(thingId)?.writeTimestamp ?? writeTimestamp) > writeTimestamp) continue
        if (dueAt === undefined) stored.delete(thingId)
        else stored.set(thingId, { thingId, dueAt, writeTimestamp })
      }
    }),
  advance: (owner, from, to, { deliveries, rebuilt }) =>
    database
      .read(
        owner,
        (data) => {
          const followed = state.of(owner)
          if (followed.account === undefined || followed.account.writeTimestamp !== from) return false
          const { keepsMoments, rebuildFrom } = followed.account
          followed.account = {
            keepsMoments,
            writeTimestamp: to,
            rebuildFrom: rebuildFrom === rebuilt ? null : rebuildFrom
          }
          state.add(data, deliveries)
          return true
        },
        false
      )
      .pipe(Effect.tap(state.announced(owner))),
  rebuild: (owner, since) =>
    Effect.sync(() => {
      const followed = state.of(owner)
      if (followed.account?.keepsMoments === true) followed.account = { ...followed.account, rebuildFrom: since }
    }),
  dueMoments: (now, limit, without) =>
    Effect.map(
      state.perOwner((data, { moments }) =>
        [...moments.values()]
          .filter(({ dueAt }) => dueAt <= now && !without.includes(data.account.id))
          .map((moment) => ({ ...moment, owner: data.account.id }))
      ),
      (due) => due.toSorted((a, b) => a.dueAt - b.dueAt).slice(0, limit)
    ),
  settle: (owner, settled) =>
    database
      .read(owner, (data) => {
        const { moments } = state.of(owner)
        for (const { deliveries, moment, next } of settled) {
          if (!isSame(moment, moments.get(moment.thingId))) continue
          if (next === undefined) moments.delete(moment.thingId)
          else moments.set(moment.thingId, { ...moment, dueAt: next })
          state.add(data, deliveries)
        }
      })
      .pipe(Effect.tap(state.announced(owner)))
})

/** The outcomes whose leases are still held, by webhook, once they are stored in their deliveries. */
const storeOutcomes = (
  state: WebhookState,
  outcomes: ReadonlyArray<Outcome>
): ReadonlyArray<ReadonlyArray<Outcome>> => {
  const stored = outcomes.filter(({ answer, durationMillis, lease, nextAttempt, status }) => {
    const held = state.held(lease)
    if (held === undefined) return false
    const tried = { attempts: held.attempts + 1, answer, durationMillis: Math.round(durationMillis), status }
    state.store({ ...held, ...tried, nextAttempt, inTurn: false, leaseUntil: null })
    return true
  })
  return [...Map.groupBy(stored, ({ lease: { delivery } }) => `${delivery.owner} ${delivery.webhookId}`).values()]
}

/** Deliveries that a program attempts. */
const attempts = (database: Database["Service"], state: WebhookState): Pick<Store, "lease" | "finish" | "release"> => ({
  lease: (now, millis, max, { deliveries: most, parallel, without } = wholeShare) =>
    Effect.flatMap(currentTime, (clock) =>
      Effect.map(
        state.perOwner((data, { deliveries }) =>
          [...data.webhooks.values()]
            .filter(({ enabled, owner }) => enabled && !without.includes(owner))
            .map((webhook) => {
              const all = deliveries.get(webhook.id)?.values() ?? []
              return { webhook, due: leasable(all, now, clock, parallel) }
            })
            .filter(({ due }) => due.length > 0)
        ),
        (found) =>
          found
            .toSorted(failingLast)
            .slice(0, max)
            .flatMap(({ due, webhook }) =>
              due.map((delivery, index) => ({ delivery, webhook, nth: delivery.inTurn ? 0 : index }))
            )
            .toSorted((a, b) => failingLast(a, b) || a.nth - b.nth)
            .slice(0, most)
            .map(({ delivery, webhook }): Lease => {
              const token = addMillis(clock, millis)
              state.store({ ...delivery, leaseUntil: token })
              const { body, notification } = delivery
              return { webhook, delivery: { ...shown(delivery), body, notification }, token }
            })
      )
    ),
  finish: (outcomes, limit) =>
    Effect.suspend(() =>
      Effect.forEach(
        storeOutcomes(state, outcomes),
        (own) => {
          const { owner, webhookId } = own[0]!.lease.delivery
          return database.write(owner, (data) => {
            const webhook = data.webhooks.get(webhookId)
            if (webhook !== undefined) data.webhooks.set(webhookId, afterAttempts(webhook, own, limit))
          })
        },
        { discard: true }
      )
    ),
  release: (leases) =>
    Effect.sync(() => {
      for (const stored of leases.map((lease) => state.held(lease)))
        if (stored !== undefined) state.store({ ...stored, leaseUntil: null })
    })
})

const correct = (
  state: WebhookState,
  data: OwnerData,
  { clock, now, since }: { readonly clock: EpochMillis; readonly now: EpochMillis; readonly since: EpochMillis }
): void => {
  const owner = data.account.id
  const followed = state.of(owner)
  for (const webhook of data.webhooks.values()) {
    data.webhooks.set(webhook.id, correctedWebhook(webhook, now))
    state.changeAll(owner, webhook.id, (each) => correctedDelivery(each, now, clock))
  }
  followed.clock = earlierOf(followed.clock, now)
  if (followed.account?.keepsMoments === true) followed.account = { ...followed.account, rebuildFrom: since }
}

/** What housekeeping corrects and removes. */
const housekeeping = (database: Database["Service"], state: WebhookState): Pick<Store, "correctDates" | "prune"> => ({
  correctDates: (now, since) =>
    Effect.gen(function* () {
      const ahead = yield* state.perOwner(({ account: { id }, webhooks }, { account, clock }) =>
        account !== undefined && isDatedAhead(clock, webhooks.values(), now) ? [id] : []
      )
      const clock = yield* currentTime
      yield* Effect.forEach(ahead, (owner) =>
        database.write(owner, (data) => correct(state, data, { clock, now, since }))
      )
      return ahead.length
    }),
  prune: (outdated, max) =>
    database.readAll((all) => {
      const there = new Set(all.map(({ account }) => account.id))
      for (const owner of state.owners.keys()) if (!there.has(owner)) state.owners.delete(owner)
      let removed = 0
      for (const { deliveries } of state.owners.values())
        for (const all of deliveries.values())
          removed += prune(all, (each) => (isWaiting(each, outdated) ? null : each.created), outdated, max - removed)
      return removed
    })
})

const make = (database: Database["Service"]): Store => {
  const state = new WebhookState(database)
  return {
    ...settings(database, state),
    ...log(database, state),
    ...following(database, state),
    ...attempts(database, state),
    ...housekeeping(database, state)
  }
}

const failingLast = (a: Pick<Lease, "webhook">, b: Pick<Lease, "webhook">): number =>
  Number(a.webhook.failingSince !== null) - Number(b.webhook.failingSince !== null)

const isSame = (moment: Moment, stored: Moment | undefined): boolean =>
  stored?.dueAt === moment.dueAt && stored.writeTimestamp === moment.writeTimestamp

/**
 * Whether pruning keeps a delivery since it waits. It does not keep one that is overdue for long, whose webhook is off,
 * or one that was dated by a clock that was ahead.
 */
const isWaiting = ({ created, nextAttempt }: StoredDelivery, { after, before }: Outdated): boolean =>
  nextAttempt !== null && nextAttempt >= before && created <= after

export const webhookStoreLayer = Layer.effect(WebhookStore, Effect.map(Database, make))
