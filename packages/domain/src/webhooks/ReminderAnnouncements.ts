import { Effect } from "effect"
import type { Account } from "../model/Account.ts"
import { currentTime, type EpochMillis } from "../model/EpochMillis.ts"
import { type AccountId, Ids } from "../model/Ids.ts"
import { isOpen } from "../model/Thing.ts"
import type { Webhook } from "../model/Webhook.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { ListStore } from "../ports/ListStore.ts"
import { isTimed, ReminderStore } from "../ports/ReminderStore.ts"
import { ThingStore } from "../ports/ThingStore.ts"
import { type Moment, type OwnedMoment, type SettledMoment, WebhookStore } from "../ports/WebhookStore.ts"
import { chunksOf } from "../scheduling/Chunks.ts"
import { yieldIfDue } from "../scheduling/Yielding.ts"
import { forEachIsolated, pollResult, shareOf } from "./AnnouncementTurns.ts"
import { clockOf } from "./Moments.ts"
import { announce, type Announced, unannounced } from "./ReminderEvents.ts"

/** Moments per step, things that are read at a time. */
const [momentsPerStep, thingsPerRead] = [400, 50]

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

/** Occurrences are at least a day apart, in wall time, and each has three moments. */
const maxMomentsPerDay = 9

/** Makes what announces the reminders that are due: `Announcements.reminders`. */
export const makeReminderAnnouncements = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const lists = yield* ListStore
  const reminders = yield* ReminderStore
  const things = yield* ThingStore
  const store = yield* WebhookStore
  const ids = yield* Ids

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
      if (reminder === undefined || !isTimed(reminder) || thing === undefined || !isOpen(thing) || list === undefined)
        all.push(unannounced(moment))
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
    Effect.map(Effect.replicateEffect(ids.next, webhooks * maxMomentsPerDay), (made) => {
      const left = made.values()
      return () => left.next().value as string
    })

  /** Of accounts that have more to announce. */
  const skipped = new Map<AccountId, number>()

  /** One line of an account, however many steps it took. */
  const logSkipped = Effect.fnUntraced(function* (waiting: ReadonlySet<AccountId>) {
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
  return Effect.gen(function* () {
    const now = yield* currentTime
    const waiting = new Set<AccountId>()
    for (let found = false; ; found = true) {
      const due = yield* store.dueMoments(now, momentsPerStep, [...waiting])
      if (due.length === 0) return yield* Effect.as(logSkipped(waiting), pollResult(found))
      yield* forEachIsolated(
        Map.groupBy(due, ({ owner }) => owner),
        ([owner, moments]) => {
          waiting.add(owner)
          return Effect.map(announceReminders(owner, moments), (isAll) => void (isAll && waiting.delete(owner)))
        }
      )
    }
  })
})
