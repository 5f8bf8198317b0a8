import { Context, Effect, Layer, Result } from "effect"
import type { Account } from "../model/Account.ts"
import { removedReminder, setReminder } from "../summaries/OperationSummaries.ts"
import { describe, notify } from "../model/CurrentOperation.ts"
import { isSame } from "../model/Operation.ts"
import { type Caller, callerWith } from "../model/Caller.ts"
import { dateOfWrite } from "../days/ClockSkew.ts"
import type { AccessError, Forbidden, InvalidInput, NotFound, StorageUnavailable } from "../model/Errors.ts"
import { type AccountId, Ids, type ReminderId } from "../model/Ids.ts"
import type { SetReminderInput } from "../json/ReminderJson.ts"
import { findPlace } from "../targets/FindPlace.ts"
import { ListStore } from "../ports/ListStore.ts"
import { PlaceStore } from "../ports/PlaceStore.ts"
import { ReminderStore } from "../ports/ReminderStore.ts"
import { type Page, Storage } from "../ports/Storage.ts"
import type { KeyedWrite } from "../ports/IdempotencyStore.ts"
import { type KeyedThing, ThingStore, type ThingWithReminder } from "../ports/ThingStore.ts"
import { Families } from "../targets/Families.ts"
import { originalOf, type Thing } from "../model/Thing.ts"
import { makeUnknownIds } from "../targets/UnknownId.ts"
import type { PlaceTrigger, Reminder } from "../model/Reminder.ts"
import { draftReminder, type ReminderDraft } from "./ReminderDraft.ts"
import type { ReminderRange } from "./ReminderRange.ts"
import { makeReminderReading } from "./ReminderReading.ts"
import { type ReminderComingAgain, type ReminderView, viewReminder } from "./ReminderView.ts"
import { type ReminderSetting, settingNotices } from "./SettingNotices.ts"
import { currentTime, epoch, type EpochMillis } from "../model/EpochMillis.ts"
import { traced } from "../scheduling/Traced.ts"

/** What a rule would lead to, with nothing stored. */
export interface ReminderPreview {
  /** Ascending, including the first. */
  readonly occurrences: ReadonlyArray<EpochMillis>
  readonly summary: string
}

/** A place reminder as `set_reminder` describes it: the place's id or name, and when to fire. */
export interface AtPlace {
  readonly place: string
  readonly trigger: PlaceTrigger["on"]
  /** Defaults to the radius of the place. */
  readonly radiusMeters?: number | undefined
}

/**
 * Reminders of open things, at most 1,000 of each: those due on the day, those that come again on it where it is later
 * than today, and those due before it where it is today.
 */
export interface RemindersOfDay {
  readonly due: ReadonlyArray<ReminderView>
  readonly again: ReadonlyArray<ReminderComingAgain>
  readonly overdue: ReadonlyArray<ReminderView>
}

/** As `KeyedThing`, of a reminder that is set. */
export interface KeyedReminder extends KeyedWrite {
  readonly answerOf: (view: ReminderView) => string
}

type WriteError = NotFound | InvalidInput | AccessError

/** The use cases of reminders (docs/contract.md#reminders). Changes update the `updated` of lists, not of things. */
export class Reminders extends Context.Service<
  Reminders,
  {
    /** Replaces an existing reminder; an unknown thing is `NotFound` before the input is checked. */
    readonly set: (
      thingId: string,
      input: SetReminderInput,
      seen?: ThingWithReminder
    ) => Effect.Effect<ReminderView, WriteError, Caller>
    /**
     * Like `set`, in one step, when the thing and its reminder still are as they were seen; undefined, with nothing
     * written, where it needs a transaction.
     */
    readonly setIfUnchanged: (
      seen: ThingWithReminder,
      input: SetReminderInput,
      keyed?: KeyedReminder
    ) => Effect.Effect<ReminderView | undefined, NotFound | AccessError, Caller>
    /** An unknown thing or place is `NotFound`. */
    readonly setAtPlace: (thingId: string, at: AtPlace) => Effect.Effect<ReminderView, NotFound | AccessError, Caller>
    /**
     * Returns the thing; undefined for an unknown one. Succeeds without changes for unknown things and for things without
     * a reminder.
     */
    readonly remove: (
      thingId: string,
      seen?: ThingWithReminder
    ) => Effect.Effect<Thing | undefined, NotFound | AccessError, Caller>
    /**
     * Like `remove`, in one step, when the thing and its reminder still are as they were seen. True when it removed the
     * reminder; false, with nothing written, where there was none or it needs a transaction.
     */
    readonly removeIfUnchanged: (
      seen: ThingWithReminder,
      keyed?: KeyedThing
    ) => Effect.Effect<boolean, NotFound | AccessError, Caller>
    /** Upcoming reminders, soonest first, then overdue ones of open things, most recent first; 50 in total. */
    readonly upcoming: Effect.Effect<ReadonlyArray<ReminderView>, AccessError, Caller>
    /** Reminders within a range, soonest first; like `upcoming` without a range. Place reminders come last. */
    readonly between: (range: ReminderRange) => Effect.Effect<Page<ReminderView>, InvalidInput | AccessError, Caller>
    /**
     * Repeating reminders of open things whose time is before a range, and which come again in it, by that occurrence.
     * None without `from`. Looks through the latest 1,000 before it.
     */
    readonly comingAgain: (
      range: ReminderRange
    ) => Effect.Effect<ReadonlyArray<ReminderComingAgain>, InvalidInput | AccessError, Caller>
    /** Those of open things that are over, a whole day when it has ended; most recent first, at most 200. */
    readonly overdue: Effect.Effect<ReadonlyArray<ReminderView>, AccessError, Caller>
    /** What belongs beside the list of a day, given as an ISO date. */
    readonly onDay: (date: string) => Effect.Effect<RemindersOfDay, InvalidInput | AccessError, Caller>
    /**
     * The current occurrence, then those after both it and now, as completing would advance to.
     * `count` is within `occurrenceLimit`. Empty for a place reminder; `NotFound` when there is no reminder.
     */
    readonly occurrences: (
      thingId: string,
      count?: number
    ) => Effect.Effect<ReadonlyArray<EpochMillis>, NotFound | AccessError, Caller>
    /** The first occurrences of a reminder that is not stored; `count` is within `occurrenceLimit`. */
    readonly preview: (
      input: SetReminderInput,
      count?: number
    ) => Effect.Effect<ReminderPreview, InvalidInput | Forbidden, Caller>
    /** The reminders of these things, in the same order; a live linked copy has that of its original. */
    readonly ofThings: (things: ReadonlyArray<Thing>) => Effect.Effect<ReadonlyArray<ReminderView>, AccessError, Caller>
    /** Reminders as shown on these things, in the same order; requires no scope of its own. */
    readonly viewsOf: (
      owner: AccountId,
      things: ReadonlyArray<Thing>,
      reminders: ReadonlyArray<Reminder>
    ) => Effect.Effect<ReadonlyArray<ReminderView>, StorageUnavailable, Caller>
  }
>()("@lists-and-things/domain/reminders/Reminders") {
  static readonly layer = Layer.effect(
    Reminders,
    Effect.gen(function* () {
      const storage = yield* Storage
      const store = yield* ReminderStore
      const things = yield* ThingStore
      const lists = yield* ListStore
      const places = yield* PlaceStore
      const families = yield* Families
      const ids = yield* Ids
      const unknownIds = yield* makeUnknownIds
      const { existing, placesFor, ...reading } = yield* makeReminderReading

      const touchFamily = Effect.fnUntraced(function* (owner: AccountId, thing: Thing, writeTimestamp: EpochMillis) {
        const members = yield* families.membersOf(owner, [thing])
        yield* lists.touch(owner, [...new Set([...members.values()].map((member) => member.listId))], writeTimestamp)
      })

      const put = Effect.fnUntraced(function* (
        account: Account,
        thing: Thing,
        { draft, earlier }: Drafted,
        writeTimestamp: EpochMillis
      ) {
        const thingId = originalOf(thing)
        const id = earlier?.id ?? ((yield* ids.next) as ReminderId)
        const reminder = {
          id,
          owner: account.id,
          thingId,
          ...draft,
          created: earlier?.created ?? (yield* dateOfWrite(writeTimestamp))
        }
        if (!isSame(earlier, reminder)) yield* store.put(account.id, [reminder])
        yield* touchFamily(account.id, thing, writeTimestamp)
        const view = viewReminder(reminder, thing, account.timezone, yield* placesFor(account.id, [reminder]))
        yield* describe(setReminder(thing, view.summary))
        return view
      })

      const setIfUnchanged = traced("Reminders.setIfUnchanged")(function* (
        seen: ThingWithReminder,
        input: SetReminderInput,
        keyed?: KeyedReminder
      ) {
        const { account } = yield* callerWith("write:things")
        const { reminder: earlier, thing } = seen
        const drafted = draftReminder(input, account, earlier)
        if (Result.isFailure(drafted)) return undefined
        const id = earlier?.id ?? ((yield* ids.next) as ReminderId)
        const drawn = { id, owner: account.id, thingId: thing.id, ...drafted.success }
        const reminder = earlier === undefined ? drawn : { ...drawn, created: earlier.created }
        yield* notifySetting({ thing, input, trigger: drawn.trigger, earlier }, account)
        const viewOf = (shown: Reminder) => viewReminder(shown, thing, account.timezone, new Map())
        const view = viewOf({ created: epoch, ...reminder })
        yield* describe(setReminder(thing, view.summary))
        const revision = isSame(earlier, reminder) ? {} : { reminder }
        const record = keyed && { ...keyed, answerOf: () => keyed.answerOf(view) }
        const written = yield* things.reviseIfUnchanged(account.id, seen, revision, record)
        return written && viewOf(written.reminder!)
      })

      const set = traced("Reminders.set")(function* (
        thingId: string,
        input: SetReminderInput,
        seen?: ThingWithReminder
      ) {
        const { account } = yield* callerWith("write:things")
        const written = seen && (yield* setIfUnchanged(seen, input))
        if (written !== undefined) return written
        const write = Effect.fnUntraced(function* (writeTimestamp: EpochMillis) {
          const thing = yield* existing(account.id, thingId)
          const earlier = yield* store.findByThing(account.id, originalOf(thing))
          const draft = yield* Effect.fromResult(draftReminder(input, account, earlier))
          yield* notifySetting({ thing, input, trigger: draft.trigger, earlier }, account)
          return yield* put(account, thing, { draft, earlier }, writeTimestamp)
        })
        return yield* storage.transact(account.id, write)
      })

      const setAtPlace = traced("Reminders.setAtPlace")(function* (thingId: string, at: AtPlace) {
        const { account } = yield* callerWith("write:things")
        const write = Effect.fnUntraced(function* (writeTimestamp: EpochMillis) {
          const thing = yield* existing(account.id, thingId)
          const place = yield* findPlace(places, account.id, at.place)
          const trigger: PlaceTrigger = {
            _tag: "Place",
            placeId: place.id,
            on: at.trigger,
            radiusMeters: at.radiusMeters ?? null
          }
          const draft = { trigger, alertMinutes: 0, secondAlertMinutes: 0, color: account.defaultReminderColor }
          const earlier = yield* store.findByThing(account.id, originalOf(thing))
          return yield* put(account, thing, { draft, earlier }, writeTimestamp)
        })
        return yield* storage.transact(account.id, write)
      })

      const removeIfUnchanged = traced("Reminders.removeIfUnchanged")(function* (
        seen: ThingWithReminder,
        keyed?: KeyedThing
      ) {
        const { account } = yield* callerWith("write:things")
        if (seen.reminder === undefined) return false
        yield* describe(removedReminder(seen.thing))
        return (yield* things.reviseIfUnchanged(account.id, seen, { reminder: null }, keyed)) !== undefined
      })

      const remove = traced("Reminders.remove")(function* (thingId: string, seen?: ThingWithReminder) {
        const { account } = yield* callerWith("write:things")
        if (seen !== undefined && (yield* removeIfUnchanged(seen))) return seen.thing
        const drop = Effect.fnUntraced(function* (writeTimestamp: EpochMillis, found: ThingWithReminder | undefined) {
          if (found?.reminder === undefined) return { thing: found?.thing, isGone: false }
          yield* store.remove(account.id, [originalOf(found.thing)])
          yield* touchFamily(account.id, found.thing, writeTimestamp)
          yield* describe(removedReminder(found.thing))
          return { thing: found.thing, isGone: true }
        })
        const { isGone, thing } = yield* storage.transactWith(
          account.id,
          things.withReminder(account.id, thingId),
          drop
        )
        if (!isGone) {
          const why =
            thing === undefined ? yield* unknownIds.describe(account.id, "thing", thingId) : "the thing has none"
          yield* notify(`No reminder was removed: ${why}.`)
        }
        return thing
      })

      return Reminders.of({
        set,
        setIfUnchanged,
        setAtPlace,
        remove,
        removeIfUnchanged,
        ...reading
      })
    })
  )
}

/** A reminder of either kind, with the one that it replaces. */
interface Drafted {
  readonly draft: Pick<Reminder, keyof ReminderDraft>
  readonly earlier: Reminder | undefined
}

/** Tells who sets a reminder what may not be expected of it. */
const notifySetting = Effect.fnUntraced(function* (setting: ReminderSetting, { timezone }: Account) {
  for (const notice of settingNotices(setting, timezone, yield* currentTime)) yield* notify(notice)
})
