import { Context, type Effect } from "effect"
import type { NotFound, StorageUnavailable } from "../model/Errors.ts"
import type { AccountId, ListId, ThingId } from "../model/Ids.ts"
import type { Reminder } from "../model/Reminder.ts"
import type { List } from "../model/List.ts"
import type { Size } from "../model/Size.ts"
import { collate, compareText } from "../text/TextFold.ts"
import { hasFamily, type Position, type Thing, type ThingType } from "../model/Thing.ts"
import type { KeyedWrite } from "./IdempotencyStore.ts"
import type { ListRef, NewList } from "./ListStore.ts"
import type { Page, Stored } from "./Storage.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"

/** The filter of `GET /things`; omitted fields match everything. */
export interface ThingFilter {
  readonly listId?: string
  /** A canceled thing is not completed. */
  readonly completed?: boolean
  readonly type?: ThingType
  /** Compared as `TextFold.tagKey`. */
  readonly tag?: string
  /** Exclusive; compared with the field that `sort` names. */
  readonly since?: EpochMillis
  readonly sort: "created" | "updated"
}

/** A thing as the candidate for mistyped words; `code` is never read as markdown. */
export type ThingText = Pick<Thing, "id" | "text" | "code">

/** Open is neither completed nor canceled. */
export type ThingState = "open" | "closed"

/** A thing and its reminder, both as they were at one moment; undefined where it has none. */
export interface ThingWithReminder {
  readonly thing: Thing
  readonly reminder: Reminder | undefined
}

/** Whether a thing has neither a reminder nor linked copies, and is none: `ThingStore.revise` changes such a thing. */
export const isPlain = ({ reminder, thing }: ThingWithReminder): boolean => reminder === undefined && !hasFamily(thing)

/** A list and what it holds, as they were at one moment; things in position order. */
export interface ListWithThings {
  readonly list: List
  /** Whether things and reminders were read. */
  readonly isWhole: boolean
  readonly things: ReadonlyArray<Thing>
  /** One for each thing that has one: for linked copies of one thing more than once the same. */
  readonly reminders: ReadonlyArray<Reminder>
}

/** A new thing; the write assigns its position and times. */
export type NewThing = Omit<Thing, "position" | "created" | "updated">

/**
 * A write of one thing under a key, whose record is stored with it. The answer has the times of the thing as `formatTime`
 * writes them, and nothing of its position.
 */
export interface KeyedThing extends KeyedWrite {
  /** The answer as it is stored in the record: JSON text. */
  readonly answerOf: (thing: Thing) => string
}

/** What one write makes of a thing and its reminder; a part that is omitted stays as it is. */
export interface Revision {
  /**
   * The thing as it is afterwards. The write assigns its `updated`, and its position where it moves to the end of another
   * list or `returns`.
   */
  readonly thing?: Thing
  /** Null removes it. A new one has the date of the write. */
  readonly reminder?: Reminder | NewReminder | null
  /** Of a repeating thing that this write completes. */
  readonly returns?: Return
}

/** What the caller of `ThingStore.revise` may provide: the thing as it was read before, and the key of the write. */
export interface RevisionContext {
  readonly seen?: ThingWithReminder | undefined
  readonly keyed?: KeyedThing | undefined
}

/** A reminder that the write dates. */
export type NewReminder = Omit<Reminder, "created">

/** How a repeating thing returns when it is completed (docs/decisions.md#completing). */
export interface Return {
  /** The completed copy, which takes the place of the thing; the write assigns its `updated`. */
  readonly copy: Thing
  /** The day list that the thing moves to; created when there is none of that day. */
  readonly dayList: NewList & { readonly day: string }
  /** Whether a thing in an ordinary list, which is no day list, stays there instead, right after its copy. */
  readonly staysInList: boolean
}

/** What makes two things of a list duplicates of each other. */
export interface DuplicateKeys {
  readonly urls: ReadonlyArray<string>
  /** Trimmed. */
  readonly texts: ReadonlyArray<string>
}

/** A tag in its most recent spelling, with how many things have it in any (`TextFold.tagKey`). */
export interface TagCount {
  /** As spelled on the most recently updated thing (then highest id). */
  readonly name: string
  readonly count: number
}

/** By count descending, then name. */
export const mostUsedFirst = (a: TagCount, b: TagCount): number =>
  b.count - a.count || collate(a.name, b.name) || compareText(a.name, b.name)

/** What a removal needs to know of things. */
export interface ThingsOutline {
  readonly count: number
  /** The lists that have one of them. */
  readonly lists: ReadonlyArray<ListId>
  /** Whether one of them is a live linked copy, or has some. */
  readonly hasFamilies: boolean
  /** The first ones in the order of the call. */
  readonly first: ReadonlyArray<Pick<Thing, "text" | "url">>
  /** The ids that name none, each once, in the order of the call. */
  readonly missing: ReadonlyArray<string>
}

/**
 * Things in their lists, in position order (docs/decisions.md#order-and-nesting). The owner is the first argument of every
 * method, or a field of what is stored: a foreign id is not found by construction.
 */
export class ThingStore extends Context.Service<
  ThingStore,
  {
    /** Undefined for an unknown id, malformed ones included. */
    readonly get: (owner: AccountId, id: string) => Stored<Thing | undefined>
    /** A thing with its reminder; a live linked copy has the reminder of its original. */
    readonly withReminder: (owner: AccountId, id: string) => Stored<ThingWithReminder | undefined>
    /**
     * Those that exist, by id ascending (the order in which adapters lock rows); strings that are not in id form are
     * skipped.
     */
    readonly getMany: (owner: AccountId, ids: ReadonlyArray<string>) => Stored<ReadonlyArray<Thing>>
    /** `ThingsOutline.first` has at most `names` things. */
    readonly outline: (owner: AccountId, ids: ReadonlyArray<string>, names: number) => Stored<ThingsOutline>
    /** All things of a list in their position order: sortTime, sequence, then id ascending. */
    readonly ofList: (owner: AccountId, listId: string) => Stored<ReadonlyArray<Thing>>
    /**
     * A list, with its things like `ofList` and their reminders as they were at the same moment. With a limit, it is not
     * whole, and no thing is read, when the list holds more or has no counter (`SizeStore`). Undefined for an unknown list.
     */
    readonly listWithThings: (owner: AccountId, list: ListRef, limit?: Size) => Stored<ListWithThings | undefined>
    /** The first `limit` things of a list in position order, after one of its things (exclusive) or from the start. */
    readonly ofListAfter: (
      owner: AccountId,
      listId: ListId,
      last: Pick<Thing, "id" | "position"> | undefined,
      limit: number
    ) => Stored<ReadonlyArray<Thing>>
    /** By `sort` descending, then id descending; the first page is 0. */
    readonly page: (owner: AccountId, filter: ThingFilter, page: number, size: number) => Stored<Page<Thing>>
    /** Text matches in the order of `SearchRank`, then `updated` descending, then id descending; all, or of one state. */
    readonly search: (owner: AccountId, query: string, limit: number, state?: ThingState) => Stored<Page<Thing>>
    /** The things whose ids have this part (`ShortId.hasPart`), by id ascending. Reads no other thing. */
    readonly byIdPart: (owner: AccountId, part: string, limit: number) => Stored<ReadonlyArray<Thing>>
    /**
     * Candidates for mistyped words: of the `limit` most recently updated things those of a state, by `updated`
     * descending, then id descending. Texts are truncated to 100 characters.
     */
    readonly recentTexts: (owner: AccountId, state: ThingState, limit: number) => Stored<ReadonlyArray<ThingText>>
    /** Ordered by `mostUsedFirst`. Of a family each member counts. */
    readonly tagCounts: (owner: AccountId) => Stored<ReadonlyArray<TagCount>>
    /**
     * The number of open things with a check box in each of these lists. Omits lists with more than `max` things, and
     * reads at most that many of a list.
     */
    readonly openCounts: (
      owner: AccountId,
      lists: ReadonlyArray<ListId>,
      max: number
    ) => Stored<ReadonlyMap<ListId, number>>
    /** The last position in each of these lists; empty ones are omitted. */
    readonly ends: (owner: AccountId, lists: ReadonlyArray<ListRef>) => Stored<ReadonlyMap<ListId, Position>>
    /** The last of the positions with each of these sortTimes, per list; sortTimes without things are omitted. */
    readonly lastAt: (
      owner: AccountId,
      sortTimes: ReadonlyMap<ListId, ReadonlyArray<EpochMillis>>
    ) => Stored<ReadonlyMap<ListId, ReadonlyArray<Position>>>
    /**
     * Opens a gap for one thing right after each of the given positions: increases the `sequence` of every thing in the
     * list by the number of given positions before it at the same sortTime.
     */
    readonly openGaps: (owner: AccountId, listId: ListId, positions: ReadonlyArray<Position>) => Stored<void>
    /**
     * The inverse of `openGaps` for positions whose things go: decreases the `sequence` of every thing in the list by
     * the number of given positions before it at the same sortTime.
     */
    readonly closeGaps: (owner: AccountId, listId: ListId, positions: ReadonlyArray<Position>) => Stored<void>
    /** The things that refer to these lists, by id. */
    readonly referringTo: (owner: AccountId, lists: ReadonlyArray<string>) => Stored<ReadonlyArray<Thing>>
    /** The live linked copies of these originals, oldest first (`created`, then id). */
    readonly clonesOf: (owner: AccountId, originals: ReadonlyArray<ThingId>) => Stored<ReadonlyArray<Thing>>
    /** Which of the given urls and trimmed texts occur in each list. */
    readonly duplicates: (
      owner: AccountId,
      keys: ReadonlyMap<ListId, DuplicateKeys>
    ) => Stored<ReadonlyMap<ListId, { readonly urls: ReadonlySet<string>; readonly texts: ReadonlySet<string> }>>
    /**
     * Appends a thing to its list, in a write of its own or as part of the fiber's outer `transact`; equivalent to
     * `Storage.transact` with a position allocator, `insert` and `ListStore.touch`. The thing is no live linked copy, has
     * no `listRef` and no `markup` and is not backdated. Undefined for an unknown list, `NotFound` for an unknown
     * account. `no room`, without writing, when it may exceed `SizeLimits`; `Capacity` decides exactly. `repeated`,
     * without writing, when it is `keyed` and its key has a record already, or the adapter cannot store that in the same
     * step. A keyed write is one of its own.
     */
    readonly append: (
      fields: NewThing,
      keyed?: KeyedThing
    ) => Effect.Effect<Thing | "no room" | "repeated" | undefined, NotFound | StorageUnavailable>
    /**
     * Replaces a plain thing, one without a reminder and without linked copies, by what `decide` makes of it, with the
     * write timestamp as its `updated`, and touches its list: a write of its own. `decide` must leave position, list,
     * linked copies and sub-list as they are. Undefined, with nothing written, where only `transact` can decide: where
     * there is no such plain thing, where `decide` declines by undefined, where another write changes the thing
     * meanwhile, where it may not fit into its `SizeLimits`, within an outer `transact`, in a dry run, and where it is
     * `keyed` and would be `repeated`.
     */
    readonly revise: (
      owner: AccountId,
      id: string,
      decide: (found: ThingWithReminder) => Effect.Effect<Thing | undefined>,
      context?: RevisionContext
    ) => Effect.Effect<Thing | undefined, NotFound | StorageUnavailable>
    /**
     * Like `revise`, for a thing together with its reminder: what becomes of both was decided from `seen`, so both must
     * still be as they were seen. Returns both as they are afterwards; undefined also when the list that the thing moves
     * to does not exist. `removed` removes both and returns them as they were; the sub-list stays.
     *
     * Where the thing returns, `keyed.answerOf` may be given a thing in `returns.dayList`; the stored answer has the id of
     * the list that the thing is in afterwards. An adapter may write only the fields in which `seen.thing` differs from
     * `returns.copy`, or from `revision.thing` where it does not return.
     */
    readonly reviseIfUnchanged: (
      owner: AccountId,
      seen: ThingWithReminder,
      revision: Revision | "removed",
      keyed?: KeyedThing
    ) => Effect.Effect<ThingWithReminder | undefined, NotFound | StorageUnavailable>
    /** The things have one owner; their lists exist. */
    readonly insert: (owner: AccountId, things: ReadonlyArray<Thing>) => Stored<void>
    /**
     * Replaces every field of existing things. `before` has them as the caller's transaction has read them, by id, where
     * it has: an adapter may then send no more than what differs.
     */
    readonly put: (owner: AccountId, things: ReadonlyArray<Thing>, before?: ReadonlyMap<ThingId, Thing>) => Stored<void>
    /**
     * Removes their reminders as well. Returns the number that existed: `known` where the caller's transaction has read
     * it, so that an adapter need not wait for it.
     */
    readonly remove: (owner: AccountId, ids: ReadonlyArray<string>, known?: number) => Stored<number>
    /**
     * Sets `listRef` to null, and `updated`, on things that refer to this list; returns the lists of those things, each
     * once.
     */
    readonly clearListRef: (owner: AccountId, listId: ListId, updated: EpochMillis) => Stored<ReadonlyArray<ListId>>
  }
>()("@lists-and-things/domain/ports/ThingStore") {}
