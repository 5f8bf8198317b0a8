import { describe, expect, layer as withLayer } from "@effect/vitest"
import { addMillis } from "@lists-and-things/domain/model/EpochMillis"
import { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import type { ListStore } from "@lists-and-things/domain/ports/ListStore"
import type { Storage } from "@lists-and-things/domain/ports/Storage"
import { type Lease, WebhookStore } from "@lists-and-things/domain/ports/WebhookStore"
import { afterAttempts } from "@lists-and-things/domain/webhooks/WebhookChanges"
import { Effect, type Layer } from "effect"
import { noon } from "./Fixtures.ts"
import { added, delivery, leasesOf, limit, minute, newWebhook, outcome, webhook } from "./WebhookFixtures.ts"

/** Of the attempts of one webhook that are stored together. */
const pairsOfStatuses = [
  [200, 200],
  [500, 200],
  [410, 200],
  [500, null],
  [500, 410],
  [410, 410]
] as const

/** What a person may change of a webhook while its attempts are under way. */
const changes = {
  "as it was": {},
  elsewhere: { url: "https://else.example/" },
  off: { enabled: false, disabledReason: "A person did." }
} as const

type Ports = WebhookStore | AccountStore | ListStore | Storage

/** What the outcomes of attempts change of webhooks, for any adapter of `WebhookStore`. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  describe(`${name}: WebhookStore, outcomes of attempts`, () => {
    withLayer(layer, { excludeTestServices: true })((it) => {
      it.effect("only failures for a time disable a webhook, and an outcome that disables it does so at once", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          const failAt = Effect.fnUntraced(function* (at: number, status: number | null) {
            yield* added(made, [delivery(made, { created: at })])
            const leases = yield* leasesOf(owner, at)
            yield* store.finish(
              leases.map((lease) => outcome(lease, status, at)),
              limit
            )
            const { disabledReason, enabled, failingSince, lastFailure, lastSuccess } = (yield* store.get(
              owner,
              made.id
            ))!
            return { disabledReason, enabled, failingSince, lastFailure, lastSuccess }
          })
          const on = { enabled: true, disabledReason: null }
          expect(yield* failAt(noon, 500)).toStrictEqual({
            ...{ ...on, failingSince: noon, lastFailure: noon, lastSuccess: null }
          })
          expect(yield* failAt(noon + 1, 200)).toStrictEqual({
            ...{ ...on, failingSince: null, lastFailure: noon, lastSuccess: noon + 1 }
          })
          expect(yield* failAt(noon + 2, null)).toMatchObject({ ...on, failingSince: noon + 2 })
          expect(yield* failAt(noon + 1 + limit.millis, 500)).toMatchObject(on)
          expect(yield* failAt(noon + 2 + limit.millis, 500)).toMatchObject({
            enabled: false,
            disabledReason: limit.reason
          })
          expect(yield* failAt(noon + 3 + limit.millis, 500)).toMatchObject({ lastFailure: noon + 2 + limit.millis })
          yield* store.update({ ...made, enabled: true })
          expect(yield* leasesOf(owner, noon + 10 * limit.millis)).toStrictEqual([])
          expect(yield* failAt(noon, 410)).toMatchObject({ enabled: false, disabledReason: "Gone." })
        })
      )

      it.effect("a webhook with one success among the attempts stored together is not failing, in either order", () =>
        Effect.gen(function* () {
          const at = noon + limit.millis
          for (const [first, second] of [[200, 500] as const, [500, 200] as const]) {
            const { made, owner, store } = yield* newWebhook({ failingSince: noon })
            yield* added(made, [delivery(made), delivery(made)])
            const [one, other] = yield* leasesOf(owner)
            yield* store.finish([outcome(one!, first, at), outcome(other!, second, at)], limit)
            const after = { enabled: true, failingSince: null, lastFailure: at, lastSuccess: at }
            expect(yield* store.get(owner, made.id)).toMatchObject(after)
          }
        })
      )

      it.effect("attempts that are stored together count by their first failure and the latest of each kind", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          const finishTwo = Effect.fnUntraced(function* (status: number, later: number, earlier: number) {
            yield* added(made, [delivery(made), delivery(made)])
            const [one, other] = yield* leasesOf(owner)
            yield* store.finish([outcome(one!, status, later), outcome(other!, status, earlier)], limit)
            return yield* store.get(owner, made.id)
          })
          expect(yield* finishTwo(500, noon + 2, noon + 1)).toMatchObject({
            ...{ failingSince: noon + 1, lastFailure: noon + 2, lastSuccess: null }
          })
          expect(yield* finishTwo(200, noon + 4, noon + 3)).toMatchObject({
            ...{ failingSince: null, lastFailure: noon + 2, lastSuccess: noon + 4 }
          })
        })
      )

      it.effect("what attempts change of their webhook is what the domain decides, in one step for many webhooks", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          const cases = ([null, noon - limit.millis, noon] as const).flatMap((failingSince) =>
            pairsOfStatuses.flatMap((statuses) =>
              (["as it was", "elsewhere", "off"] as const).map((meanwhile) => ({
                leased: webhook(owner, { failingSince }),
                statuses,
                change: changes[meanwhile]
              }))
            )
          )
          yield* Effect.forEach(cases, ({ leased }) => store.insert(leased))
          const [, ...others] = yield* added(made, [
            delivery(made),
            ...cases.flatMap(({ leased, statuses }) => statuses.map(() => delivery(leased)))
          ])
          const leases = Map.groupBy(yield* leasesOf(owner), (lease) => lease.webhook.id)
          expect([...leases.values()].flat()).toHaveLength(1 + others.length)
          const outcomes = cases.map(({ leased, statuses }) =>
            leases.get(leased.id)!.map((lease, nth) => outcome(lease, statuses[nth]!, noon + 1 - nth))
          )
          yield* Effect.forEach(cases, ({ change, leased }) => store.update({ ...leased, ...change }))
          const before = new Map((yield* store.list(owner)).map((each) => [each.id, each]))
          yield* store.finish(outcomes.flat(), limit)
          const after = new Map((yield* store.list(owner)).map((each) => [each.id, each]))
          for (const [nth, { leased, statuses }] of cases.entries())
            expect(after.get(leased.id), `${statuses} of ${JSON.stringify(before.get(leased.id))}`).toStrictEqual(
              afterAttempts(before.get(leased.id)!, outcomes[nth]!, limit)
            )
          expect(after.get(made.id)).toStrictEqual(made)
        })
      )

      it.effect("an outcome for a webhook that is already disabled keeps the reason", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          yield* added(made, [delivery(made), delivery(made)])
          const [first, second] = (yield* leasesOf(owner)) as [Lease, Lease]
          yield* store.finish([outcome(first, 410)], limit)
          yield* store.finish([{ ...outcome(second, 410), disabledReason: "Another reason." }], limit)
          expect(yield* store.get(owner, made.id)).toMatchObject({ enabled: false, disabledReason: "Gone." })
        })
      )

      it.effect("a 410 of an address that was replaced during the attempt does not disable the webhook", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          yield* added(made, [delivery(made), delivery(made)])
          const [first, second] = (yield* leasesOf(owner)) as [Lease, Lease]
          const moved = { ...made, url: "https://else.example/" }
          yield* store.update(moved)
          yield* store.finish([outcome(first, 410)], limit)
          expect(yield* store.get(owner, made.id)).toMatchObject({ enabled: true, disabledReason: null })
          yield* store.finish([outcome({ ...second, webhook: moved }, 410)], limit)
          expect(yield* store.get(owner, made.id)).toMatchObject({ enabled: false, disabledReason: "Gone." })
        })
      )

      it.effect("the time of the last attempt does not decrease when a clock is set back", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          yield* added(made, [delivery(made), delivery(made), delivery(made), delivery(made)])
          const leases = yield* leasesOf(owner)
          const outcomes = [500, 500, 200, 200].map((status, index) =>
            outcome(leases[index]!, status, noon + (index % 2 === 0 ? 2 * minute : minute))
          )
          for (const each of outcomes) yield* store.finish([each], limit)
          const last = { lastFailure: noon + 2 * minute, lastSuccess: noon + 2 * minute }
          expect(yield* store.get(owner, made.id)).toMatchObject(last)
          for (const isSuccess of [true, false]) {
            const tried = { at: addMillis(noon, minute), isSuccess, status: 200, durationMillis: 1, answer: "" }
            yield* store.log(owner, delivery(made, { event: "ping" }), tried)
          }
          expect(yield* store.get(owner, made.id)).toMatchObject(last)
        })
      )
    })
  })
}
