import { Context } from "effect"
import type { AccountId, PlaceId, ThingId } from "../model/Ids.ts"
import type { Reminder, TimeTrigger } from "../model/Reminder.ts"
import type { Page, Stored } from "./Storage.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"

/** A reminder that fires at a time. */
export type TimeReminder = Reminder & { readonly trigger: TimeTrigger }

export const isTimed = (reminder: Reminder): reminder is TimeReminder => reminder.trigger._tag === "Time"

/** At most one reminder per thing; live linked copies have that of their original (docs/decisions.md#reminders). */
export class ReminderStore extends Context.Service<
  ReminderStore,
  {
    /** The reminder that is set on exactly this thing; that of a live linked copy is on its original. */
    readonly findByThing: (owner: AccountId, thing: string) => Stored<Reminder | undefined>
    /** The reminders that are set on exactly these things, in no particular order; linked copies have none of their own. */
    readonly ofThings: (owner: AccountId, things: ReadonlyArray<ThingId>) => Stored<ReadonlyArray<Reminder>>
    /** Inserts each, or replaces the reminder of the same thing; no two of them are of one thing. */
    readonly put: (owner: AccountId, reminders: ReadonlyArray<Reminder>) => Stored<void>
    /**
     * Replaces `at`, `first`, `rule.until` and `end` of the time reminders of these things; skips those that do not
     * exist.
     */
    readonly putTimes: (owner: AccountId, reminders: ReadonlyArray<TimeReminder>) => Stored<void>
    /** Whether the owner has a reminder with this id. */
    readonly has: (owner: AccountId, id: string) => Stored<boolean>
    /** Removes the reminders of these things; things without one are skipped. */
    readonly remove: (owner: AccountId, things: ReadonlyArray<string>) => Stored<void>
    /**
     * Moves the reminders of removed originals to their heirs, which have none of their own; originals without a
     * reminder are skipped.
     */
    readonly reattach: (owner: AccountId, heirs: ReadonlyMap<ThingId, ThingId>) => Stored<void>
    /** Time reminders with `at` after `now` (exclusive), soonest first, then thing id. */
    readonly upcoming: (owner: AccountId, now: EpochMillis, limit: number) => Stored<ReadonlyArray<Reminder>>
    /** Time reminders with `at` at or before `now` of open things, most recent first, then thing id. */
    readonly overdue: (owner: AccountId, now: EpochMillis, limit: number) => Stored<ReadonlyArray<Reminder>>
    /** Time reminders with `from` <= `at` < `to`, soonest first, then thing id. */
    readonly between: (owner: AccountId, from: EpochMillis, to: EpochMillis, limit: number) => Stored<Page<Reminder>>
    /** Repeating reminders with `at` before `before` (exclusive) of open things, most recent first, then thing id. */
    readonly repeating: (owner: AccountId, before: EpochMillis, limit: number) => Stored<ReadonlyArray<Reminder>>
    /** The place reminders, by thing id; the first `limit` of them. */
    readonly atPlaces: (owner: AccountId, limit?: number) => Stored<ReadonlyArray<Reminder>>
    /** Every reminder, by thing id. */
    readonly all: (owner: AccountId) => Stored<ReadonlyArray<Reminder>>
    /** The first `limit` reminders by thing id, after `thing` (exclusive) or from the start. */
    readonly after: (owner: AccountId, thing: ThingId | undefined, limit: number) => Stored<ReadonlyArray<Reminder>>
    /** Removes the reminders at this place: for a `PlaceStore` that does not take them along by itself. */
    readonly removeOfPlace: (owner: AccountId, place: PlaceId) => Stored<void>
  }
>()("@lists-and-things/domain/ports/ReminderStore") {}
