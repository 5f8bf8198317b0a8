import { describe, expect, layer as withLayer } from "@effect/vitest"
import { addMillis, EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { type AccountId, DeliveryId } from "@lists-and-things/domain/model/Ids"
import { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import type { ListStore } from "@lists-and-things/domain/ports/ListStore"
import type { Storage } from "@lists-and-things/domain/ports/Storage"
import { type Lease, parallelDeliveries, WebhookStore } from "@lists-and-things/domain/ports/WebhookStore"
import { Effect, type Layer } from "effect"
import { freshId, newAccount, noon } from "./Fixtures.ts"
import { added, delivery, idsOf, leasesOf, limit, minute, newWebhook, outcome, webhook } from "./WebhookFixtures.ts"

const year = 365 * 86_400_000

type Ports = WebhookStore | AccountStore | ListStore | Storage

/** The deliveries of `WebhookStore`, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  describe(`${name}: WebhookStore, deliveries`, () => {
    withLayer(layer, { excludeTestServices: true })((it) => {
      it.effect("a message is added once per webhook, and only to an existing one", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          const once = delivery(made)
          yield* added(made, [once])
          const nowhere = webhook(owner)
          yield* added(made, [{ ...once, id: DeliveryId.make(freshId()) }, delivery(nowhere)])
          const [lease, ...others] = yield* leasesOf(owner)
          expect(others).toStrictEqual([])
          const { position: _position, ...kept } = once
          expect(lease?.delivery).toStrictEqual({
            ...kept,
            ...{ owner, attempts: 0, status: null, durationMillis: null, answer: null, nextAttempt: noon }
          })
          expect(lease?.webhook).toStrictEqual(made)
          expect((yield* store.deliveries(owner, made.id, 0, 10)).items).toHaveLength(1)
          expect((yield* store.deliveries(owner, nowhere.id, 0, 10)).items).toStrictEqual([])
          expect(yield* store.remove(owner, made.id)).toBe(true)
          expect((yield* store.deliveries(owner, made.id, 0, 10)).items).toStrictEqual([])
        })
      )

      it.effect("a limited number is leased at a time, soonest first, and operations one after the other besides", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          const many = Array.from({ length: parallelDeliveries + 2 }, (_, at) => delivery(made, { created: noon + at }))
          const operations = [3, 1, 2].map((position) =>
            delivery(made, { event: "operation", position: noon + position })
          )
          yield* added(made, [...many.toReversed(), ...operations])
          const now = noon + many.length
          const leases = yield* leasesOf(owner, now)
          const other = webhook(owner)
          yield* store.insert(other)
          const theirs = delivery(other)
          yield* added(other, [theirs])
          expect(idsOf(yield* leasesOf(owner, now))).toStrictEqual([theirs.id])
          expect(new Set(idsOf(leases))).toStrictEqual(
            new Set([...many.slice(0, parallelDeliveries), operations[1]!].map(({ id }) => id))
          )
          expect(yield* leasesOf(owner, now)).toStrictEqual([])
          const [ring, operation] = [leases[0]!, leases.find((each) => each.delivery.event === "operation")!]
          yield* store.finish([outcome(ring, 200, now), outcome(operation, 500, now, now + minute)], limit)
          expect(yield* store.get(owner, other.id)).toStrictEqual(other)
          const next = yield* leasesOf(owner, now)
          expect(new Set(idsOf(next))).toStrictEqual(new Set([many[parallelDeliveries]!.id, operations[2]!.id]))
          yield* store.finish(
            [...leases.slice(1), ...next].map((lease) => outcome(lease, 200, now)),
            limit
          )
          expect(new Set(idsOf(yield* leasesOf(owner, now + minute)))).toStrictEqual(
            new Set([many.at(-1)!.id, operations[0]!.id, operations[1]!.id])
          )
        })
      )

      it.effect("a smaller share is leased, without some accounts, and of failing webhooks last", () =>
        Effect.gen(function* () {
          const { made: failing, owner, store } = yield* newWebhook({ failingSince: noon })
          yield* leasesOf(owner)
          const answering = webhook(owner)
          yield* store.insert(answering)
          const many = Array.from({ length: 4 }, (_, at) => delivery(answering, { created: noon + at }))
          const operation = delivery(answering, { event: "operation" })
          const late = delivery(failing)
          yield* added(failing, [late, ...many, operation])
          const { made, owner: other } = yield* newWebhook()
          const [theirs] = yield* added(made, [delivery(made)])
          const lease = (max: number, without: ReadonlyArray<AccountId>, deliveries = 10) =>
            Effect.map(
              store.lease(addMillis(noon, many.length), minute, max, { deliveries, parallel: 2, without }),
              idsOf
            )
          expect(yield* lease(10, [owner])).toStrictEqual([theirs!.id])
          const first = yield* lease(1, [other], 2)
          expect(first).toHaveLength(2)
          const second = yield* lease(1, [other])
          expect(new Set([...first, ...second])).toStrictEqual(
            new Set([...many.slice(0, 2), operation].map(({ id }) => id))
          )
          expect(yield* lease(10, [])).toStrictEqual([late.id])
          const { made: one, owner: third } = yield* newWebhook()
          const two = webhook(third)
          yield* store.insert(two)
          const each = [delivery(one), delivery(one), delivery(two), delivery(two)]
          yield* added(one, each)
          const firsts = yield* store.lease(noon, minute, 10, { deliveries: 2, parallel: 2, without: [] })
          expect(new Set(firsts.map(({ webhook }) => webhook.id))).toStrictEqual(new Set([one.id, two.id]))
        })
      )

      it.effect("a delivery whose lease has ended is leased again, and the former lease's outcome is ignored", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          yield* added(made, [delivery(made)])
          const [lost] = yield* leasesOf(owner, noon, -minute)
          const [kept] = yield* leasesOf(owner)
          expect(kept?.delivery.id).toBe(lost?.delivery.id)
          yield* store.finish([outcome(lost!, 500)], limit)
          expect(yield* store.get(owner, made.id)).toStrictEqual(made)
          yield* store.finish([outcome(kept!, 200)], limit)
          const [done] = (yield* store.deliveries(owner, made.id, 0, 1)).items
          expect(done).toMatchObject({ attempts: 1, status: 200, nextAttempt: null, answer: "what came back" })
        })
      )

      it.effect("a delivery whose lease is released can be leased again, without an attempt", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          yield* added(made, [delivery(made), delivery(made, { event: "operation" })])
          const leases = yield* leasesOf(owner)
          yield* store.release(leases.slice(1))
          const again = yield* leasesOf(owner)
          expect(idsOf(again)).toStrictEqual(idsOf(leases.slice(1)))
          yield* store.release([leases[0]!, ...again])
          expect(new Set(idsOf(yield* leasesOf(owner)))).toStrictEqual(new Set(idsOf(leases)))
          expect((yield* store.deliveries(owner, made.id, 0, 9)).items.map(({ attempts }) => attempts)).toStrictEqual([
            0, 0
          ])
        })
      )

      it.effect("the log is paged, newest first, and replayed one by one or since a time", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          const all = [0, 1, 2, 3].map((at) => delivery(made, { created: noon + at }))
          yield* added(made, all)
          const leases = yield* leasesOf(owner, noon + 9)
          yield* store.finish(
            leases.map((lease, at) => outcome(lease, at === 2 ? 200 : 500, noon + 9)),
            limit
          )
          const page = yield* store.deliveries(owner, made.id, 0, 3)
          expect(page.items.map(({ id }) => id)).toStrictEqual([all[3]!.id, all[2]!.id, all[1]!.id])
          expect(page.hasMore).toBe(true)
          expect((yield* store.deliveries(owner, made.id, 1, 3)).items.map(({ id }) => id)).toStrictEqual([all[0]!.id])
          expect(yield* store.delivery(owner, made.id, all[2]!.id)).toMatchObject({ status: 200, attempts: 1 })
          expect(yield* store.delivery(owner, made.id, freshId())).toBeUndefined()
          expect(yield* store.replay(owner, made.id, freshId(), noon)).toBe(false)
          const stranger = yield* newAccount()
          expect(yield* store.replay(stranger.id, made.id, all[2]!.id, noon)).toBe(false)
          expect(yield* store.replay(owner, made.id, all[2]!.id, addMillis(noon, 20))).toBe(true)
          const [again] = yield* leasesOf(owner, noon + 20)
          expect(again?.delivery).toMatchObject({ id: all[2]!.id, messageId: all[2]!.messageId, attempts: 0 })
          yield* store.finish([outcome(again!, 200, noon + 20)], limit)
          expect(yield* store.replaySince(owner, made.id, addMillis(noon, 1), addMillis(noon, 30))).toBe(2)
          expect(idsOf(yield* leasesOf(owner, noon + 30))).toStrictEqual(
            [all[1]!, all[3]!].map(({ id }) => id).toSorted()
          )
        })
      )

      it.effect("replaySince replays a redirect, but no success, ping or leased delivery", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          yield* added(made, [delivery(made), delivery(made)])
          const [done, moved] = (yield* leasesOf(owner)) as [Lease, Lease]
          yield* store.finish([{ ...outcome(done, 204), isSuccess: true }, outcome(moved, 302)], limit)
          yield* added(made, [delivery(made)])
          expect(yield* leasesOf(owner)).toHaveLength(1)
          const tried = { at: addMillis(noon, 4), isSuccess: false, status: 500, durationMillis: 1, answer: "" }
          yield* store.log(owner, delivery(made, { event: "ping" }), tried)
          expect(yield* store.get(owner, made.id)).toMatchObject({ lastSuccess: noon, lastFailure: noon + 4 })
          expect(yield* store.replaySince(owner, made.id, noon, addMillis(noon, 30))).toBe(1)
          expect(idsOf(yield* leasesOf(owner, noon + 30))).toStrictEqual([moved.delivery.id])
        })
      )

      it.effect("a failed delivery with a later attempt is in the backlog", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          yield* store.insert(webhook(owner))
          const before = yield* store.backlog(EpochMillis(1_000))
          yield* added(made, [delivery(made, { created: 500 }), delivery(made, { created: 500 })])
          const [lease, sent] = yield* leasesOf(owner, 500)
          yield* store.finish([outcome(lease!, 500, 500, noon), outcome(sent!, 200, 500)], limit)
          expect((yield* store.backlog(EpochMillis(1_000))).count).toBe(before.count + 1)
        })
      )

      it.effect("a delivery that was sent directly is in the log and in the webhook's times", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          yield* added(made, [delivery(made)])
          yield* store.finish(
            (yield* leasesOf(owner)).map((lease) => outcome(lease, 500)),
            limit
          )
          expect((yield* store.get(owner, made.id))?.failingSince).toBe(noon)
          const ping = delivery(made, { event: "ping", created: noon + 1 })
          const {
            lease: _lease,
            disabledReason: _reason,
            nextAttempt: _next,
            ...came
          } = outcome({} as Lease, 200, noon + 4)
          yield* store.log(owner, ping, came)
          expect((yield* store.deliveries(owner, made.id, 0, 1)).items).toMatchObject([
            { id: ping.id, event: "ping", attempts: 1, status: 200, answer: "what came back", nextAttempt: null }
          ])
          expect(yield* store.get(owner, made.id)).toMatchObject({ lastSuccess: noon + 4, failingSince: null })
          expect(yield* leasesOf(owner, noon + minute)).toStrictEqual([])
          expect(yield* store.replaySince(owner, made.id, addMillis(noon, 1), noon)).toBe(0)
        })
      )

      it.effect("the backlog counts late deliveries, and old deliveries are pruned", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          const before = yield* store.backlog(EpochMillis(1_000))
          yield* added(made, [delivery(made, { created: 1_000 }), delivery(made, { created: 2_000 })])
          const late = yield* store.backlog(EpochMillis(1_000))
          expect(late.count).toBe(before.count + 1)
          expect(late.oldest).toBe(Math.min(before.oldest ?? 1_000, 1_000))
          const never = EpochMillis(Number.MAX_SAFE_INTEGER)
          yield* store.prune({ before: EpochMillis(2_000), after: never }, 1_000)
          expect((yield* store.deliveries(owner, made.id, 0, 9)).items.map(({ created }) => created)).toStrictEqual([
            2_000
          ])
          expect(yield* store.prune({ before: EpochMillis(2_001), after: never }, 1)).toBe(1)
        })
      )

      it.effect("deliveries are removed with their account", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          yield* added(made, [delivery(made, { created: 1 })])
          expect(yield* (yield* AccountStore).remove(owner)).toBe(true)
          expect(yield* store.prune({ before: EpochMillis(2), after: addMillis(noon, year) }, 1_000)).toBe(0)
        })
      )

      it.effect("a waiting replay is not pruned; a delivery that has waited for the retention time is", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          const [replayed, left] = yield* added(made, [
            delivery(made, { created: 10 }),
            delivery(made, { created: 20 })
          ])
          const idsLeft = Effect.map(store.deliveries(owner, made.id, 0, 9), ({ items }) => items.map(({ id }) => id))
          const outdated = { before: EpochMillis(1_000), after: EpochMillis(Number.MAX_SAFE_INTEGER) }
          yield* store.replay(owner, made.id, replayed!.id, EpochMillis(1_000))
          yield* store.prune(outdated, 1_000)
          expect(yield* idsLeft).toStrictEqual([replayed!.id])
          expect(yield* store.delivery(owner, made.id, left!.id)).toBeUndefined()
          const leases = yield* leasesOf(owner, 1_000)
          yield* store.finish(
            leases.map((lease) => outcome(lease, 200, 1_000)),
            limit
          )
          yield* store.prune(outdated, 1_000)
          expect(yield* idsLeft).toStrictEqual([])
        })
      )

      it.effect("an operation is not leased before it is due, although it is the next", () =>
        Effect.gen(function* () {
          const { made, owner } = yield* newWebhook()
          yield* added(made, [
            delivery(made, { event: "operation", created: noon + 9 }),
            delivery(made, { created: noon })
          ])
          expect((yield* leasesOf(owner, noon)).map((each) => each.delivery.event)).toStrictEqual(["reminder.due"])
          expect((yield* leasesOf(owner, noon + 9)).map((each) => each.delivery.event)).toStrictEqual(["operation"])
        })
      )
    })
  })
}
