import { Context } from "effect"
import type { AccountId, ThingId } from "../model/Ids.ts"
import type { Entity, EntityChange, EntityKey, Operation, OperationId } from "../model/Operation.ts"
import type { Page, Stored } from "./Storage.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"

/** The filter of `GET /operations`, and `before`; omitted fields match everything. */
export interface OperationFilter {
  /** `id` of the actor (`Operation.by`). */
  readonly byId?: string
  /** Exclusive. */
  readonly since?: EpochMillis
  /** Exclusive. */
  readonly before?: EpochMillis
  /** Operations on this thing or its reminder. */
  readonly thingId?: string
  /** The original of `thingId`, if that is a live linked copy: operations on the reminder that they share match too. */
  readonly originalId?: ThingId
  /** Operations that changed this list or moved its `updated`, as those on its things and their reminders do. */
  readonly listId?: string
}

/** A point in the account's history: between this operation and the next one. */
export interface HistoryPoint {
  /** The write timestamp up to which operations are before the point, inclusive. */
  readonly at: EpochMillis
  /** The last operation at or before `at`; undefined before the first. */
  readonly operation: OperationId | undefined
}

/** The part of an operation's changes that fits on a page of the feed. */
export interface Following {
  readonly id: OperationId
  /** The write timestamp of the operation. */
  readonly at: EpochMillis
  /**
   * Entities that it created, updated or deleted, and also lists of which only `updated` moved and things that were
   * shifted by a gap; each once, in an order that stays the same.
   */
  readonly keys: ReadonlyArray<EntityKey>
  /** How many keys of this operation come after these. */
  readonly rest: number
}

/** The first entities of an operation; `hasMore` when there are others after them. */
export interface EntityChanges {
  readonly items: ReadonlyArray<EntityChange>
  readonly hasMore: boolean
}

/** What requests that wait for changes are woken or ended by. */
export interface Watched {
  /** The last write timestamps of the accounts; those that do not exist are omitted. */
  readonly lastWrites: ReadonlyMap<AccountId, EpochMillis>
  /** The keys that are revoked or do not exist. */
  readonly revoked: ReadonlySet<string>
}

/** A later operation, which may block an undo (docs/history.md#undo). */
export interface LaterOperation {
  readonly operation: Operation
  /** The entities among the given ones that it changed. */
  readonly keys: ReadonlyArray<EntityKey>
}

/**
 * Operations and the entities that they changed. `Storage.transact` records them: within it, every method of the other
 * stores that changes an entity notes the change, and an operation is stored with the commit when there is any. Images
 * are copies of entities as they were before the operation first changed them; `HistoryRetention` says how long they
 * are kept.
 *
 * `ListStore.touch` and `ThingStore.openGaps` change no entity, nor does a `put` of a list or a thing that moves only
 * `updated`: `following` has what they moved, `entities` has not. An entity that was created and removed within an
 * operation is none of it.
 */
export class HistoryStore extends Context.Service<
  HistoryStore,
  {
    /** By `at` descending; the first page is 0. */
    readonly page: (owner: AccountId, filter: OperationFilter, page: number, size: number) => Stored<Page<Operation>>
    /** Undefined for an unknown id, and once the operation was pruned. */
    readonly get: (owner: AccountId, id: string) => Stored<Operation | undefined>
    /** The first `limit` entities, by type in the order of `entityTypes`, then id; undefined when the images are gone. */
    readonly entities: (owner: AccountId, at: EpochMillis, limit: number) => Stored<EntityChanges | undefined>
    /** Whether the operation changed nothing but what it created; false when its images are gone. */
    readonly onlyCreated: (owner: AccountId, at: EpochMillis) => Stored<boolean>
    /**
     * These entities as they were right after the operation of that time. Those that did not exist are omitted, and
     * those whose image is gone.
     */
    readonly after: (owner: AccountId, at: EpochMillis, keys: ReadonlyArray<EntityKey>) => Stored<ReadonlyArray<Entity>>
    /** The operations after `at` (exclusive) that changed one of these entities, oldest first. */
    readonly later: (
      owner: AccountId,
      at: EpochMillis,
      keys: ReadonlyArray<EntityKey>
    ) => Stored<ReadonlyArray<LaterOperation>>
    /**
     * What operations changed of these entities, which must be of theirs, by the operations' times. Those whose images
     * are gone are omitted.
     */
    readonly changesOf: (
      owner: AccountId,
      operations: ReadonlyArray<{ readonly at: EpochMillis; readonly keys: ReadonlyArray<EntityKey> }>
    ) => Stored<ReadonlyMap<EpochMillis, ReadonlyArray<EntityChange>>>
    /** Marks the operation of that time as undone by another. Inside `Storage.transact`. */
    readonly putUndoneBy: (owner: AccountId, at: EpochMillis, undoneBy: OperationId) => Stored<void>
    /** The end of the history as the fiber sees it; `at` is the account's last write timestamp. */
    readonly head: (owner: AccountId) => Stored<HistoryPoint>
    /** Whether the history still holds everything after this point. */
    readonly covers: (owner: AccountId, point: HistoryPoint) => Stored<boolean>
    /**
     * The operations after `at` (exclusive), oldest first, until they have `limit` keys together. The first `skip` keys of
     * the first operation are left out.
     */
    readonly following: (
      owner: AccountId,
      at: EpochMillis,
      skip: number,
      limit: number
    ) => Stored<ReadonlyArray<Following>>
    /** Looks up, in one read for all waiting requests, what they wait for. */
    readonly watch: (owners: ReadonlyArray<AccountId>, keys: ReadonlyArray<string>) => Stored<Watched>
    /** These entities as the fiber sees them, in the order of the keys; those that do not exist are omitted. */
    readonly current: (owner: AccountId, keys: ReadonlyArray<EntityKey>) => Stored<ReadonlyArray<Entity>>
    /** The first `limit` entities of a part by id, after an id (exclusive) or from the start. */
    readonly state: (
      owner: AccountId,
      part: StatePart,
      after: string | undefined,
      limit: number
    ) => Stored<ReadonlyArray<Entity>>
    /** The write timestamp of the last change of settings or places; 0 before the first. */
    readonly settingsChanged: (owner: AccountId) => Stored<EpochMillis>
    /** Whether every program that may write to this data records its writes. */
    readonly isComplete: Stored<boolean>
    /**
     * Removes at most `max` of the oldest operations at or before a time, never the newest of an account; returns how
     * many.
     */
    readonly prune: (notAfter: EpochMillis, max: number) => Stored<number>
    /**
     * Removes the oldest images of accounts whose images take more than `bytes`, until they do not, of at most `max`
     * operations; returns of how many.
     */
    readonly pruneImages: (bytes: number, max: number) => Stored<number>
    /**
     * Removes images at once: those of one operation, or of all before a time (exclusive). Returns of how many
     * operations.
     */
    readonly erase: (
      owner: AccountId,
      which: { readonly operation: string } | { readonly before: EpochMillis }
    ) => Stored<number>
  }
>()("@lists-and-things/domain/ports/HistoryStore") {}

/** The parts in which the whole state is read, in this order. */
export const stateParts = ["account", "places", "lists", "originals", "copies", "reminders"] as const
export type StatePart = (typeof stateParts)[number]
