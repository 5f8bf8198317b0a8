import { Effect } from "effect"
import { todayIn } from "../days/Day.ts"
import { startOfDay } from "../days/Zone.ts"
import type { SetReminderInput } from "../json/ReminderJson.ts"
import type { Account } from "../model/Account.ts"
import { Caller, callerWith } from "../model/Caller.ts"
import { addMillis, currentTime, type EpochMillis } from "../model/EpochMillis.ts"
import { NotFound } from "../model/Errors.ts"
import type { AccountId, ReminderId } from "../model/Ids.ts"
import type { SavedPlace } from "../model/Place.ts"
import type { Reminder } from "../model/Reminder.ts"
import { isOpen, originalOf, type Thing } from "../model/Thing.ts"
import { PlaceStore } from "../ports/PlaceStore.ts"
import { ReminderStore } from "../ports/ReminderStore.ts"
import { ThingStore } from "../ports/ThingStore.ts"
import { occurrencesFrom } from "../recurrence/Recurrence.ts"
import { summarize } from "../recurrence/ReminderSummary.ts"
import { chunksOf } from "../scheduling/Chunks.ts"
import { inSpan, traced } from "../scheduling/Traced.ts"
import { forEachYielding, mapYielding } from "../scheduling/Yielding.ts"
import { makeUnknownIds } from "../targets/UnknownId.ts"
import { draftReminder } from "./ReminderDraft.ts"
import { futureThenOverdue, occurrenceIn, rangeOf, type ReminderRange } from "./ReminderRange.ts"
import { isOver, viewReminder } from "./ReminderView.ts"

/** `GET /reminders` (docs/contract.md#limits). */
const reminderLimit = 50

/** `Reminders.onDay`, of each kind: a day may have many in its own list, which its page shows there. */
const maxOfDay = 1000

/** `Reminders.overdue`. */
const maxOverdue = 200

/** Repeating reminders that `Reminders.comingAgain` looks through. */
const maxEarlier = 1_000

/** How many occurrences `Reminders.occurrences` and `Reminders.preview` compute. */
export const occurrenceLimit = { max: 100, default: 10 } as const

/** Places per call of the store. */
const placesPerRead = 1_000

/** The use cases of `Reminders` that read, and what those that write have in common with them. */
export const makeReminderReading = Effect.gen(function* () {
  const store = yield* ReminderStore
  const things = yield* ThingStore
  const places = yield* PlaceStore
  const unknownIds = yield* makeUnknownIds

  const existing = Effect.fnUntraced(function* (owner: AccountId, thingId: string) {
    const thing = yield* things.get(owner, thingId)
    return thing ?? (yield* unknownIds.notFound(owner, "thing", thingId))
  })

  const placesFor = Effect.fnUntraced(function* (owner: AccountId, reminders: ReadonlyArray<Reminder>) {
    const ids = new Set(reminders.flatMap(({ trigger }) => (trigger._tag === "Place" ? [trigger.placeId] : [])))
    const found = new Map<string, SavedPlace>()
    for (const some of chunksOf([...ids], placesPerRead))
      for (const place of yield* places.getMany(owner, some)) found.set(place.id, place)
    return found
  })

  /** Attaches each reminder to its thing; keeps the order. */
  const viewsOn = Effect.fnUntraced(function* (account: Account, reminders: ReadonlyArray<Reminder>) {
    const shown = reminders.map(({ thingId }) => thingId)
    const byId = new Map((yield* things.getMany(account.id, shown)).map((thing) => [thing.id, thing]))
    const saved = yield* placesFor(account.id, reminders)
    return reminders.flatMap((reminder) => {
      const thing = byId.get(reminder.thingId)
      return thing === undefined ? [] : [viewReminder(reminder, thing, account.timezone, saved)]
    })
  })

  const upcoming = Effect.gen(function* () {
    const { account } = yield* callerWith("read:things")
    return yield* viewsOn(account, yield* futureThenOverdue(store, account.id, yield* currentTime, reminderLimit))
  }).pipe(inSpan("Reminders.upcoming"))

  const between = traced("Reminders.between")(function* (range: ReminderRange) {
    const { account } = yield* callerWith("read:things")
    const limit = range.limit ?? reminderLimit
    const now = yield* currentTime
    const bounds = yield* Effect.fromResult(rangeOf(range, account.timezone, now))
    const timed =
      bounds === undefined
        ? yield* futureThenOverdue(store, account.id, now, limit + 1)
        : (yield* store.between(account.id, bounds.from, bounds.to, limit + 1)).items
    const placed = range.includePlace === false ? [] : yield* store.atPlaces(account.id, limit + 1)
    const all = [...timed, ...placed]
    return { items: yield* viewsOn(account, all.slice(0, limit)), hasMore: all.length > limit }
  })

  const comingAgain = traced("Reminders.comingAgain")(function* (range: ReminderRange) {
    const { account } = yield* callerWith("read:things")
    const bounds = yield* Effect.fromResult(rangeOf(range, account.timezone, yield* currentTime))
    if (bounds === undefined || range.from === undefined) return []
    const earlier = yield* store.repeating(account.id, bounds.from, maxEarlier)
    const occurrences = new Map<ReminderId, EpochMillis>()
    yield* forEachYielding(earlier, ({ id, trigger }) => {
      const occurrence = occurrenceIn(trigger, account.timezone, bounds)
      if (occurrence !== undefined) occurrences.set(id, occurrence)
    })
    const again = earlier.filter(({ id }) => occurrences.has(id))
    return (yield* viewsOn(account, again))
      .map((view) => ({ ...view, occurrence: occurrences.get(view.reminder.id)! }))
      .toSorted((one, other) => one.occurrence - other.occurrence)
  })

  const onDay = traced("Reminders.onDay")(function* (date: string) {
    const { account } = yield* callerWith("read:things")
    const today = todayIn(account.timezone, yield* currentTime)
    const { again, due, overdue } = yield* Effect.all(
      {
        due: between({ from: date, to: date, includePlace: false, limit: maxOfDay }),
        again: date > today ? comingAgain({ from: date, to: date }) : Effect.succeed([]),
        overdue: date === today ? overdueBefore(account, date) : Effect.succeed([])
      },
      { concurrency: "unbounded" }
    )
    return { due: due.items.filter(({ thing }) => isOpen(thing)), again, overdue }
  })

  const overdue = Effect.gen(function* () {
    const { account } = yield* callerWith("read:things")
    const now = yield* currentTime
    const found = yield* viewsOn(account, yield* store.overdue(account.id, now, maxOverdue))
    return found.filter(({ reminder: { trigger }, zone }) => isOver(trigger, zone, now))
  }).pipe(inSpan("Reminders.overdue"))

  const overdueBefore = Effect.fnUntraced(function* (account: Account, date: string) {
    const lastMoment = addMillis(startOfDay(account.timezone, date), -1)
    return yield* viewsOn(account, yield* store.overdue(account.id, lastMoment, maxOfDay))
  })

  const occurrences = traced("Reminders.occurrences")(function* (
    thingId: string,
    count: number = occurrenceLimit.default
  ) {
    const { account } = yield* callerWith("read:things")
    const thing = yield* existing(account.id, thingId)
    const reminder = yield* store.findByThing(account.id, originalOf(thing))
    if (reminder === undefined) return yield* new NotFound({ message: "This thing has no reminder." })
    if (reminder.trigger._tag === "Place") return []
    return occurrencesFrom(reminder.trigger, account.timezone, yield* currentTime, count)
  })

  const preview = traced("Reminders.preview")(function* (
    input: SetReminderInput,
    count: number = occurrenceLimit.default
  ) {
    const { account } = yield* callerWith("read:things")
    const { trigger } = yield* Effect.fromResult(draftReminder(input, account))
    return {
      occurrences: occurrencesFrom(trigger, account.timezone, trigger.at, count),
      summary: summarize(trigger, account.timezone)
    }
  })

  const viewsOf = Effect.fnUntraced(function* (
    owner: AccountId,
    shown: ReadonlyArray<Thing>,
    reminders: ReadonlyArray<Reminder>
  ) {
    const { account } = yield* Caller
    if (reminders.length === 0) return []
    const byThing = new Map(reminders.map((reminder) => [reminder.thingId, reminder]))
    const saved = yield* placesFor(owner, reminders)
    const views = yield* mapYielding(shown, (thing) => {
      const reminder = byThing.get(originalOf(thing))
      return reminder && viewReminder(reminder, thing, account.timezone, saved)
    })
    return views.filter((each) => each !== undefined)
  })

  const ofThings = traced("Reminders.ofThings")(function* (shown: ReadonlyArray<Thing>) {
    const { account } = yield* callerWith("read:things")
    const found = yield* store.ofThings(account.id, [...new Set(shown.map(originalOf))])
    return yield* viewsOf(account.id, shown, found)
  })

  return {
    existing,
    placesFor,
    upcoming,
    between,
    comingAgain,
    overdue,
    onDay,
    occurrences,
    preview,
    ofThings,
    viewsOf
  }
})
