import { describe, expect, layer as withLayer } from "@effect/vitest"
import { addMillis, EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { type AccountId, ThingId } from "@lists-and-things/domain/model/Ids"
import {
  DeliveryId,
  type NewDelivery,
  revokedKeyReason,
  type Webhook,
  WebhookId
} from "@lists-and-things/domain/model/Webhook"
import { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import { KeyStore } from "@lists-and-things/domain/ports/KeyStore"
import type { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { type Lease, type Moment, parallelDeliveries, WebhookStore } from "@lists-and-things/domain/ports/WebhookStore"
import { Effect, type Layer } from "effect"
import { freshId, key, malformedIds, newAccount, newList, noon, type Plain, timed } from "./Fixtures.ts"

type Ports = WebhookStore | AccountStore | KeyStore | ListStore | Storage

const minute = 60_000
const limit = { millis: 60 * minute, reason: "Nothing arrives." }

const webhook = (owner: AccountId, overrides: Partial<Plain<Webhook>> = {}): Webhook =>
  timed<Webhook>({
    id: WebhookId.make(freshId()),
    owner,
    url: "https://hooks.example/ü?a=1",
    events: ["reminder.due", "operation"],
    format: "standard",
    description: "Hooks 🦊",
    enabled: true,
    disabledReason: null,
    secret: `whsec_${freshId()}`,
    formerSecret: null,
    created: noon,
    lastSuccess: null,
    lastFailure: null,
    failingSince: null,
    madeBy: null,
    since: noon,
    afterWrite: noon,
    ...overrides
  })

const delivery = (of: Webhook, overrides: Partial<Plain<NewDelivery>> = {}): NewDelivery =>
  timed<NewDelivery>({
    id: DeliveryId.make(freshId()),
    webhookId: of.id,
    event: "reminder.due",
    messageId: freshId(),
    created: noon,
    body: `{"type":"reminder.due","text":"\\u0001 \\" 🦊"}`,
    notice: { title: "Reminder", text: "Line\nbreak 🦊", path: "/things/1", tag: "bell" },
    position: noon,
    ...overrides
  })

const newWebhook = Effect.fnUntraced(function* (overrides: Partial<Plain<Webhook>> = {}) {
  const { id: owner } = yield* newAccount()
  const made = webhook(owner, overrides)
  const store = yield* WebhookStore
  yield* store.insert(made)
  yield* store.follow(owner, noon, noon)
  return { made, owner, store }
})

/** Adds deliveries, as an operation that is announced does. */
const added = Effect.fnUntraced(function* (of: Webhook, deliveries: ReadonlyArray<NewDelivery>) {
  expect(yield* (yield* WebhookStore).advance(of.owner, noon, noon, { deliveries })).toBe(true)
  return deliveries
})

/** The storage is shared by all tests. */
const leasesOf = Effect.fnUntraced(function* (owner: AccountId, now: number = noon, millis = minute) {
  const leases = yield* (yield* WebhookStore).lease(EpochMillis(now), millis, 1_000)
  return leases.filter(({ delivery }) => delivery.owner === owner)
})

const idsOf = (leases: ReadonlyArray<Lease>) => leases.map((each) => each.delivery.id)

const outcome = (lease: Lease, status: number | null, at: number = noon, next: number | null = null) => ({
  lease,
  at: EpochMillis(at),
  isSuccess: status === 200,
  status,
  durationMillis: 12,
  answer: "what came back",
  nextAttempt: next === null ? null : EpochMillis(next),
  disabledReason: status === 410 ? "Gone." : null
})

/** The contract of `WebhookStore`, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  describe(`${name}: WebhookStore`, () => {
    withLayer(layer, { excludeTestServices: true, timeout: "60 seconds" })((it) => {
      it.effect("webhooks belong to their owner, are replaced and removed", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          const other = webhook(owner, {
            ...{ created: noon - 1, enabled: false, disabledReason: "Because.", events: ["operation"], format: "ntfy" },
            ...{
              formerSecret: { secret: "whsec_old", until: noon + 1 },
              madeBy: "key",
              lastSuccess: 1,
              lastFailure: 2
            },
            failingSince: 3
          })
          yield* store.insert(other)
          expect(yield* store.list(owner)).toStrictEqual([other, made])
          expect(yield* store.get(owner, other.id)).toStrictEqual(other)
          const stranger = yield* newAccount()
          expect(yield* store.list(stranger.id)).toStrictEqual([])
          expect(yield* store.get(stranger.id, made.id)).toBeUndefined()
          expect(yield* store.remove(stranger.id, made.id)).toBe(false)
          yield* store.update({ ...other, url: "https://else.example/", lastSuccess: noon, since: addMillis(noon, 9) })
          expect(yield* store.get(owner, other.id)).toStrictEqual({
            ...{ ...other, url: "https://else.example/", since: noon + 9 }
          })
          yield* store.update({ ...other, enabled: true, disabledReason: null })
          expect(yield* store.get(owner, other.id)).toMatchObject({ enabled: true, failingSince: null, lastFailure: 2 })
          for (const id of malformedIds) {
            expect(yield* store.get(owner, id)).toBeUndefined()
            expect(yield* store.remove(owner, id)).toBe(false)
            expect(yield* store.replay(owner, id, id, noon)).toBe(false)
          }
          expect(yield* store.remove(owner, made.id)).toBe(true)
          expect(yield* store.remove(owner, made.id)).toBe(false)
          expect(yield* store.list(owner)).toHaveLength(1)
        })
      )

      it.effect("a transaction that fails leaves no webhook", () =>
        Effect.gen(function* () {
          const { id: owner } = yield* newAccount()
          const store = yield* WebhookStore
          const storage = yield* Storage
          yield* Effect.exit(
            storage.transact(owner, () => Effect.andThen(store.insert(webhook(owner)), Effect.fail("no" as const)))
          )
          expect(yield* store.list(owner)).toStrictEqual([])
        })
      )

      it.effect("revoking a key switches off the webhooks that it made, and no others", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          const keys = yield* KeyStore
          const [mine, other] = [key(owner), key(owner)]
          yield* Effect.forEach([mine, other], keys.insert)
          const byKey = webhook(owner, { madeBy: mine.id, created: noon + 1 })
          const byOther = webhook(owner, { madeBy: other.id, created: noon + 2 })
          yield* Effect.forEach([byKey, byOther], store.insert)
          expect(yield* keys.revoke(mine.id, noon)).toBe(true)
          expect(yield* store.list(owner)).toStrictEqual([
            made,
            { ...byKey, enabled: false, disabledReason: revokedKeyReason },
            byOther
          ])
        })
      )

      it.effect("an account with a webhook that is on is followed, from operation to operation", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          const follows = Effect.map(store.followed(1_000), (all) => all.find((each) => each.owner === owner))
          expect(yield* follows).toStrictEqual({ owner, stamp: noon, keepsMoments: true, rebuildFrom: noon })
          expect(yield* store.isNeeded).toBe(true)
          const deliveries = [delivery(made)]
          expect(yield* store.advance(owner, addMillis(noon, 1), addMillis(noon, 2), { deliveries })).toBe(false)
          expect(yield* leasesOf(owner)).toStrictEqual([])
          expect(yield* store.advance(owner, noon, noon, { deliveries, rebuilt: noon })).toBe(true)
          expect(yield* follows).toBeUndefined()
          const operation = yield* (yield* Storage).transact(owner, (stamp) => Effect.as(newList(owner), stamp))
          expect(yield* follows).toStrictEqual({ owner, stamp: noon, keepsMoments: true, rebuildFrom: null })
          expect(yield* store.advance(owner, noon, operation, { deliveries: [] })).toBe(true)
          expect(yield* store.advance(owner, noon, operation, { deliveries: [] })).toBe(false)
          expect(yield* follows).toBeUndefined()
          yield* store.rebuild(owner, addMillis(noon, 7))
          expect(yield* follows).toMatchObject({ stamp: operation, rebuildFrom: noon + 7 })
          yield* store.update({ ...made, events: ["operation"] })
          yield* store.follow(owner, noon, noon)
          expect(yield* follows).toBeUndefined()
          yield* store.rebuild(owner, noon)
          expect(yield* follows).toBeUndefined()
          yield* store.update({ ...made, enabled: false })
          yield* store.follow(owner, noon, noon)
          expect(yield* store.advance(owner, operation, operation, { deliveries: [] })).toBe(false)
        })
      )

      it.effect("moments are put, replaced by later ones, and settled once", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          const [one, other] = [ThingId.make(freshId()), ThingId.make(freshId())].toSorted() as [ThingId, ThingId]
          const moments = Effect.map(store.momentsOf(owner, [one, other]), (all) =>
            all.toSorted((a, b) => (a.thingId < b.thingId ? -1 : 1))
          )
          const [first, second] = [
            timed<Moment>({ thingId: one, dueAt: noon + 5, stamp: noon }),
            timed<Moment>({ thingId: other, dueAt: noon + 1, stamp: noon })
          ] as const
          yield* store.putMoments(owner, [first, second])
          yield* store.putMoments(owner, [{ ...first, stamp: addMillis(noon, -1), dueAt: undefined }])
          expect(yield* moments).toStrictEqual([first, second])
          const due = (now: number) =>
            Effect.map(store.dueMoments(EpochMillis(now), 100_000), (all) => all.filter((each) => each.owner === owner))
          expect(yield* due(noon)).toStrictEqual([])
          expect(yield* due(noon + 5)).toStrictEqual([
            { ...second, owner },
            { ...first, owner }
          ])
          const rings = [delivery(made, { created: noon + 1 }), delivery(made, { created: noon + 2 })]
          const settled = [
            { moment: first, next: undefined, deliveries: [rings[0]!] },
            { moment: second, next: addMillis(noon, 9), deliveries: [rings[1]!] },
            { moment: { ...second, thingId: ThingId.make(freshId()) }, next: undefined, deliveries: [delivery(made)] }
          ]
          yield* store.settle(owner, settled)
          yield* store.settle(owner, settled)
          expect(yield* moments).toStrictEqual([{ ...second, dueAt: noon + 9 }])
          const sent = yield* store.deliveries(owner, made.id, 0, 10)
          expect(sent.items.map(({ id }) => id)).toStrictEqual([rings[1]!.id, rings[0]!.id])
          yield* store.putMoments(owner, [{ thingId: other, dueAt: undefined, stamp: noon }])
          expect(yield* moments).toStrictEqual([])
        })
      )

      it.effect("a message goes to a webhook once, and only to one that is there", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          const once = delivery(made)
          yield* added(made, [once])
          yield* added(made, [{ ...once, id: DeliveryId.make(freshId()) }, delivery(webhook(owner))])
          const [lease, ...others] = yield* leasesOf(owner)
          expect(others).toStrictEqual([])
          const { position: _position, ...kept } = once
          expect(lease?.delivery).toStrictEqual({
            ...kept,
            ...{ owner, attempts: 0, status: null, durationMillis: null, answer: null, nextAttempt: noon }
          })
          expect(lease?.webhook).toStrictEqual(made)
          expect((yield* store.deliveries(owner, made.id, 0, 10)).items).toHaveLength(1)
        })
      )

      it.effect("so many are leased at a time, the soonest first, and operations one after the other beside them", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          const many = Array.from({ length: parallelDeliveries + 2 }, (_, at) => delivery(made, { created: noon + at }))
          const operations = [3, 1, 2].map((position) =>
            delivery(made, { event: "operation", position: noon + position })
          )
          yield* added(made, [...many.toReversed(), ...operations])
          const now = noon + many.length
          const leases = yield* leasesOf(owner, now)
          expect(new Set(idsOf(leases))).toStrictEqual(
            new Set([...many.slice(0, parallelDeliveries), operations[1]!].map(({ id }) => id))
          )
          expect(yield* leasesOf(owner, now)).toStrictEqual([])
          const [ring, operation] = [leases[0]!, leases.find((each) => each.delivery.event === "operation")!]
          yield* store.finish([outcome(ring, 200, now), outcome(operation, 500, now, now + minute)], limit)
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

      it.effect("a lease that has ended is given to another, and its outcome counts no more", () =>
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

      it.effect("a lease that is given back was never there", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          yield* added(made, [delivery(made), delivery(made, { event: "operation" })])
          const leases = yield* leasesOf(owner)
          yield* store.release(leases)
          expect(new Set(idsOf(yield* leasesOf(owner)))).toStrictEqual(new Set(idsOf(leases)))
          expect((yield* store.deliveries(owner, made.id, 0, 9)).items.map(({ attempts }) => attempts)).toStrictEqual([
            0, 0
          ])
        })
      )

      it.effect("failures alone switch it off after a time, and an outcome that says so at once", () =>
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

      it.effect("what was sent at once is in the log and in the webhook", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          const ping = delivery(made, { event: "ping" })
          const {
            lease: _lease,
            disabledReason: _reason,
            nextAttempt: _next,
            ...came
          } = outcome({} as Lease, 200, noon + 4)
          yield* store.log(owner, ping, came)
          expect((yield* store.deliveries(owner, made.id, 0, 9)).items).toMatchObject([
            { id: ping.id, event: "ping", attempts: 1, status: 200, answer: "what came back", nextAttempt: null }
          ])
          expect((yield* store.get(owner, made.id))?.lastSuccess).toBe(noon + 4)
          expect(yield* leasesOf(owner, noon + minute)).toStrictEqual([])
          expect(yield* store.replaySince(owner, made.id, noon, noon)).toBe(0)
        })
      )

      it.effect("the backlog counts what is late, and old deliveries are pruned", () =>
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

      it.effect("an account takes its webhooks along", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          yield* added(made, [delivery(made)])
          yield* store.putMoments(owner, [timed<Moment>({ thingId: ThingId.make(freshId()), dueAt: 1, stamp: noon })])
          expect(yield* (yield* AccountStore).remove(owner)).toBe(true)
          expect(yield* store.list(owner)).toStrictEqual([])
          expect(yield* leasesOf(owner)).toStrictEqual([])
          expect((yield* store.dueMoments(noon, 100_000)).filter((each) => each.owner === owner)).toStrictEqual([])
        })
      )
    })
  })
}
