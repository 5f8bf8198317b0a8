import { Context } from "effect"
import type { AccountId, PlaceId, ThingId } from "../model/Ids.ts"
import type { Reminder, TimeTrigger } from "../model/Reminder.ts"
import type { Page, Stored } from "./Storage.ts"

/** One that fires at a time. */
export type TimeReminder = Reminder & { readonly trigger: TimeTrigger }

export class ReminderStore extends Context.Service<
  ReminderStore,
  {
    readonly findByThing: (owner: AccountId, thing: string) => Stored<Reminder | undefined>
    readonly ofThings: (owner: AccountId, things: ReadonlyArray<ThingId>) => Stored<ReadonlyArray<Reminder>>
    /** Of the things in a list, whose reminders are their originals' where they are live linked copies. */
    readonly ofList: (owner: AccountId, listId: string) => Stored<ReadonlyArray<Reminder>>
    /** Inserts, or replaces the reminder of the same thing. */
    readonly put: (reminder: Reminder) => Stored<void>
    /** Replaces `at`, `first`, `rule.until` and `end` of the time reminders of these things; those not there are left out. */
    readonly putTimes: (owner: AccountId, reminders: ReadonlyArray<TimeReminder>) => Stored<void>
    /** Whether the owner has a reminder with this id. */
    readonly has: (owner: AccountId, id: string) => Stored<boolean>
    /** The number that existed. */
    readonly remove: (owner: AccountId, things: ReadonlyArray<string>) => Stored<number>
    /**
     * Hangs the reminders of some things, where they have one, on other things of the owner that have none, each on
     * its own: the originals of clones went.
     */
    readonly reattach: (owner: AccountId, heirs: ReadonlyMap<ThingId, ThingId>) => Stored<void>
    /** Time reminders with `at` after `now` (exclusive), soonest first, then thing id. */
    readonly upcoming: (owner: AccountId, now: number, limit: number) => Stored<ReadonlyArray<Reminder>>
    /** Time reminders with `at` at or before `now` of things neither completed nor canceled, most recent first. */
    readonly overdue: (owner: AccountId, now: number, limit: number) => Stored<ReadonlyArray<Reminder>>
    /** Time reminders with `from` <= `at` < `to`, soonest first. */
    readonly between: (owner: AccountId, from: number, to: number, limit: number) => Stored<Page<Reminder>>
    readonly atPlaces: (owner: AccountId) => Stored<ReadonlyArray<Reminder>>
    readonly all: (owner: AccountId) => Stored<ReadonlyArray<Reminder>>
    /** The first `limit` by thing id that come after this one, or of all. */
    readonly after: (owner: AccountId, thing: ThingId | undefined, limit: number) => Stored<ReadonlyArray<Reminder>>
    readonly removeOfPlace: (owner: AccountId, place: PlaceId) => Stored<void>
  }
>()("@lists-and-things/domain/ports/ReminderStore") {}
