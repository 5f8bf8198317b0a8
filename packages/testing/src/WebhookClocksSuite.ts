import { describe, expect, layer as withLayer } from "@effect/vitest"
import { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { byId } from "@lists-and-things/domain/model/Ids"
import type { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import type { ListStore } from "@lists-and-things/domain/ports/ListStore"
import type { Storage } from "@lists-and-things/domain/ports/Storage"
import type { WebhookStore } from "@lists-and-things/domain/ports/WebhookStore"
import { correctedDelivery, correctedWebhook } from "@lists-and-things/domain/webhooks/ClockCorrection"
import { Effect, type Layer } from "effect"
import { at, noon } from "./Fixtures.ts"
import { added, delivery, idsOf, leasesOf, limit, minute, newWebhook, outcome } from "./WebhookFixtures.ts"

const year = 365 * 86_400_000

type Ports = WebhookStore | AccountStore | ListStore | Storage

/** How `WebhookStore` corrects what a clock ahead has dated, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  describe(`${name}: WebhookStore, clocks ahead`, () => {
    withLayer(layer, { excludeTestServices: true })((it) => {
      /** `ahead` is the time of a clock that is ahead of `now`. */
      const [now, ahead] = [noon + 100 * year, noon + 103 * year]

      it.effect("correctDates makes deliveries due that a clock ahead postponed, and leaves no date ahead", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          const [failed, ring, operation] = [
            delivery(made, { created: now }),
            delivery(made, { created: ahead }),
            delivery(made, { event: "operation", created: ahead })
          ]
          yield* at(ahead)(added(made, [failed, ring, operation]))
          const [lease] = yield* leasesOf(owner, now)
          expect(lease?.delivery.id).toBe(failed.id)
          yield* store.finish([outcome(lease!, 500, ahead, ahead + minute)], limit)
          expect(yield* leasesOf(owner, now)).toStrictEqual([])

          expect(yield* store.correctDates(EpochMillis(now), EpochMillis(now - minute))).toBe(1)
          expect(yield* store.correctDates(EpochMillis(now), EpochMillis(now - minute))).toBe(0)
          expect(yield* store.get(owner, made.id)).toStrictEqual({ ...made, lastFailure: now, failingSince: now })
          const followed = (yield* store.followed(1_000)).find((each) => each.owner === owner)
          expect(followed).toMatchObject({ keepsMoments: true, rebuildFrom: now - minute })
          const leases = yield* leasesOf(owner, now)
          expect(new Set(idsOf(leases))).toStrictEqual(new Set([failed.id, ring.id, operation.id]))
          expect(leases.map((each) => each.delivery.created)).toStrictEqual([now, now, now])
        })
      )

      it.effect("correctDates corrects a webhook and its deliveries as the domain decides", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook({ since: now - 1, failingSince: ahead })
          const waits = [10_000 + minute, 10_001 + minute, year]
          const created = [now - 1, now + minute, now + minute + 1]
          const each = created.flatMap((time) => waits.map((wait) => ({ wait, ...delivery(made, { created: time }) })))
          for (const { wait, ...one } of each) {
            yield* added(made, [one])
            const [lease] = yield* leasesOf(owner, one.created)
            yield* store.finish([outcome(lease!, 500, now, now + wait)], limit)
          }
          const read = Effect.map(store.deliveries(owner, made.id, 0, 100), ({ items }) =>
            items.map((item) => ({ ...item, leaseUntil: null })).toSorted(byId)
          )
          const [webhook, before] = [yield* store.get(owner, made.id), yield* read]
          yield* store.correctDates(EpochMillis(now), EpochMillis(now))
          expect(yield* store.get(owner, made.id)).toStrictEqual(correctedWebhook(webhook!, EpochMillis(now)))
          const corrected = before.map((one) => correctedDelivery(one, EpochMillis(now), EpochMillis(now)) ?? one)
          expect(yield* read).toStrictEqual(corrected)
        })
      )

      it.effect("correctDates does not change a regular wait for the next attempt", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook({ since: ahead })
          const [retried, done] = [delivery(made, { created: now }), delivery(made, { created: now })]
          yield* added(made, [retried, done])
          const leases = yield* leasesOf(owner, now)
          const leaseOf = ({ id }: typeof retried) => leases.find((each) => each.delivery.id === id)!
          yield* store.finish(
            [outcome(leaseOf(retried), 500, now, now + 10_000), outcome(leaseOf(done), 200, now)],
            limit
          )
          expect(yield* store.correctDates(EpochMillis(now), EpochMillis(now))).toBe(1)
          expect((yield* store.get(owner, made.id))?.since).toBe(now)
          expect(yield* leasesOf(owner, now)).toStrictEqual([])
          expect(idsOf(yield* leasesOf(owner, now + 10_000))).toStrictEqual([retried.id])
        })
      )

      it.effect("correctDates frees a delivery that was leased by a clock ahead", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook({ since: ahead })
          const [waiting] = yield* added(made, [delivery(made, { created: now })])
          yield* leasesOf(owner, now, year)
          expect(yield* store.correctDates(EpochMillis(now), EpochMillis(now))).toBe(1)
          expect(idsOf(yield* leasesOf(owner, now))).toStrictEqual([waiting!.id])
        })
      )

      it.effect("correctDates applies to an account whose reminders were settled by a clock ahead", () =>
        Effect.gen(function* () {
          const { owner, store } = yield* newWebhook()
          yield* at(ahead)(store.settle(owner, []))
          expect(yield* store.correctDates(EpochMillis(now), EpochMillis(now))).toBe(1)
        })
      )
    })
  })
}
