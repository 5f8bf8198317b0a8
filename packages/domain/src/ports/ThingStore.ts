import { Context, type Effect } from "effect"
import type { NotFound, StorageUnavailable } from "../model/Errors.ts"
import type { AccountId, ListId, ThingId } from "../model/Ids.ts"
import type { Reminder } from "../model/Reminder.ts"
import type { Size } from "../model/Size.ts"
import type { Position, Thing, ThingType } from "../model/Thing.ts"
import type { Page, Stored } from "./Storage.ts"

/** What `GET /things` narrows by; everything left out matches all. */
export interface ThingFilter {
  readonly listId?: string
  readonly completed?: boolean
  readonly type?: ThingType
  /** Compared as `TextFold.tagKey`. */
  readonly tag?: string
  /** Epoch milliseconds, exclusive, against `sort`. */
  readonly since?: number
  readonly sort: "created" | "updated"
}

export interface ThingWithReminder {
  readonly thing: Thing
  readonly reminder: Reminder | undefined
}

/** A thing that gets its position and times from the write. */
export type NewThing = Omit<Thing, "position" | "created" | "updated">

export interface TagCount {
  /** The spelling on the thing most recently updated (then highest id). */
  readonly name: string
  readonly count: number
}

export class ThingStore extends Context.Service<
  ThingStore,
  {
    readonly get: (owner: AccountId, id: string) => Stored<Thing | undefined>
    /** A thing with its reminder, which is its original's where it is a live linked copy. */
    readonly withReminder: (owner: AccountId, id: string) => Stored<ThingWithReminder | undefined>
    /** Those that exist, by id ascending (the order in which adapters lock rows); ids of no form are left out. */
    readonly getMany: (owner: AccountId, ids: ReadonlyArray<string>) => Stored<ReadonlyArray<Thing>>
    /** All things of a list in their position order: sortTime, sequence, then id ascending. */
    readonly ofList: (owner: AccountId, listId: string) => Stored<ReadonlyArray<Thing>>
    /** As `ofList`; none, and none is read, of a list that holds more than `limit` or is not counted: `SizeStore` tells. */
    readonly ofSmallList: (owner: AccountId, listId: string, limit: Size) => Stored<ReadonlyArray<Thing>>
    /** The first `limit` of a list in their position order that come after a thing of it, or of all. */
    readonly ofListAfter: (
      owner: AccountId,
      listId: ListId,
      last: Pick<Thing, "id" | "position"> | undefined,
      limit: number
    ) => Stored<ReadonlyArray<Thing>>
    /** By `sort` descending, then id descending. */
    readonly page: (owner: AccountId, filter: ThingFilter, page: number, size: number) => Stored<Page<Thing>>
    /** Text matches in the order of `SearchRank`, then `updated` descending, then id descending. */
    readonly search: (owner: AccountId, query: string, limit: number) => Stored<Page<Thing>>
    /** Sorted by count descending, then name (`TextFold.collate`). A family of clones counts each member. */
    readonly tagCounts: (owner: AccountId) => Stored<ReadonlyArray<TagCount>>
    /** The last position of a list; undefined when it is empty. */
    readonly end: (owner: AccountId, listId: ListId) => Stored<Position | undefined>
    /** For each sortTime the highest `sequence` that the list has at it; sortTimes without things are left out. */
    readonly lastAt: (
      owner: AccountId,
      listId: ListId,
      sortTimes: ReadonlyArray<number>
    ) => Stored<ReadonlyMap<number, number>>
    /**
     * Adds to the `sequence` of every thing of the list the number of the given positions before it at the same sortTime: room for
     * one thing right after each of them.
     */
    readonly makeRoom: (owner: AccountId, listId: ListId, positions: ReadonlyArray<Position>) => Stored<void>
    /** The live linked copies of these originals, oldest first (`created`, then id). */
    readonly clonesOf: (owner: AccountId, originals: ReadonlyArray<ThingId>) => Stored<ReadonlyArray<Thing>>
    /** Of the given urls and trimmed texts, those that some thing of the list has. */
    readonly duplicates: (
      owner: AccountId,
      listId: ListId,
      keys: { readonly urls: ReadonlyArray<string>; readonly texts: ReadonlyArray<string> }
    ) => Stored<{ readonly urls: ReadonlySet<string>; readonly texts: ReadonlySet<string> }>
    /**
     * A write of its own, or a part of the outer `transact` of the fiber: puts a thing that is no clone, has no
     * `listRef` and no `markup` and is not backdated at the end of its list, as `Storage.transact` with a position allocator, `insert` and
     * `ListStore.touch` does. Undefined for an unknown list, `NotFound` for an unknown account. `no room`, and
     * nothing is written, where it may not fit within `SizeLimits`: `Capacity` tells for certain.
     */
    readonly append: (fields: NewThing) => Effect.Effect<Thing | "no room" | undefined, NotFound | StorageUnavailable>
    /** All things of one owner; their lists exist. */
    readonly insert: (owner: AccountId, things: ReadonlyArray<Thing>) => Stored<void>
    /** Replaces every field of existing things. */
    readonly put: (owner: AccountId, things: ReadonlyArray<Thing>) => Stored<void>
    /** Their reminders go with them. The number that existed. */
    readonly remove: (owner: AccountId, ids: ReadonlyArray<string>) => Stored<number>
    /** Sets `listRef` to null and `updated` where it names this list; the lists of the things it changed, each once. */
    readonly clearListRef: (owner: AccountId, listId: ListId, updated: number) => Stored<ReadonlyArray<ListId>>
  }
>()("@lists-and-things/domain/ports/ThingStore") {}
