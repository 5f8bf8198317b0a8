import { expect } from "@effect/vitest"
import { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { type AccountId, DeliveryId, WebhookId } from "@lists-and-things/domain/model/Ids"
import type { NewDelivery, Webhook } from "@lists-and-things/domain/model/Webhook"
import { type Lease, WebhookStore } from "@lists-and-things/domain/ports/WebhookStore"
import { Effect } from "effect"
import { freshId, newAccount, noon, type Plain, timed } from "./Fixtures.ts"

export const minute = 60_000
export const limit = { millis: 60 * minute, reason: "Nothing arrives." }

export const webhook = (owner: AccountId, overrides: Partial<Plain<Webhook>> = {}): Webhook =>
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
    formerSecrets: [],
    created: noon,
    lastSuccess: null,
    lastFailure: null,
    failingSince: null,
    madeBy: null,
    since: noon,
    afterWrite: noon,
    ...overrides
  })

export const delivery = (of: Webhook, overrides: Partial<Plain<NewDelivery>> = {}): NewDelivery =>
  timed<NewDelivery>({
    id: DeliveryId.make(freshId()),
    webhookId: of.id,
    event: "reminder.due",
    messageId: freshId(),
    created: noon,
    body: `{"type":"reminder.due","text":"\\u0001 \\" 🦊"}`,
    notification: { title: "Reminder", text: "Line\nbreak 🦊", path: "/things/1", tag: "bell" },
    position: noon,
    ...overrides
  })

export const newWebhook = Effect.fnUntraced(function* (overrides: Partial<Plain<Webhook>> = {}) {
  const { id: owner } = yield* newAccount()
  const made = webhook(owner, overrides)
  const store = yield* WebhookStore
  yield* store.insert(made)
  yield* store.follow(owner, noon, noon)
  return { made, owner, store }
})

/** Adds deliveries like the announcement of an operation. */
export const added = Effect.fnUntraced(function* (of: Webhook, deliveries: ReadonlyArray<NewDelivery>) {
  expect(yield* (yield* WebhookStore).advance(of.owner, noon, noon, { deliveries })).toBe(true)
  return deliveries
})

/** Leases due deliveries and returns those of the owner, since all tests share the storage. */
export const leasesOf = Effect.fnUntraced(function* (owner: AccountId, now: number = noon, millis = minute) {
  const leases = yield* (yield* WebhookStore).lease(EpochMillis(now), millis, 1_000)
  return leases.filter(({ delivery }) => delivery.owner === owner)
})

export const idsOf = (leases: ReadonlyArray<Lease>) => leases.map((each) => each.delivery.id)

export const outcome = (lease: Lease, status: number | null, at: number = noon, next: number | null = null) => ({
  lease,
  at: EpochMillis(at),
  isSuccess: status === 200,
  status,
  durationMillis: 12,
  answer: "what came back",
  nextAttempt: next === null ? null : EpochMillis(next),
  disabledReason: status === 410 ? "Gone." : null
})
