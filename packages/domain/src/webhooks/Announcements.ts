import { Cause, Context, Effect, Exit, Layer } from "effect"
import { HistoryRetention, operationLifetime } from "../history/HistoryRetention.ts"
import type { Account } from "../model/Account.ts"
import { addMillis, currentTime, earlierOf, type EpochMillis } from "../model/EpochMillis.ts"
import { type AccountId, DeliveryId, Ids, ThingId } from "../model/Ids.ts"
import type { EntityKey } from "../model/Operation.ts"
import type { Reminder } from "../model/Reminder.ts"
import { isOpen } from "../model/Thing.ts"
import type { NewDelivery, Webhook } from "../model/Webhook.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { type Following, HistoryStore } from "../ports/HistoryStore.ts"
import { ListStore } from "../ports/ListStore.ts"
import { isTimed, ReminderStore, type TimeReminder } from "../ports/ReminderStore.ts"
import type { Stored } from "../ports/Storage.ts"
import { ThingStore } from "../ports/ThingStore.ts"
import {
  type FollowedAccount,
  type Moment,
  type NextMoment,
  type OwnedMoment,
  type SettledMoment,
  WebhookStore
} from "../ports/WebhookStore.ts"
import { chunksOf } from "../scheduling/Chunks.ts"
import { yieldIfDue } from "../scheduling/Yielding.ts"
import { announcementsAt, nextMoment, type OwnerClock } from "./Moments.ts"
import { makeOperationEvents, operationNotification } from "./OperationEvents.ts"
import { announce, type Announced, mostLateness, silent } from "./ReminderEvents.ts"

/** Accounts per pass, keys of operations and moments per step, things that are read at a time. */
const [accountsPerPass, keysPerStep, momentsPerStep, thingsPerRead] = [100, 500, 400, 50]
/** Deliveries that an account adds before it is another one's turn, and operations at most. */
const [deliveriesPerStep, operationsPerStep] = [400, 50]

/** Characters of the events that are stored at a time. */
const charactersPerStep = 1_000_000

/** Moments with their events, as many as are stored at a time; at least one. */
const stepsOf = (settled: ReadonlyArray<SettledMoment>): ReadonlyArray<ReadonlyArray<SettledMoment>> => {
  const steps: Array<Array<SettledMoment>> = []
  let left = 0
  for (const each of settled) {
    const length = each.deliveries.reduce((sum, { body }) => sum + body.length, 0)
    if (steps.length === 0 || length > left) {
      steps.push([])
      left = charactersPerStep
    }
    steps.at(-1)!.push(each)
    left -= length
  }
  return steps
}

/** What an account with so many webhooks announces before it is another one's turn. */
const shareOf = (webhooks: ReadonlyArray<Webhook>): number =>
  Math.max(1, Math.floor(deliveriesPerStep / Math.max(1, webhooks.length)))

/** What a look found: nothing to announce, what it has announced, or more than it announces at a time. */
export type Look = "nothing" | "done" | "more"

/**
 * Turns operations and the moments of reminders into deliveries (docs/decisions.md#webhooks). Several programs may do
 * so at a time: each step has its effect once, with the step that it began from.
 */
export class Announcements extends Context.Service<
  Announcements,
  {
    /**
     * Announces operations that were committed since the last time, and keeps the moments of the reminders that they
     * changed. Looks at every account that is followed.
     */
    readonly operations: Stored<Look>
    /** Announces all reminders that are due. */
    readonly reminders: Stored<Look>
  }
>()("@lists-and-things/domain/webhooks/Announcements") {
  static readonly layer = Layer.effect(
    Announcements,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const history = yield* HistoryStore
      const lists = yield* ListStore
      const reminders = yield* ReminderStore
      const things = yield* ThingStore
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
       * A moment that still is one of its reminder stays, so that nothing is missed that was not yet announced. An earlier
       * one comes back where a clock that was ahead has passed over it; what was announced is not delivered twice.
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

      const computeAnew = Effect.fnUntraced(function* (
        account: Account,
        { rebuildFrom, writeTimestamp }: FollowedAccount
      ) {
        const { id: owner } = account
        const since = rebuildFrom!
        for (let last: ThingId | undefined, isMore = true; isMore;) {
          const batch: ReadonlyArray<Reminder> = yield* reminders.after(owner, last, keysPerStep)
          yield* putMoments(
            owner,
            clockOf(account),
            writeTimestamp,
            batch.map((reminder) => ({ reminder, since }))
          )
          last = batch.at(-1)?.thingId
          isMore = batch.length === keysPerStep
        }
        yield* store.advance(owner, writeTimestamp, writeTimestamp, { deliveries: [], rebuilt: rebuildFrom! })
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
        const most = Math.min(operationsPerStep, shareOf(webhooks))
        let skip = 0
        for (;;) {
          const following = yield* history.following(account.id, writeTimestamp, skip, keysPerStep)
          const found = following.slice(0, most)
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
        if (rebuildFrom !== null) return yield* Effect.as(computeAnew(account, followed), true)
        // What came in between may be pruned.
        if (keepsMoments && now - writeTimestamp > operationLifetime(retention))
          yield* store.rebuild(owner, addMillis(now, -mostLateness))
        return yield* announceOperations(account, followed, webhooks)
      })

      const operations = Effect.gen(function* () {
        const behind = yield* store.followed(accountsPerPass)
        let isMore = behind.length === accountsPerPass
        yield* eachApart(behind, (each) => Effect.map(follow(each), (isLeft) => void (isMore ||= isLeft)))
        return lookOf(behind.length > 0, isMore)
      })

      /** What comes of moments of one account. */
      const announced = Effect.fnUntraced(function* (
        account: Account,
        webhooks: ReadonlyArray<Webhook>,
        moments: ReadonlyArray<Moment>,
        now: EpochMillis
      ) {
        const { id: owner } = account
        const due = moments.map(({ thingId }) => thingId)
        const byThing = new Map((yield* reminders.ofThings(owner, due)).map((each) => [each.thingId, each]))
        const reminded = new Map((yield* things.getMany(owner, due)).map((thing) => [thing.id, thing]))
        const held = yield* lists.getMany(owner, [...new Set([...reminded.values()].map(({ listId }) => listId))])
        const inLists = new Map(held.map((list) => [list.id, list]))
        const all: Array<Announced> = []
        for (const moment of moments) {
          const reminder = byThing.get(moment.thingId)
          const thing = reminded.get(moment.thingId)
          const list = thing && inLists.get(thing.listId)
          if (
            reminder === undefined ||
            !isTimed(reminder) ||
            thing === undefined ||
            !isOpen(thing) ||
            list === undefined
          )
            all.push(silent(moment))
          else {
            const freshId = yield* idsFor(webhooks.length)
            const audience = { webhooks, clock: clockOf(account), now, freshId }
            all.push(announce({ moment, reminder, thing, list }, audience))
          }
        }
        return all
      })

      /** Makes ids while a pure function runs; one reminder has few moments in a day. */
      const idsFor = (webhooks: number) =>
        Effect.map(Effect.replicateEffect(ids.next, webhooks * mostMomentsPerDay), (made) => {
          const left = made.values()
          return () => left.next().value as string
        })

      /** Of accounts that have more to announce. */
      const skipped = new Map<AccountId, number>()

      /** One line of an account, however many steps it took. */
      const saySkipped = Effect.fnUntraced(function* (waiting: ReadonlySet<AccountId>) {
        for (const [owner, count] of [...skipped].filter(([each]) => !waiting.has(each))) {
          skipped.delete(owner)
          yield* Effect.logInfo(
            `Skipped ${count} reminders of the account ${owner}: they were due more than 24 hours ago, while no server ran`
          )
        }
      })

      /** Announces the first of these moments of one account; true when none is left. */
      const announceReminders = Effect.fnUntraced(function* (owner: AccountId, moments: ReadonlyArray<OwnedMoment>) {
        const account = yield* accounts.get(owner)
        const webhooks = (yield* store.list(owner)).filter(
          ({ enabled, events }) => enabled && events.includes("reminder.due")
        )
        const now = yield* currentTime
        if (account === undefined) return false
        if (webhooks.length === 0) return yield* Effect.as(store.follow(owner, now, now), true)
        const share = moments.slice(0, shareOf(webhooks))
        for (const chunk of chunksOf(share, thingsPerRead)) {
          const all = yield* announced(account, webhooks, chunk, now)
          for (const some of stepsOf(all.map(({ settled }) => settled))) {
            yield* store.settle(owner, some)
            yield* yieldIfDue
          }
          const more = all.reduce((sum, each) => sum + each.skipped, 0)
          if (more > 0) skipped.set(owner, (skipped.get(owner) ?? 0) + more)
        }
        return share.length === moments.length
      })

      /** Each account in its turn: one with more than its share waits until the others had theirs. */
      const dueReminders = Effect.gen(function* () {
        const now = yield* currentTime
        const waiting = new Set<AccountId>()
        for (let found = false; ; found = true) {
          const due = yield* store.dueMoments(now, momentsPerStep, [...waiting])
          if (due.length === 0) return yield* Effect.as(saySkipped(waiting), lookOf(found))
          yield* eachApart(
            Map.groupBy(due, ({ owner }) => owner),
            ([owner, moments]) => {
              waiting.add(owner)
              return Effect.map(announceReminders(owner, moments), (isAll) => void (isAll && waiting.delete(owner)))
            }
          )
        }
      })

      return Announcements.of({ operations, reminders: dueReminders })
    })
  )
}

const lookOf = (found: boolean, isMore = false): Look => (isMore ? "more" : found ? "done" : "nothing")

/** Whether a step has as many keys as it takes. */
const isFull = (following: ReadonlyArray<Following>): boolean =>
  following.reduce((keys, operation) => keys + operation.keys.length, 0) >= keysPerStep

/** A defect in what one account has does not keep others waiting; it is reported after them. */
const eachApart = <A, E, R>(all: Iterable<A>, use: (each: A) => Effect.Effect<void, E, R>): Effect.Effect<void, E, R> =>
  Effect.gen(function* () {
    let defect: Exit.Exit<void, E> = Exit.void
    for (const each of all) {
      const exit = yield* Effect.exit(use(each))
      if (Exit.isSuccess(exit)) continue
      if (!Cause.hasDies(exit.cause)) return yield* exit
      defect = exit
    }
    yield* defect
  })

/** Occurrences are at least a day apart, in wall time, and each has three moments. */
const mostMomentsPerDay = 9

const clockOf = ({ allDayAt, timezone }: Account): OwnerClock => ({ zone: timezone, allDayAt })

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
