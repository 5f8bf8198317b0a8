import { Effect } from "effect"
import { HistoryRetention, operationLifetime } from "../history/HistoryRetention.ts"
import type { Account } from "../model/Account.ts"
import { addMillis, currentTime, earlierOf, type EpochMillis } from "../model/EpochMillis.ts"
import { type AccountId, DeliveryId, Ids, ThingId } from "../model/Ids.ts"
import type { EntityKey } from "../model/Operation.ts"
import type { Reminder } from "../model/Reminder.ts"
import type { NewDelivery, Webhook } from "../model/Webhook.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { type Following, HistoryStore } from "../ports/HistoryStore.ts"
import { isTimed, ReminderStore, type TimeReminder } from "../ports/ReminderStore.ts"
import { type FollowedAccount, type NextMoment, WebhookStore } from "../ports/WebhookStore.ts"
import { forEachIsolated, pollResult, shareOf } from "./AnnouncementTurns.ts"
import { announcementsAt, clockOf, nextMoment, type OwnerClock } from "./Moments.ts"
import { makeOperationEvents, operationNotification } from "./OperationEvents.ts"
import { maxLateness } from "./ReminderEvents.ts"

/** Accounts per pass; keys of operations, and operations, per step. */
const [accountsPerPass, keysPerStep, operationsPerStep] = [100, 500, 50]

/** Makes what announces operations and keeps the moments of reminders: `Announcements.operations`. */
export const makeOperationAnnouncements = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const history = yield* HistoryStore
  const reminders = yield* ReminderStore
  const store = yield* WebhookStore
  const ids = yield* Ids
  const retention = yield* HistoryRetention
  const bodyOf = yield* makeOperationEvents

  /** The reminders that operations named, or else their things, each with the first time of that. */
  const namedReminders = Effect.fnUntraced(function* (owner: AccountId, operations: ReadonlyArray<Following>) {
    const keys = operations.flatMap((operation) => operation.keys)
    const ofType = (type: EntityKey["type"]) => [
      ...new Set(keys.filter((key) => key.type === type).map(({ id }) => id))
    ]
    const reminderIds = ofType("reminder")
    const found: ReadonlyArray<Reminder> = [
      ...(yield* reminders.ofThings(
        owner,
        ofType("thing").map((id) => ThingId.make(id))
      )),
      ...(reminderIds.length === 0
        ? []
        : (yield* history.current(
            owner,
            reminderIds.map((id) => ({ type: "reminder", id }))
          )).flatMap((entity) => (entity.type === "reminder" ? [entity.value] : [])))
    ]
    const firstNamed = new Map<string, EpochMillis>()
    for (const { at, keys: named } of operations.toReversed()) for (const { id } of named) firstNamed.set(id, at)
    return [...new Map(found.map((reminder) => [reminder.id, reminder])).values()].map((reminder) => ({
      reminder,
      since: firstNamed.get(reminder.id) ?? firstNamed.get(reminder.thingId)!
    }))
  })

  /**
   * A moment that still belongs to its reminder is kept, so that nothing is missed that was not announced yet. An
   * earlier one is restored if a fast clock had passed over it; what was announced is not delivered twice.
   */
  const putMoments = Effect.fnUntraced(function* (
    owner: AccountId,
    clock: OwnerClock,
    writeTimestamp: EpochMillis,
    changed: ReadonlyArray<{ readonly reminder: Reminder; readonly since: EpochMillis }>
  ) {
    if (changed.length === 0) return
    const known = new Map(
      (yield* store.momentsOf(
        owner,
        changed.map(({ reminder }) => reminder.thingId)
      )).map((moment) => [moment.thingId, moment.dueAt])
    )
    const moments = changed.map(({ reminder, since }): NextMoment => ({
      thingId: reminder.thingId,
      writeTimestamp,
      dueAt: isTimed(reminder) ? kept(reminder, clock, known.get(reminder.thingId), since) : undefined
    }))
    yield* store.putMoments(owner, moments)
  })

  /** Of accounts whose moments are being recomputed: since when, and up to which thing. */
  const recomputed = new Map<AccountId, { readonly since: EpochMillis; readonly last: ThingId }>()

  /** The next reminders of an account in their turn; other accounts have theirs in between. */
  const recompute = Effect.fnUntraced(function* (account: Account, { rebuildFrom, writeTimestamp }: FollowedAccount) {
    const { id: owner } = account
    const since = rebuildFrom!
    const before = recomputed.get(owner)
    const batch = yield* reminders.after(owner, before?.since === since ? before.last : undefined, keysPerStep)
    yield* putMoments(
      owner,
      clockOf(account),
      writeTimestamp,
      batch.map((reminder) => ({ reminder, since }))
    )
    if (batch.length === keysPerStep) return void recomputed.set(owner, { since, last: batch.at(-1)!.thingId })
    recomputed.delete(owner)
    yield* store.advance(owner, writeTimestamp, writeTimestamp, { deliveries: [], rebuilt: since })
  })

  const deliveriesOf = Effect.fnUntraced(function* (
    account: Account,
    webhooks: ReadonlyArray<Webhook>,
    operations: ReadonlyArray<Following>,
    now: EpochMillis
  ) {
    const deliveries: Array<NewDelivery> = []
    for (const { at, id } of operations) {
      const told = webhooks.filter(({ afterWrite, events }) => events.includes("operation") && at > afterWrite)
      const operation = told.length === 0 ? undefined : yield* history.get(account.id, id)
      if (operation === undefined) continue
      const event = {
        event: "operation" as const,
        messageId: `operation_${id}`,
        created: now,
        position: at,
        body: yield* bodyOf(operation, account.timezone),
        notification: operationNotification(operation)
      }
      for (const webhook of told)
        deliveries.push({ ...event, webhookId: webhook.id, id: DeliveryId.make(yield* ids.next) })
    }
    return deliveries
  })

  /** The next operations of an account, of which the last is read to its end; true when more may follow. */
  const announceOperations = Effect.fnUntraced(function* (
    account: Account,
    { keepsMoments, writeTimestamp }: FollowedAccount,
    webhooks: ReadonlyArray<Webhook>
  ) {
    const now = yield* currentTime
    const max = Math.min(operationsPerStep, shareOf(webhooks))
    let skip = 0
    for (;;) {
      const following = yield* history.following(account.id, writeTimestamp, skip, keysPerStep)
      const found = following.slice(0, max)
      const [last, isPart] = [found.at(-1), found.at(-1)?.rest !== 0]
      if (last === undefined) return false
      if (keepsMoments) {
        const changed = (yield* namedReminders(account.id, found)).map(({ reminder, since }) => ({
          reminder,
          since: earlierOf(since, now)
        }))
        yield* putMoments(account.id, clockOf(account), last.at, changed)
      }
      const done = isPart ? found.slice(0, -1) : found
      if (done.length > 0) {
        const moved = done.some(({ keys }) => keys.some(({ type }) => type === "account"))
        if (keepsMoments && moved) yield* store.rebuild(account.id, earlierOf(done[0]!.at, now))
        const deliveries = yield* deliveriesOf(account, webhooks, done, now)
        yield* store.advance(account.id, writeTimestamp, done.at(-1)!.at, { deliveries })
        return isPart || found.length < following.length || isFull(following)
      }
      skip += last.keys.length
    }
  })

  const follow = Effect.fnUntraced(function* (followed: FollowedAccount) {
    const { keepsMoments, owner, rebuildFrom, writeTimestamp } = followed
    const account = yield* accounts.get(owner)
    const webhooks = (yield* store.list(owner)).filter(({ enabled }) => enabled)
    const now = yield* currentTime
    const hasReminders = webhooks.some(({ events }) => events.includes("reminder.due"))
    if (account === undefined || webhooks.length === 0 || hasReminders !== keepsMoments)
      return yield* Effect.as(store.follow(owner, writeTimestamp, now), true)
    if (rebuildFrom !== null) return yield* Effect.as(recompute(account, followed), true)
    // Operations in between may be pruned.
    if (keepsMoments && now - writeTimestamp > operationLifetime(retention))
      yield* store.rebuild(owner, addMillis(now, -maxLateness))
    return yield* announceOperations(account, followed, webhooks)
  })

  return Effect.gen(function* () {
    const behind = yield* store.followed(accountsPerPass)
    let isMore = behind.length === accountsPerPass
    yield* forEachIsolated(behind, (each) => Effect.map(follow(each), (isLeft) => void (isMore ||= isLeft)))
    return pollResult(behind.length > 0, isMore)
  })
})

/** Whether a step has as many keys as it takes. */
const isFull = (following: ReadonlyArray<Following>): boolean =>
  following.reduce((keys, operation) => keys + operation.keys.length, 0) >= keysPerStep

const kept = (
  reminder: TimeReminder,
  clock: OwnerClock,
  known: EpochMillis | undefined,
  since: EpochMillis
): EpochMillis | undefined => {
  const next = nextMoment(reminder, clock, since)
  if (known === undefined || announcementsAt(reminder, clock, known).length === 0) return next
  return next === undefined ? known : earlierOf(known, next)
}
