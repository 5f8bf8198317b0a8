import { describe, expect, layer as withLayer } from "@effect/vitest"
import { addMillis, EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { ThingId } from "@lists-and-things/domain/model/Ids"
import { revokedKeyReason } from "@lists-and-things/domain/model/Webhook"
import { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import { KeyStore } from "@lists-and-things/domain/ports/KeyStore"
import type { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { type Moment, WebhookStore } from "@lists-and-things/domain/ports/WebhookStore"
import { Effect, type Layer } from "effect"
import { freshId, key, malformedIds, newAccount, newList, noon, timed } from "./Fixtures.ts"
import { added, delivery, idsOf, leasesOf, limit, minute, newWebhook, outcome, webhook } from "./WebhookFixtures.ts"

type Ports = WebhookStore | AccountStore | KeyStore | ListStore | Storage

/** The contract of `WebhookStore`, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  describe(`${name}: WebhookStore`, () => {
    withLayer(layer, { excludeTestServices: true })((it) => {
      it.effect("webhooks belong to their owner, are replaced and removed", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          const other = webhook(owner, {
            ...{ created: noon - 1, enabled: false, disabledReason: "Because.", events: ["operation"], format: "ntfy" },
            ...{
              formerSecrets: [
                { secret: "whsec_old", until: noon + 1 },
                { secret: "whsec_older", until: noon },
                { secret: "whsec_oldest", until: noon - 1 }
              ],
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
          yield* store.update({ ...other, description: "Else", lastSuccess: noon, since: addMillis(noon, 9) })
          expect(yield* store.get(owner, other.id)).toStrictEqual({ ...other, description: "Else", since: noon + 9 })
          // Failures of the previous address do not count against the new one.
          yield* store.update({ ...other, url: "https://else.example/", lastSuccess: noon })
          expect(yield* store.get(owner, other.id)).toStrictEqual({
            ...{ ...other, url: "https://else.example/", failingSince: null }
          })
          yield* store.update({ ...other, enabled: true, disabledReason: null })
          expect(yield* store.get(owner, other.id)).toMatchObject({ enabled: true, failingSince: null, lastFailure: 2 })
          expect(yield* store.get(owner, made.id)).toStrictEqual(made)
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

      it.effect("removing an event ends its waiting deliveries, but not its replayed ones", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          const [reminder, operation] = [delivery(made), delivery(made, { event: "operation" })]
          yield* added(made, [reminder, operation])
          const untouched = webhook(owner)
          yield* store.insert(untouched)
          const other = delivery(untouched, { event: "operation" })
          yield* store.advance(owner, noon, noon, { deliveries: [other] })
          yield* store.update({ ...made, events: ["reminder.due"] })
          const waiting = Effect.map(
            Effect.forEach([made, untouched], ({ id }) => store.deliveries(owner, id, 0, 10)),
            (pages) => pages.flatMap(({ items }) => items).filter(({ nextAttempt }) => nextAttempt !== null)
          )
          expect(new Set((yield* waiting).map(({ id }) => id))).toStrictEqual(new Set([reminder.id, other.id]))
          yield* store.replay(owner, made.id, operation.id, noon)
          yield* store.update({ ...made, events: ["reminder.due"], description: "Else" })
          expect(new Set(idsOf(yield* leasesOf(owner)))).toStrictEqual(new Set([reminder.id, operation.id, other.id]))
        })
      )

      it.effect("what waits for a webhook ends when it is switched on again, the attempts under way included", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          const operations = [1, 2].map((at) => delivery(made, { event: "operation", position: noon + at }))
          yield* added(made, operations)
          const [lease] = yield* leasesOf(owner)
          const waiting = Effect.map(store.deliveries(owner, made.id, 0, 10), ({ items }) =>
            items.filter(({ nextAttempt }) => nextAttempt !== null)
          )
          yield* store.update({ ...made, enabled: false })
          expect(yield* waiting).toHaveLength(2)
          expect(yield* leasesOf(owner, noon + minute)).toStrictEqual([])
          yield* store.clear(owner, made.id, "waiting")
          expect(yield* waiting).toMatchObject([{ id: lease!.delivery.id }])
          yield* store.update(made)
          yield* store.finish([outcome(lease!, 500, noon, noon + minute)], limit)
          expect(yield* waiting).toStrictEqual([])
          expect(yield* leasesOf(owner, noon + minute)).toStrictEqual([])
        })
      )

      it.effect("deliveries are cleared of a webhook that is off alone", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          yield* added(made, [delivery(made)])
          const log = Effect.map(store.deliveries(owner, made.id, 0, 10), ({ items }) =>
            items.map(({ nextAttempt }) => nextAttempt)
          )
          const clear = (what: "waiting" | "all") => Effect.andThen(store.clear(owner, made.id, what), log)
          expect([yield* clear("waiting"), yield* clear("all")]).toStrictEqual([[noon], [noon]])
          yield* store.update({ ...made, enabled: false })
          const { id: stranger } = yield* newAccount()
          yield* store.clear(stranger, made.id, "all")
          expect([yield* log, yield* clear("waiting"), yield* clear("all")]).toStrictEqual([[noon], [null], []])
          for (const id of malformedIds) yield* store.clear(owner, id, "all")
        })
      )

      it.effect("what waits of some events ends, other than attempts under way", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          yield* added(
            made,
            [1, 2].map((at) => delivery(made, { event: "operation", position: noon + at }))
          )
          yield* added(made, [delivery(made)])
          const leases = yield* leasesOf(owner)
          const waiting = Effect.map(store.deliveries(owner, made.id, 0, 10), ({ items }) =>
            items.filter(({ nextAttempt }) => nextAttempt !== null).map(({ event }) => event)
          )
          yield* store.endWaiting((yield* newAccount()).id, made.id, ["operation"])
          for (const id of malformedIds) yield* store.endWaiting(owner, id, ["operation"])
          expect(yield* waiting).toHaveLength(3)
          yield* store.endWaiting(owner, made.id, ["operation"])
          expect((yield* waiting).toSorted()).toStrictEqual(["operation", "reminder.due"])
          yield* store.release(leases)
          yield* store.endWaiting(owner, made.id, ["operation"])
          expect(yield* waiting).toStrictEqual(["reminder.due"])
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

      it.effect("revoking a key disables the webhooks that it created, and no others", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          const keys = yield* KeyStore
          const [mine, other] = [key(owner), key(owner)]
          yield* Effect.forEach([mine, other], keys.insert)
          const byKey = webhook(owner, { madeBy: mine.id, created: noon + 1 })
          const byOther = webhook(owner, { madeBy: other.id, created: noon + 2 })
          const off = webhook(owner, { madeBy: mine.id, created: noon + 3, enabled: false, disabledReason: "Failed" })
          yield* Effect.forEach([byKey, byOther, off], store.insert)
          expect(yield* keys.revoke(mine.id, noon)).toBe(true)
          expect(yield* store.list(owner)).toStrictEqual([
            made,
            { ...byKey, enabled: false, disabledReason: revokedKeyReason },
            byOther,
            off
          ])
          yield* store.update(byKey)
          expect(yield* keys.revokeAll(owner, addMillis(noon, 1))).toBe(1)
          expect((yield* store.list(owner)).map(({ enabled }) => enabled)).toStrictEqual([true, true, false, false])
        })
      )

      it.effect("an account with an enabled webhook is followed, from operation to operation", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          const follows = Effect.map(store.followed(1_000), (all) => all.find((each) => each.owner === owner))
          expect(yield* follows).toStrictEqual({ owner, writeTimestamp: noon, keepsMoments: true, rebuildFrom: noon })
          expect(yield* store.isNeeded).toBe(true)
          const deliveries = [delivery(made)]
          expect(yield* store.advance(owner, addMillis(noon, 1), addMillis(noon, 2), { deliveries })).toBe(false)
          expect(yield* leasesOf(owner)).toStrictEqual([])
          const other = addMillis(noon, 3)
          expect(yield* store.advance(owner, noon, noon, { deliveries: [], rebuilt: other })).toBe(true)
          expect(yield* follows).toMatchObject({ rebuildFrom: noon })
          expect(yield* store.advance(owner, noon, noon, { deliveries, rebuilt: noon })).toBe(true)
          expect(yield* follows).toBeUndefined()
          yield* store.follow(owner, other, other)
          expect(yield* follows).toBeUndefined()
          const operation = yield* (yield* Storage).transact(owner, (writeTimestamp) =>
            Effect.as(newList(owner), writeTimestamp)
          )
          expect(yield* follows).toStrictEqual({ owner, writeTimestamp: noon, keepsMoments: true, rebuildFrom: null })
          expect(yield* store.advance(owner, noon, operation, { deliveries: [] })).toBe(true)
          expect(yield* store.advance(owner, noon, operation, { deliveries: [] })).toBe(false)
          expect(yield* follows).toBeUndefined()
          yield* store.rebuild(owner, addMillis(noon, 7))
          expect(yield* follows).toMatchObject({ writeTimestamp: operation, rebuildFrom: noon + 7 })
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

      it.effect("moments are stored, replaced by later ones, and settled once", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          const [one, other] = [ThingId.make(freshId()), ThingId.make(freshId())].toSorted() as [ThingId, ThingId]
          const moments = Effect.map(store.momentsOf(owner, [one, other]), (all) =>
            all.toSorted((a, b) => (a.thingId < b.thingId ? -1 : 1))
          )
          const [first, second] = [
            timed<Moment>({ thingId: one, dueAt: noon + 5, writeTimestamp: noon }),
            timed<Moment>({ thingId: other, dueAt: noon + 1, writeTimestamp: noon })
          ] as const
          yield* store.putMoments(owner, [first, second])
          yield* store.putMoments(owner, [{ ...first, writeTimestamp: addMillis(noon, -1), dueAt: undefined }])
          expect(yield* moments).toStrictEqual([first, second])
          const due = (now: number) =>
            Effect.map(store.dueMoments(EpochMillis(now), 100_000, []), (all) =>
              all.filter((each) => each.owner === owner)
            )
          expect(yield* due(noon)).toStrictEqual([])
          expect(yield* due(noon + 5)).toStrictEqual([
            { ...second, owner },
            { ...first, owner }
          ])
          const others = yield* store.dueMoments(EpochMillis(noon + 5), 100_000, [owner])
          expect(others.filter((each) => each.owner === owner)).toStrictEqual([])
          const alike = { ...first, thingId: ThingId.make(freshId()) }
          yield* store.putMoments(owner, [alike])
          const rings = [delivery(made, { created: noon + 1 }), delivery(made, { created: noon + 2 })]
          const settled = [
            { moment: first, next: undefined, deliveries: [rings[0]!] },
            { moment: second, next: addMillis(noon, 9), deliveries: [rings[1]!] },
            { moment: { ...second, thingId: ThingId.make(freshId()) }, next: undefined, deliveries: [delivery(made)] }
          ]
          for (const change of [{ dueAt: addMillis(noon, 2) }, { writeTimestamp: addMillis(noon, -1) }])
            for (const next of [undefined, addMillis(noon, 9)])
              yield* store.settle(owner, [{ moment: { ...second, ...change }, next, deliveries: [delivery(made)] }])
          expect(yield* moments).toStrictEqual([first, second])
          yield* store.settle(owner, settled)
          yield* store.settle(owner, settled)
          expect(yield* moments).toStrictEqual([{ ...second, dueAt: noon + 9 }])
          const sent = yield* store.deliveries(owner, made.id, 0, 10)
          expect(sent.items.map(({ id }) => id)).toStrictEqual([rings[1]!.id, rings[0]!.id])
          yield* store.putMoments(owner, [{ thingId: other, dueAt: undefined, writeTimestamp: noon }])
          expect(yield* moments).toStrictEqual([])
          expect(yield* store.momentsOf(owner, [alike.thingId])).toStrictEqual([alike])
          for (const change of [{ events: ["operation"] }, { enabled: false }] as const) {
            yield* store.update(made)
            yield* store.follow(owner, noon, noon)
            yield* store.putMoments(owner, [first])
            yield* store.follow(owner, noon, noon)
            expect(yield* moments).toStrictEqual([first])
            yield* store.update({ ...made, ...change })
            yield* store.follow(owner, noon, noon)
            expect(yield* moments).toStrictEqual([])
          }
        })
      )

      it.effect("writes do not affect another account's data with the same ids and times", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          const { id: other } = yield* newAccount()
          const theirs = { ...made, owner: other }
          yield* store.insert(theirs)
          yield* store.follow(other, noon, noon)
          const [ring, failing] = [delivery(made), delivery(made)]
          const [gone, moved] = [0, 1].map(() =>
            timed<Moment>({ thingId: ThingId.make(freshId()), dueAt: noon + 5, writeTimestamp: noon })
          ) as [Moment, Moment]
          for (const each of [made, theirs]) {
            yield* added(each, [ring, failing])
            yield* store.putMoments(each.owner, [gone, moved])
          }
          const all = Effect.all([
            store.list(other),
            store.deliveries(other, made.id, 0, 10),
            Effect.map(store.momentsOf(other, [gone.thingId, moved.thingId]), (found) =>
              found.toSorted((a, b) => (a.thingId < b.thingId ? -1 : 1))
            ),
            Effect.map(store.followed(100_000), (found) => found.filter((each) => each.owner === other))
          ])
          const before = yield* all
          expect(before[1].items).toHaveLength(2)
          expect(before[2]).toHaveLength(2)
          expect(before[3]).toHaveLength(1)
          const both = yield* store.lease(noon, minute, 1_000)
          const leases = both.filter((each) => each.delivery.owner === owner)
          expect(leases).toHaveLength(2)
          expect(both.filter((each) => each.delivery.owner === other)).toHaveLength(2)
          yield* store.finish([outcome(leases[0]!, 200), outcome(leases[1]!, 500)], { ...limit, millis: 0 })
          yield* store.log(owner, delivery(made, { event: "ping" }), outcome(leases[0]!, 500))
          yield* store.replay(owner, made.id, ring.id, addMillis(noon, 1))
          yield* store.replaySince(owner, made.id, noon, addMillis(noon, 1))
          yield* store.putMoments(owner, [{ ...gone, dueAt: undefined }])
          yield* store.settle(owner, [{ moment: moved, next: addMillis(noon, 9), deliveries: [delivery(made)] }])
          yield* store.rebuild(owner, addMillis(noon, 3))
          yield* store.advance(owner, noon, addMillis(noon, 2), { deliveries: [], rebuilt: addMillis(noon, 3) })
          yield* store.update({ ...made, enabled: true, events: ["operation"] })
          yield* store.follow(owner, noon, noon)
          yield* store.update({ ...made, enabled: false })
          yield* store.follow(owner, noon, noon)
          yield* store.remove(owner, made.id)
          yield* store.insert(made)
          yield* store.follow(owner, noon, noon)
          yield* added(made, [ring])
          yield* store.putMoments(owner, [gone, moved])
          yield* (yield* AccountStore).remove(owner)
          expect(yield* all).toStrictEqual(before)
        })
      )

      it.effect("webhooks are removed with their account", () =>
        Effect.gen(function* () {
          const { made, owner, store } = yield* newWebhook()
          yield* added(made, [delivery(made)])
          yield* store.putMoments(owner, [
            timed<Moment>({ thingId: ThingId.make(freshId()), dueAt: 1, writeTimestamp: noon })
          ])
          expect(yield* (yield* AccountStore).remove(owner)).toBe(true)
          expect(yield* store.list(owner)).toStrictEqual([])
          expect(yield* leasesOf(owner)).toStrictEqual([])
          expect((yield* store.dueMoments(noon, 100_000, [])).filter((each) => each.owner === owner)).toStrictEqual([])
        })
      )
    })
  })
}
