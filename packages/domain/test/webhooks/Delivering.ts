import { NodeCrypto } from "@effect/platform-node"
import { layer as memory } from "@lists-and-things/storage-memory/MemoryStorage"
import { asOwner, listNamed, make, remind } from "@lists-and-things/testing/AsOwner"
import { noon } from "@lists-and-things/testing/Fixtures"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Caller } from "../../src/model/Caller.ts"
import { StorageUnavailable } from "../../src/model/Errors.ts"
import { WebhookStore } from "../../src/ports/WebhookStore.ts"
import { type WebhookAnswer, WebhookTransport } from "../../src/ports/WebhookTransport.ts"
import { useCases } from "../../src/UseCases.ts"
import { delivererLayer } from "../../src/webhooks/Deliverer.ts"
import { type AllowedUrl, type NewWebhook, Webhooks } from "../../src/webhooks/Webhooks.ts"

/** The fields of an event that the tests read. */
interface Event {
  readonly type: string
  readonly data: {
    readonly alert: string | null
    readonly due_at: string
    readonly late_by_seconds: number
    readonly reminder: { readonly at: string }
    readonly operation: { readonly at: string }
    readonly entities: ReadonlyArray<unknown>
    readonly truncated: boolean
  }
}

/** The events that arrived, and the answers of receivers by URL. */
export interface DeliveryFixture {
  readonly arrived: Array<{ readonly url: string; readonly at: number; readonly id: string; readonly event: Event }>
  answer: (url: string) => Effect.Effect<Partial<WebhookAnswer>>
  /** Whether the deliverer cannot reach the storage. */
  isCutOff: boolean
  /** Number of polls for operations so far, and what each of them waits for. */
  readonly polls: { count: number; wait: Effect.Effect<void> }
}

const transport = (fixture: DeliveryFixture) =>
  Layer.succeed(WebhookTransport, {
    refusal: () => Effect.succeed(undefined),
    send: ({ body, headers, url }) =>
      Effect.gen(function* () {
        const at = yield* Clock.currentTimeMillis
        const event = JSON.parse(body) as Event
        fixture.arrived.push({ url, at: at - noon, id: headers["webhook-id"]!, event })
        return { status: 200, text: "", retryAfter: null, durationMillis: 1, ...(yield* fixture.answer(url)) }
      })
  })

const cutOff = Effect.fail(new StorageUnavailable({ outcome: "not-applied", cause: new Error("cut off") }))

const polling = <A, E>({ polls }: DeliveryFixture, poll: Effect.Effect<A, E>) =>
  Effect.suspend(() => {
    polls.count++
    return Effect.andThen(polls.wait, poll)
  })

/** The storage as the deliverer sees it. */
const breakable = (fixture: DeliveryFixture) =>
  Layer.effect(
    WebhookStore,
    Effect.map(WebhookStore, (store) => ({
      ...store,
      isNeeded: Effect.suspend(() => (fixture.isCutOff ? cutOff : store.isNeeded)),
      followed: (max) => (fixture.isCutOff ? cutOff : polling(fixture, store.followed(max))),
      dueMoments: (...asked) => (fixture.isCutOff ? cutOff : store.dueMoments(...asked)),
      lease: (...asked) => (fixture.isCutOff ? cutOff : store.lease(...asked))
    }))
  )

const storage = useCases.pipe(Layer.provideMerge(memory), Layer.provideMerge(NodeCrypto.layer))

type Services = Layer.Success<typeof storage>

/** Runs a test as a new account at noon, with a deliverer on a simulated clock. */
export const delivering = (
  test: (fixture: DeliveryFixture) => Effect.Effect<void, unknown, Services | Caller>,
  pollMillis?: number
): Effect.Effect<void, unknown> => {
  const fixture: DeliveryFixture = {
    arrived: [],
    answer: () => Effect.succeed({}),
    isCutOff: false,
    polls: { count: 0, wait: Effect.void }
  }
  const running = delivererLayer(Effect.succeed("https://lists.example"), pollMillis)
  const layer = running.pipe(
    Layer.provide(breakable(fixture)),
    Layer.provideMerge(Layer.fresh(storage)),
    Layer.provideMerge(transport(fixture))
  )
  const asSomebody = Effect.gen(function* () {
    const caller = yield* asOwner(() => Caller)
    yield* Effect.provideService(test(fixture), Caller, caller)
  })
  // Set before anything sleeps: a simulated clock passes through every moment on its way.
  return Effect.andThen(TestClock.setTime(noon), Effect.provide(asSomebody, layer))
}

export const hook = (given: Partial<NewWebhook> = {}) =>
  Effect.flatMap(Webhooks, ({ create }) =>
    create({ url: "https://a.example/" as AllowedUrl, events: ["reminder.due"], ...given })
  )

export const minute = 60_000
export const hour = 60 * minute
export const iso = (millis: number) => new Date(noon + millis).toISOString()

/** A thing with a reminder this many milliseconds after noon. */
export const reminded = (millis: number, more: object = {}) =>
  Effect.gen(function* () {
    const { id: list_id } = yield* listNamed("A list")
    const thing = yield* make({ text: "Water the plants", list_id })
    yield* remind(thing.id, { at: iso(millis), ...more })
    return thing
  })

/** Lets time pass in steps, so that fibers that wait for each other can continue. */
export const pass = (millis: number, step = 500) =>
  Effect.forEach(Array.from({ length: Math.ceil(millis / step) }), () => TestClock.adjust(step), { discard: true })
