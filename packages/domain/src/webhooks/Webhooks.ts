import { type Brand, Context, Effect, Latch, Layer } from "effect"
import * as Crypto from "effect/Crypto"
import { instantOf } from "../days/IsoTime.ts"
import type { CreateWebhookInput, UpdateWebhookInput } from "../json/WebhookJson.ts"
import { type Caller, callerWith } from "../model/Caller.ts"
import { currentTime, type EpochMillis, msPerDay } from "../model/EpochMillis.ts"
import {
  type AccessError,
  Conflict,
  type Forbidden,
  InvalidInput,
  NotFound,
  partlyApplied,
  type StorageUnavailable
} from "../model/Errors.ts"
import { type AccountId, DeliveryId, Ids, WebhookId } from "../model/Ids.ts"
import { scopes } from "../model/Scope.ts"
import { type Delivery, type NewDelivery, neverDelivered, type Webhook } from "../model/Webhook.ts"
import { type Page, Storage } from "../ports/Storage.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { WebhookTransport } from "../ports/WebhookTransport.ts"
import { shownId } from "../targets/UnknownId.ts"
import { isSuccess, reasonToDisable } from "./Attempts.ts"
import { mintWebhookSecret, rotated } from "./Secrets.ts"
import { droppedEvents } from "./WebhookChanges.ts"
import { eventBody, requestOf } from "./Formats.ts"
import { traced } from "../scheduling/Traced.ts"

export const deliveriesPerPage = 50

/** More pages of deliveries are ended or removed in steps: one transaction could take too long. */
const pagesAtOnce = 40

/** Webhooks that an account can have. */
export const maxWebhooks = 20

/** A URL that a webhook may go to, as far as is known now. */
export type AllowedUrl = Brand.Branded<string, "AllowedUrl">

/** How long the log keeps a delivery, in milliseconds. */
export const deliveryLifetime = 7 * msPerDay

/** Opened when this process has changed webhooks, so that an idle deliverer polls at once. */
export const WebhooksChanged = Context.Reference<Latch.Latch>("@lists-and-things/domain/webhooks/WebhooksChanged", {
  defaultValue: () => Latch.makeUnsafe()
})

/** A webhook to be made, whose URL was checked (`Webhooks.allow`). */
export interface NewWebhook extends Omit<CreateWebhookInput, "url"> {
  readonly url: AllowedUrl
}

/** Omitted fields stay as they are. */
export interface WebhookPatch extends Omit<UpdateWebhookInput, "url"> {
  readonly url?: AllowedUrl
}

type ReadError = NotFound | AccessError
type WriteError = ReadError | InvalidInput

/** The webhooks of the caller's account (docs/decisions.md#webhooks). Every method requires all five scopes. */
export class Webhooks extends Context.Service<
  Webhooks,
  {
    /** By `created`. */
    readonly list: Effect.Effect<ReadonlyArray<Webhook>, AccessError, Caller>
    /** Whether it is on or off. */
    readonly get: (id: string) => Effect.Effect<Webhook, ReadError, Caller>
    /**
     * Checks whether webhooks may go to a URL. It resolves the host's name, so it must not run within a transaction. The
     * reason of `InvalidInput` is that of `WebhookTransport.refusal`.
     */
    readonly allow: (url: string) => Effect.Effect<AllowedUrl, Forbidden | InvalidInput, Caller>
    /** It is told of what is due or written from now on. `InvalidInput` beyond `maxWebhooks` of an account. */
    readonly create: (input: NewWebhook) => Effect.Effect<Webhook, WriteError, Caller>
    /**
     * Switched on again, it is told of what is due or written from then on. What waits of an event that is taken off
     * ends, if there are thousands before anything else: if the storage is lost meanwhile, that stays, and the error has
     * the outcome `unknown`.
     */
    readonly update: (id: string, patch: WebhookPatch) => Effect.Effect<Webhook, WriteError, Caller>
    /** A new secret; the one before signs on for 24 hours. */
    readonly rotate: (id: string) => Effect.Effect<Webhook, ReadError, Caller>
    /**
     * Removing one that does not exist succeeds. One with thousands of deliveries is switched off and emptied first: if
     * the storage is lost meanwhile, it stays so, and the error has the outcome `unknown`.
     */
    readonly remove: (id: string) => Effect.Effect<void, ReadError, Caller>
    /**
     * Sends a `ping` now, whether the webhook is on or not, and waits for the answer, so it must not run within a
     * transaction. Returns an effect that stores the delivery in the log, and what a 410 does to the webhook.
     */
    readonly test: (id: string) => Effect.Effect<Effect.Effect<Delivery, StorageUnavailable>, ReadError, Caller>
    /** Newest first, 50 per page, of which the first is 0. */
    readonly deliveries: (id: string, page: number) => Effect.Effect<Page<Delivery>, ReadError, Caller>
    /** Sends a delivery once more, as it was. `Conflict` while the webhook is off, as `replaySince`. */
    readonly replay: (id: string, delivery: string) => Effect.Effect<Delivery, Conflict | ReadError, Caller>
    /**
     * Sends the deliveries since a time (inclusive) that failed or were never sent; returns how many. What happened
     * while the webhook was off made none.
     */
    readonly replaySince: (id: string, since: string) => Effect.Effect<number, Conflict | ReadError, Caller>
  }
>()("@lists-and-things/domain/webhooks/Webhooks") {
  static readonly layer = Layer.effect(
    Webhooks,
    Effect.gen(function* () {
      const storage = yield* Storage
      const store = yield* WebhookStore
      const transport = yield* WebhookTransport
      const ids = yield* Ids
      const crypto = yield* Crypto.Crypto
      const changedLatch = yield* WebhooksChanged

      const owner = callerWith(...scopes)
      const mintSecret = Effect.provideService(mintWebhookSecret, Crypto.Crypto, crypto)

      const allow = traced("Webhooks.allow")(function* (url: string) {
        yield* owner
        const reason = yield* transport.refusal(url)
        if (reason !== undefined) return yield* new InvalidInput({ field: "url", reason })
        return url as AllowedUrl
      })

      const found = Effect.fnUntraced(function* (account: AccountId, id: string) {
        return (yield* store.get(account, id)) ?? (yield* unknownWebhook(id))
      })

      const hasMany = (account: AccountId, id: string) =>
        Effect.map(store.deliveries(account, id, pagesAtOnce, deliveriesPerPage), ({ items }) => items.length > 0)

      /** Stores a webhook and whether the account is followed, which depends on all of them. */
      const change = <A, E>(
        account: AccountId,
        write: (writeTimestamp: EpochMillis, now: EpochMillis) => Effect.Effect<A, E>
      ) =>
        storage
          .transact(account, (writeTimestamp) =>
            Effect.gen(function* () {
              const now = yield* currentTime
              const answer = yield* write(writeTimestamp, now)
              yield* store.follow(account, writeTimestamp, now)
              return answer
            })
          )
          .pipe(Effect.tap(changedLatch.open))

      const list = Effect.flatMap(owner, ({ account }) => store.list(account.id))

      const get = traced("Webhooks.get")(function* (id: string) {
        const { account } = yield* owner
        return yield* found(account.id, id)
      })

      const create = traced("Webhooks.create")(function* (input: NewWebhook) {
        const { account, by } = yield* owner
        const id = WebhookId.make(yield* ids.next)
        const secret = yield* mintSecret
        return yield* change(account.id, (writeTimestamp, now) =>
          Effect.gen(function* () {
            if ((yield* store.list(account.id)).length >= maxWebhooks) return yield* tooMany
            const webhook: Webhook = {
              ...neverDelivered,
              id,
              owner: account.id,
              url: input.url,
              events: input.events,
              format: input.format ?? "standard",
              description: input.description ?? "",
              enabled: input.enabled ?? true,
              disabledReason: null,
              secret,
              created: now,
              madeBy: by.type === "key" ? by.id : null,
              since: now,
              afterWrite: writeTimestamp
            }
            yield* store.insert(webhook)
            return webhook
          })
        )
      })

      const update = traced("Webhooks.update")(function* (id: string, patch: WebhookPatch) {
        const { account } = yield* owner
        const stored = change(account.id, (writeTimestamp, now) =>
          Effect.gen(function* () {
            const before = yield* found(account.id, id)
            const webhook = patched(before, patch, writeTimestamp, now)
            yield* store.update(webhook)
            return webhook
          })
        )
        // Much may wait, and the account's other writes would wait with it.
        if (patch.enabled === true) yield* store.clear(account.id, id, "waiting")
        const before = yield* found(account.id, id)
        const { enabled = before.enabled, events = before.events } = patch
        const dropped = droppedEvents(before, { enabled, events })
        if (dropped.length === 0 || !(yield* hasMany(account.id, id))) return yield* stored
        return yield* inSteps(Effect.andThen(store.endWaiting(account.id, id, dropped), stored))
      })

      const rotate = traced("Webhooks.rotate")(function* (id: string) {
        const { account } = yield* owner
        const secret = yield* mintSecret
        return yield* storage.transact(account.id, () =>
          Effect.gen(function* () {
            const before = yield* found(account.id, id)
            const webhook = { ...before, ...rotated(before, secret, yield* currentTime) }
            yield* store.update(webhook)
            return webhook
          })
        )
      })

      /** Switches a webhook off and removes its deliveries, in steps that commit. */
      const emptied = Effect.fnUntraced(function* (webhook: Webhook) {
        const { enabled, id, owner } = webhook
        if (enabled) yield* change(owner, () => store.update({ ...webhook, enabled: false }))
        yield* store.clear(owner, id, "all")
      })

      const remove = traced("Webhooks.remove")(function* (id: string) {
        const { account } = yield* owner
        const webhook = yield* store.get(account.id, id)
        if (webhook === undefined) return
        if (yield* hasMany(account.id, id)) yield* inSteps(emptied(webhook))
        yield* change(account.id, () => store.remove(account.id, id))
      })

      const test = traced("Webhooks.test")(function* (id: string) {
        const { account } = yield* owner
        const webhook = yield* found(account.id, id)
        const at = yield* currentTime
        const ping = pingOf(webhook, yield* ids.next, at)
        const { durationMillis, status, text } = yield* transport.send(requestOf(webhook, ping, at, ""))
        const outcome = { at: yield* currentTime, isSuccess: isSuccess(status), status, durationMillis, answer: text }
        const { body: _body, notification: _notification, position: _position, ...sent } = ping
        const tried = { attempts: 1, status, durationMillis, answer: text, nextAttempt: null }
        const reason = reasonToDisable(status)
        return store
          .log(account.id, ping, outcome)
          .pipe(
            Effect.andThen(reason === null ? Effect.void : disable(webhook, reason)),
            Effect.as({ ...sent, ...tried, owner: account.id })
          )
      })

      /** Switches it off for what its address answered, unless it has another address by now. */
      const disable = ({ id, owner, url }: Webhook, disabledReason: string) =>
        change(owner, () =>
          Effect.gen(function* () {
            const webhook = yield* store.get(owner, id)
            if (webhook?.enabled !== true || webhook.url !== url) return
            yield* store.update({ ...webhook, enabled: false, disabledReason })
          })
        ).pipe(Effect.catchTag("NotFound", () => Effect.void))

      const deliveries = traced("Webhooks.deliveries")(function* (id: string, page: number) {
        const { account } = yield* owner
        const webhook = yield* found(account.id, id)
        const log = yield* store.deliveries(account.id, id, page, deliveriesPerPage)
        return webhook.enabled ? log : { ...log, items: log.items.map((each) => ({ ...each, nextAttempt: null })) }
      })

      const enabledOne = Effect.fnUntraced(function* (id: string) {
        const { account } = yield* owner
        const webhook = yield* found(account.id, id)
        if (!webhook.enabled) return yield* isOff
        return account
      })

      const replay = traced("Webhooks.replay")(function* (id: string, delivery: string) {
        const account = yield* enabledOne(id)
        yield* store.replay(account.id, id, delivery, yield* currentTime)
        return (yield* store.delivery(account.id, id, delivery)) ?? (yield* unknownDelivery(delivery))
      })

      const replaySince = traced("Webhooks.replaySince")(function* (id: string, since: string) {
        const account = yield* enabledOne(id)
        return yield* store.replaySince(account.id, id, instantOf(since, account.timezone), yield* currentTime)
      })

      return Webhooks.of({ list, get, allow, create, update, rotate, remove, test, deliveries, replay, replaySince })
    })
  )
}

const inSteps = <A>(change: Effect.Effect<A, NotFound | StorageUnavailable>) =>
  Effect.catchTag(change, "StorageUnavailable", (error) => Effect.fail(partlyApplied(error)))

/** Switching it on starts anew: nothing that was due before is announced. */
const patched = (
  before: Webhook,
  { description, enabled, events, format, url }: WebhookPatch,
  writeTimestamp: EpochMillis,
  now: EpochMillis
): Webhook => {
  const webhook = {
    ...before,
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events }),
    ...(format !== undefined && { format }),
    ...(description !== undefined && { description })
  }
  if (enabled === undefined || enabled === before.enabled) return webhook
  const switched = { ...webhook, enabled, disabledReason: null }
  return enabled ? { ...switched, since: now, afterWrite: writeTimestamp } : switched
}

const pingOf = (webhook: Webhook, id: string, at: EpochMillis): NewDelivery => ({
  id: DeliveryId.make(id),
  webhookId: webhook.id,
  event: "ping",
  messageId: `ping_${id}`,
  created: at,
  body: eventBody("ping", at, {}),
  notification: { title: "Lists and Things", text: "This webhook works.", tag: "white_check_mark" },
  position: at
})

export const unknownWebhook = (id: string): NotFound =>
  new NotFound({ message: `No webhook of yours has the id ${shownId(id)}.` })

const unknownDelivery = (id: string): NotFound =>
  new NotFound({ message: `This webhook has no delivery with the id ${shownId(id)}: they are kept for seven days.` })
const isOff = new Conflict({ message: "This webhook is switched off: switch it on first, then replay." })
const tooMany = new InvalidInput({
  field: "",
  reason: `An account can have at most ${maxWebhooks} webhooks: delete one that is not needed any more.`
})
