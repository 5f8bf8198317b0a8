import { describe, expect, it } from "@effect/vitest"
import { listNamed } from "@lists-and-things/testing/AsOwner"
import { noon } from "@lists-and-things/testing/Fixtures"
import { delivery } from "@lists-and-things/testing/WebhookFixtures"
import { Effect, Layer } from "effect"
import { ApiKeys } from "../../src/caller/ApiKeys.ts"
import { addMillis } from "../../src/model/EpochMillis.ts"
import { Caller } from "../../src/model/Caller.ts"
import { StorageUnavailable } from "../../src/model/Errors.ts"
import { AccountStore } from "../../src/ports/AccountStore.ts"
import { WebhookStore } from "../../src/ports/WebhookStore.ts"
import { rotated, signingSecrets } from "../../src/webhooks/Secrets.ts"
import { type AllowedUrl, type WebhookPatch, Webhooks } from "../../src/webhooks/Webhooks.ts"
import { delivering, hook, hour, iso, minute, pass, reminded } from "./Delivering.ts"

describe("webhooks of an account", () => {
  it.effect("are at most twenty, and need every scope", () =>
    delivering(() =>
      Effect.gen(function* () {
        for (let at = 0; at < 20; at++) yield* hook()
        expect(yield* Effect.flip(hook())).toMatchObject({
          _tag: "InvalidInput",
          message: expect.stringContaining("20")
        })
        const caller = yield* Caller
        const { list } = yield* Webhooks
        const less = { ...caller, scopes: new Set([...caller.scopes].slice(1)) }
        expect(yield* Effect.flip(Effect.provideService(list, Caller, less))).toMatchObject({ _tag: "Forbidden" })
      })
    )
  )

  it.effect("are disabled when the key that created them is revoked", () =>
    delivering(() =>
      Effect.gen(function* () {
        const caller = yield* Caller
        const keys = yield* ApiKeys
        const { key } = yield* keys.create({ account: caller.account.id })
        const by = { type: "key", id: key.id, name: "" } as const
        const { id } = yield* Effect.provideService(hook(), Caller, { ...caller, by })
        yield* keys.revoke(key.id)
        expect(yield* (yield* Webhooks).get(id)).toMatchObject({
          enabled: false,
          disabledReason: expect.stringContaining("revoked")
        })
      })
    )
  )

  it.effect("are disabled by a test that is answered 410, unless the address was changed meanwhile", () =>
    delivering((fixture) =>
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const { id } = yield* hook()
        fixture.answer = () => Effect.succeed({ status: 500 })
        yield* Effect.flatten(webhooks.test(id))
        expect(yield* webhooks.get(id)).toMatchObject({ enabled: true })
        fixture.answer = () => Effect.succeed({ status: 410 })
        const logged = yield* webhooks.test(id)
        yield* webhooks.update(id, { url: "https://b.example/" as AllowedUrl })
        yield* logged
        expect(yield* webhooks.get(id)).toMatchObject({ enabled: true, disabledReason: null })
        expect(yield* Effect.flatten(webhooks.test(id))).toMatchObject({ status: 410 })
        expect(yield* webhooks.get(id)).toMatchObject({
          enabled: false,
          disabledReason: expect.stringContaining("410")
        })
      })
    )
  )

  it.effect("can be created disabled and enabled later, from when on they are told; again, that is no change", () =>
    delivering(() =>
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const { id } = yield* hook({ enabled: false })
        expect(yield* webhooks.get(id)).toMatchObject({ enabled: false, since: noon })
        const store = yield* WebhookStore
        yield* store.update({ ...(yield* webhooks.get(id)), disabledReason: "It answered 410." })
        yield* pass(minute)
        const enabled = yield* webhooks.update(id, { enabled: true })
        expect(enabled).toMatchObject({ enabled: true, disabledReason: null, since: noon + minute })
        yield* pass(minute)
        expect(yield* webhooks.update(id, { enabled: true })).toStrictEqual(enabled)
      })
    )
  )

  it.effect("are emptied in steps if they have thousands of deliveries, before they are deleted or lose an event", () =>
    delivering(() =>
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const store = yield* WebhookStore
        const { account } = yield* Caller
        const withDeliveries = Effect.fnUntraced(function* (count: number) {
          const made = yield* hook()
          const answered = { at: noon, isSuccess: false, status: 500, answer: "", durationMillis: 1 }
          for (let at = 0; at < count; at++) yield* store.log(account.id, delivery(made), answered)
          return made.id
        })
        const lost = new StorageUnavailable({ outcome: "not-applied", cause: new Error("lost") })
        const fails = () => Effect.fail(lost)
        const overLost = Webhooks.layer.pipe(
          Layer.provide(Layer.succeed(WebhookStore, { ...store, clear: fails, endWaiting: fails }))
        )
        const inLost = <A, E>(use: (over: Webhooks["Service"]) => Effect.Effect<A, E, Caller>) =>
          Effect.flatMap(Webhooks, use).pipe(Effect.provide(Layer.fresh(overLost)))
        const remove = (id: string) => inLost((over) => over.remove(id))
        const update = (id: string, patch: WebhookPatch) => inLost((over) => over.update(id, patch))

        const few = yield* withDeliveries(2_000)
        yield* update(few, { events: ["operation"] })
        yield* remove(few)
        const many = yield* withDeliveries(2_001)
        yield* update(many, { events: ["reminder.due", "operation"], description: "Both" })
        expect(yield* Effect.flip(update(many, { events: ["operation"] }))).toMatchObject({ outcome: "unknown" })
        yield* update(many, { events: ["operation"], enabled: false })
        yield* webhooks.update(many, { events: ["reminder.due", "operation"], enabled: true })
        yield* webhooks.update(many, { events: ["operation"] })
        expect(yield* Effect.flip(remove(many))).toMatchObject({ _tag: "StorageUnavailable", outcome: "unknown" })
        expect(yield* webhooks.get(many)).toMatchObject({ enabled: false })
        yield* webhooks.remove(many)
        expect(yield* webhooks.list).toStrictEqual([])
      })
    )
  )

  it.effect("keep the former secret for a day after a rotation; a replay sends the same delivery", () =>
    delivering((fixture) =>
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const made = yield* hook({ events: ["operation"] })
        const rotated = yield* webhooks.rotate(made.id)
        expect(rotated.secret).not.toBe(made.secret)
        expect(rotated.formerSecrets).toStrictEqual([{ secret: made.secret, until: noon + 24 * hour }])
        yield* listNamed("One")
        yield* pass(minute)
        const [delivery] = (yield* webhooks.deliveries(made.id, 0)).items
        yield* webhooks.replay(made.id, delivery!.id)
        yield* pass(minute)
        const [first, again] = fixture.arrived
        expect({ ...again, at: 0 }).toStrictEqual({ ...first, at: 0 })
        expect(yield* webhooks.replaySince(made.id, iso(0))).toBe(0)
      })
    )
  )

  it.effect("sign with every secret that was replaced within the last day", () =>
    delivering(() =>
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const { id, secret } = yield* hook()
        const second = yield* webhooks.rotate(id)
        yield* pass(hour)
        const third = yield* webhooks.rotate(id)
        expect(signingSecrets(third, addMillis(noon, 24 * hour - 1))).toStrictEqual([
          third.secret,
          second.secret,
          secret
        ])
        expect(signingSecrets(third, addMillis(noon, 24 * hour))).toStrictEqual([third.secret, second.secret])
        const later = addMillis(noon, 24 * hour + 1)
        expect(signingSecrets(rotated(third, "whsec_4", later), later)).toStrictEqual([
          ...["whsec_4", third.secret, second.secret]
        ])
      })
    )
  )

  it("sign with at most ten secrets, however often they are rotated", () => {
    const names = Array.from({ length: 12 }, (_, at) => `whsec_${at}`)
    const last = names.reduce<Parameters<typeof rotated>[0]>((before, name) => rotated(before, name, noon), {
      secret: "whsec_first",
      formerSecrets: []
    })
    expect(signingSecrets(last, noon)).toStrictEqual(names.toReversed().slice(0, 10))
  })

  it.effect("send nothing for a deleted account", () =>
    delivering((fixture) =>
      Effect.gen(function* () {
        const { account } = yield* Caller
        yield* hook()
        yield* reminded(minute)
        yield* pass(2_000)
        yield* (yield* AccountStore).remove(account.id)
        yield* pass(5 * minute)
        expect(fixture.arrived).toStrictEqual([])
      })
    )
  )
})
