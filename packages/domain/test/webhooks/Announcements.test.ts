import { NodeCrypto } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { layer as memory } from "@lists-and-things/storage-memory/MemoryStorage"
import { asOwner, listNamed, make, patch, remind } from "@lists-and-things/testing/AsOwner"
import { noon } from "@lists-and-things/testing/Fixtures"
import { Effect, Exit, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { Accounts } from "../../src/caller/Accounts.ts"
import { Caller } from "../../src/model/Caller.ts"
import { addMillis } from "../../src/model/EpochMillis.ts"
import { AccountId, type ThingId } from "../../src/model/Ids.ts"
import type { NewDelivery } from "../../src/model/Webhook.ts"
import { AccountStore } from "../../src/ports/AccountStore.ts"
import { WebhookStore } from "../../src/ports/WebhookStore.ts"
import { Reminders } from "../../src/reminders/Reminders.ts"
import { Things } from "../../src/things/Things.ts"
import { useCases } from "../../src/UseCases.ts"
import { Announcements } from "../../src/webhooks/Announcements.ts"
import { failingLimit, outcomeOf } from "../../src/webhooks/Attempts.ts"
import { correctWebhookClocks } from "../../src/webhooks/ClockCorrection.ts"
import { type AllowedUrl, Webhooks } from "../../src/webhooks/Webhooks.ts"

const storage = useCases.pipe(Layer.provideMerge(memory), Layer.provideMerge(NodeCrypto.layer))

/** An account store that dies for these accounts. */
const breakingFor = (broken: ReadonlySet<AccountId>) =>
  Layer.effect(
    AccountStore,
    Effect.map(AccountStore, (store) =>
      AccountStore.of({
        ...store,
        get: (id) => (broken.has(AccountId.make(id)) ? Effect.die("broken") : store.get(id))
      })
    )
  )

/** An account with a webhook and an operation after it; returns its id and the number of its deliveries. */
const followed = asOwner(() =>
  Effect.gen(function* () {
    const webhooks = yield* Webhooks
    const { account } = yield* Caller
    const { id } = yield* webhooks.create({ url: "https://a.example/" as AllowedUrl, events: ["operation"] })
    yield* listNamed("A list")
    const log = Effect.provideService(webhooks.deliveries(id, 0), Caller, yield* Caller)
    return { account: account.id, log: Effect.map(log, ({ items }) => items.length) }
  })
)

it.effect("an account whose data makes the announcements die does not delay the others", () => {
  const broken = new Set<AccountId>()
  const announcements = Announcements.layer.pipe(Layer.provide(breakingFor(broken)))
  return Effect.gen(function* () {
    const [first, second, third] = [yield* followed, yield* followed, yield* followed]
    broken.add(first.account)
    const { operations } = yield* Announcements
    expect(Exit.hasDies(yield* Effect.exit(operations))).toBe(true)
    expect([yield* first.log, yield* second.log, yield* third.log]).toStrictEqual([0, 1, 1])
    broken.clear()
    expect(yield* operations).toBe("done")
    expect(yield* first.log).toBe(1)
  }).pipe(Effect.provide(announcements.pipe(Layer.provideMerge(Layer.fresh(storage)))))
})

/** Announcements, and whose turns they had: the owners of this step, in order. */
const watchingTurns = (step: "putMoments" | "settle") => {
  const order: Array<string> = []
  const turnOf = (owner: AccountId) => Effect.sync(() => order.push(owner))
  const watched = Layer.effect(
    WebhookStore,
    Effect.map(WebhookStore, (store) => {
      const steps = {
        putMoments: (owner, moments) => Effect.andThen(turnOf(owner), store.putMoments(owner, moments)),
        settle: (owner, settled) => Effect.andThen(turnOf(owner), store.settle(owner, settled))
      } satisfies Partial<WebhookStore["Service"]>
      return WebhookStore.of({ ...store, [step]: steps[step] })
    })
  )
  return { announcements: Announcements.layer.pipe(Layer.provide(watched)), order }
}

/** Reminders of so many things of a new list, all of them after these minutes. */
const remindIn = Effect.fnUntraced(function* (minutes: number, many: number) {
  const { id: list_id } = yield* listNamed("A list")
  for (let at = 0; at < many; at++) {
    const { id } = yield* make({ text: `Thing ${at}`, list_id })
    yield* remind(id, { at: new Date(noon + minutes * 60_000).toISOString() })
  }
})

it.effect("an account with more than its share waits for the others", () => {
  const { announcements, order } = watchingTurns("settle")
  return Effect.gen(function* () {
    yield* TestClock.setTime(noon)
    const reminding = (many: number, hooks: number, minutes: number) =>
      asOwner(() =>
        Effect.gen(function* () {
          const webhooks = yield* Webhooks
          for (let at = 0; at < hooks; at++)
            yield* webhooks.create({ url: "https://a.example/" as AllowedUrl, events: ["reminder.due"] })
          yield* remindIn(minutes, many)
          return (yield* Caller).account.id as string
        })
      )
    const [greedy, modest] = [yield* reminding(50, 20, 1), yield* reminding(2, 1, 2)]
    const { operations, reminders } = yield* Announcements
    while ((yield* operations) !== "nothing");
    yield* TestClock.setTime(noon + 3 * 60_000)
    while ((yield* reminders) !== "nothing");
    expect(new Set(order.slice(0, 2))).toStrictEqual(new Set([greedy, modest]))
    expect(order.slice(2)).toStrictEqual([greedy, greedy])
  }).pipe(Effect.provide(announcements.pipe(Layer.provideMerge(Layer.fresh(storage)))))
})

it.effect("an account with many reminders to recompute waits for the others", () => {
  const { announcements, order } = watchingTurns("putMoments")
  return Effect.gen(function* () {
    yield* TestClock.setTime(noon)
    const follow = Effect.flatMap(Webhooks, (webhooks) =>
      webhooks.create({ url: "https://a.example/" as AllowedUrl, events: ["reminder.due"] })
    )
    const reminding = (many: number, isFollowedFirst: boolean) =>
      asOwner(() =>
        Effect.gen(function* () {
          if (isFollowedFirst) yield* follow
          yield* remindIn(1, many)
          if (!isFollowedFirst) yield* follow
          return (yield* Caller).account.id as string
        })
      )
    // Accounts have their turns in the order of what they are followed from.
    const [greedy, modest] = [yield* reminding(1_010, true), yield* reminding(1, false)]
    const { operations } = yield* Announcements
    while ((yield* operations) !== "nothing");
    expect(order.slice(0, 4)).toStrictEqual([greedy, modest, greedy, greedy])
    expect(yield* (yield* WebhookStore).dueMoments(addMillis(noon, 60_000), 2_000, [])).toHaveLength(1_011)
  }).pipe(Effect.provide(announcements.pipe(Layer.provideMerge(Layer.fresh(storage)))))
})

it.effect("long texts are announced a few at a time, and long notes are cut", () => {
  const stored: Array<ReadonlyArray<NewDelivery>> = []
  const watched = Layer.effect(
    WebhookStore,
    Effect.map(WebhookStore, (store) =>
      WebhookStore.of({
        ...store,
        settle: (owner, settled) =>
          Effect.andThen(
            Effect.sync(() => stored.push(settled.flatMap(({ deliveries }) => deliveries))),
            store.settle(owner, settled)
          )
      })
    )
  )
  const announcements = Announcements.layer.pipe(Layer.provide(watched))
  return Effect.gen(function* () {
    yield* TestClock.setTime(noon)
    yield* asOwner(() =>
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        for (let at = 0; at < 10; at++)
          yield* webhooks.create({ url: "https://a.example/" as AllowedUrl, events: ["reminder.due"] })
        const { id: list_id } = yield* listNamed("A list")
        for (let at = 0; at < 10; at++) {
          const { id } = yield* make({ text: "T".repeat(10_000), note: "n".repeat(1_000_000), list_id })
          yield* remind(id, { at: new Date(noon + 60_000).toISOString() })
        }
      })
    )
    const { operations, reminders } = yield* Announcements
    while ((yield* operations) !== "nothing");
    yield* TestClock.setTime(noon + 120_000)
    while ((yield* reminders) !== "nothing");
    const events = stored.flat().map(({ body }) => JSON.parse(body) as { data: { thing: { note: string } } })
    expect(events).toHaveLength(100)
    expect(new Set(events.map(({ data }) => data.thing.note))).toStrictEqual(new Set([`${"n".repeat(10_000)}…`]))
    const lengths = stored.map((each) => each.reduce((sum, { body }) => sum + body.length, 0))
    expect(lengths.every((length) => length <= 1_000_000)).toBe(true)
  }).pipe(Effect.provide(announcements.pipe(Layer.provideMerge(Layer.fresh(storage)))))
})

describe("reminders that were due while no server ran", () => {
  const hour = 3_600_000
  const running = Announcements.layer.pipe(Layer.provideMerge(Layer.fresh(storage)))

  /** The due times of the waiting deliveries, and how late they are. */
  const waiting = Effect.fnUntraced(function* () {
    const store = yield* WebhookStore
    const leases = yield* store.lease(addMillis(noon, 1_000 * hour), 60_000, 10)
    return leases
      .map(({ delivery }) => JSON.parse(delivery.body) as { readonly data: Readonly<Record<string, unknown>> })
      .map(({ data }) => [data["due_at"], data["late_by_seconds"]])
      .toSorted()
  })

  const reminded = Effect.fnUntraced(function* (hours: number, more: object = {}) {
    const { id: list_id } = yield* listNamed("A list")
    const thing = yield* make({ text: "Water the plants", list_id })
    yield* remind(thing.id, { at: new Date(noon + hours * hour).toISOString(), ...more })
    return thing.id
  })

  const hook = Effect.flatMap(Webhooks, ({ create }) =>
    create({ url: "https://a.example/" as AllowedUrl, events: ["reminder.due"] })
  )

  const whole = (minutes: string) => `${minutes}:00.000Z`

  const listening = () => {
    const logged: Array<string> = []
    return { logged, logger: Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))]) }
  }

  const asSomebody = <A, E, R>(test: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* Effect.provideService(test, Caller, yield* asOwner(() => Caller))
    }).pipe(Effect.provide(running))

  it.effect("are sent if they are of the last 24 hours; older ones are skipped and logged", () => {
    const { logged, logger } = listening()
    return asSomebody(
      Effect.gen(function* () {
        const { operations, reminders } = yield* Announcements
        yield* hook
        for (const hours of [1, 29]) yield* reminded(hours)
        yield* reminded(6, { alert_minutes: 30 })
        while ((yield* operations) !== "nothing");
        yield* TestClock.setTime(noon + 30 * hour)
        while ((yield* reminders) !== "nothing");
        expect(yield* waiting()).toStrictEqual([
          ["2026-11-21T18:00:00.000Z", 24 * 3_600],
          ["2026-11-22T17:00:00.000Z", 3_600]
        ])
        expect(logged.filter((line) => line.includes("Skipped 2 reminders"))).toHaveLength(1)
      })
    ).pipe(Effect.provide(logger))
  })

  /** The moments of things that are left. */
  const momentsOf = (things: ReadonlyArray<ThingId>) =>
    Effect.gen(function* () {
      const { account } = yield* Caller
      return yield* (yield* WebhookStore).momentsOf(account.id, things)
    })

  it.effect("are dropped when their thing is done or gone, or when they are", () =>
    asSomebody(
      Effect.gen(function* () {
        const { operations, reminders } = yield* Announcements
        yield* hook
        const { id: closed } = yield* make({ text: "Done already", list_id: (yield* listNamed("B list")).id })
        yield* patch(closed, { completed: true })
        yield* remind(closed, { at: new Date(noon + hour).toISOString() })
        const [done, gone, cleared, open] = yield* Effect.replicateEffect(reminded(1), 4)
        const made = [closed, done!, gone!, cleared!, open!]
        while ((yield* operations) !== "nothing");
        yield* patch(done!, { completed: true })
        yield* (yield* Things).remove(gone!)
        yield* (yield* Reminders).remove(cleared!)
        expect(yield* momentsOf(made)).toHaveLength(5)
        yield* TestClock.setTime(noon + 2 * hour)
        expect(yield* reminders).toBe("done")
        expect(yield* momentsOf(made)).toHaveLength(0)
        expect(yield* reminders).toBe("nothing")
        const leases = yield* (yield* WebhookStore).lease(addMillis(noon, 2 * hour), 60_000, 10)
        expect(leases.map(({ delivery }) => delivery.notification.path)).toStrictEqual([`/things/${open}`])
      })
    )
  )

  it.effect("are dropped with all that come later when the last webhook that wants them was switched off", () =>
    asSomebody(
      Effect.gen(function* () {
        const { operations, reminders } = yield* Announcements
        const store = yield* WebhookStore
        yield* hook
        const [first, ...later] = [yield* reminded(1), yield* reminded(2), yield* reminded(5)] as const
        while ((yield* operations) !== "nothing");
        yield* TestClock.setTime(noon + hour)
        while ((yield* reminders) !== "nothing");
        const at = addMillis(noon, hour)
        const gone = { status: 410, text: "", durationMillis: 1, retryAfter: null }
        const leases = yield* store.lease(at, 60_000, 10)
        expect(leases.map(({ delivery }) => delivery.notification.path)).toStrictEqual([`/things/${first}`])
        yield* store.finish([outcomeOf(leases[0]!, gone, at, 0)], failingLimit)
        expect(yield* momentsOf(later)).toHaveLength(2)
        yield* TestClock.setTime(noon + 2 * hour)
        expect(yield* reminders).toBe("done")
        expect(yield* momentsOf(later)).toHaveLength(0)
        expect(yield* reminders).toBe("nothing")
        expect(yield* waiting()).toHaveLength(0)
      })
    )
  )

  it.effect.each([
    [59_999, /^Due now \(A list\)$/],
    [60_000, /^Due 2026-11-2\d \d\d:00 \(A list\)$/]
  ] as const)("name their due time from a minute on: after %i ms", ([late, title]) =>
    asSomebody(
      Effect.gen(function* () {
        const { operations, reminders } = yield* Announcements
        yield* hook
        yield* reminded(1)
        while ((yield* operations) !== "nothing");
        yield* TestClock.setTime(noon + hour + late)
        while ((yield* reminders) !== "nothing");
        const leases = yield* (yield* WebhookStore).lease(addMillis(noon, 2 * hour), 60_000, 10)
        expect(leases.map(({ delivery }) => delivery.notification.title)).toStrictEqual([expect.stringMatching(title)])
      })
    )
  )

  it.effect("are skipped with a single log line, however many they are", () => {
    const { logged, logger } = listening()
    return asSomebody(
      Effect.gen(function* () {
        const { operations, reminders } = yield* Announcements
        for (let made = 0; made < 10; made++) yield* hook
        for (let made = 0; made < 60; made++) yield* reminded(1)
        while ((yield* operations) !== "nothing");
        yield* TestClock.setTime(noon + 30 * hour)
        while ((yield* reminders) !== "nothing");
        expect(logged.filter((line) => line.includes("Skipped"))).toStrictEqual([
          expect.stringMatching(/^Skipped 60 reminders of the account/)
        ])
      })
    ).pipe(Effect.provide(logger))
  })

  it.effect("are sent although the account changed its time zone meanwhile", () =>
    asSomebody(
      Effect.gen(function* () {
        const { operations, reminders } = yield* Announcements
        const { account } = yield* Caller
        yield* hook
        yield* reminded(1)
        while ((yield* operations) !== "nothing");
        yield* TestClock.setTime(noon + 2 * hour)
        yield* (yield* Accounts).update(account.id, { timezone: "America/New_York" })
        while ((yield* operations) !== "nothing");
        while ((yield* reminders) !== "nothing");
        expect(yield* waiting()).toStrictEqual([["2026-11-21T13:00:00.000Z", 3_600]])
      })
    )
  )

  it.effect.each([
    ["years, and skipped them", 24_000],
    ["hours, and announced them early", 6]
  ] as const)("are sent once if a clock was ahead for a moment, by %s", ([, hours]) => {
    const { logged, logger } = listening()
    return asSomebody(
      Effect.gen(function* () {
        const { operations, reminders } = yield* Announcements
        yield* hook
        yield* reminded(1, { repeat: "daily" })
        yield* reminded(2)
        while ((yield* operations) !== "nothing");
        yield* TestClock.setTime(noon + hours * hour)
        while ((yield* reminders) !== "nothing");
        yield* listNamed("Another")
        while ((yield* operations) !== "nothing");
        yield* TestClock.setTime(noon + 0.5 * hour)
        yield* correctWebhookClocks
        yield* correctWebhookClocks
        expect(logged.filter((line) => line.startsWith("Webhooks of an account were dated ahead"))).toHaveLength(1)
        for (const later of [1, 2, 3]) {
          while ((yield* operations) !== "nothing");
          yield* TestClock.setTime(noon + later * hour)
          while ((yield* reminders) !== "nothing");
        }
        yield* TestClock.setTime(noon + 26 * hour)
        while ((yield* reminders) !== "nothing");
        const due = (yield* waiting()).map(([at]) => String(at)).filter((at) => at < "2027")
        expect(due).toStrictEqual(["2026-11-21T13:00", "2026-11-21T14:00", "2026-11-22T13:00"].map(whole))
      })
    ).pipe(Effect.provide(logger))
  })

  it.effect("are sent to a webhook that a clock ahead has made, also before that is corrected", () =>
    asSomebody(
      Effect.gen(function* () {
        const { operations, reminders } = yield* Announcements
        yield* TestClock.setTime(noon + 2 * hour)
        yield* hook
        while ((yield* operations) !== "nothing");
        yield* TestClock.setTime(noon)
        yield* reminded(1)
        while ((yield* operations) !== "nothing");
        yield* TestClock.setTime(noon + hour)
        while ((yield* reminders) !== "nothing");
        yield* correctWebhookClocks
        while ((yield* operations) !== "nothing");
        while ((yield* reminders) !== "nothing");
        expect(yield* waiting()).toStrictEqual([["2026-11-21T13:00:00.000Z", 0]])
      })
    )
  )
})
