import { Context } from "effect"
import type { AccountId, ListId } from "../model/Ids.ts"
import type { List } from "../model/List.ts"
import type { Page, Stored } from "./Storage.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"

/** A list as the candidate for a mistyped name. */
export interface ListTitle {
  readonly id: ListId
  readonly title: string
}

/** A list by its id, or the day list of a date. */
export type ListRef = string | { readonly day: string }

/** A list whose times are those of the write that stores it. */
export type NewList = Omit<List, "created" | "updated">

/**
 * Which lists a page has; without one all that are not archived. `ordinary` ones are those that are no day lists, which
 * `days` are.
 */
export type ListSelection = "favorited" | "archived" | "ordinary" | "days"

/**
 * Lists, day lists included (docs/decisions.md#lists-and-day-lists). The owner is the first argument of every method, or
 * a field of what is stored: a foreign id is not found by construction.
 */
export class ListStore extends Context.Service<
  ListStore,
  {
    /** Archived ones and day lists included. */
    readonly get: (owner: AccountId, id: string) => Stored<List | undefined>
    /** Those that exist, in no particular order. */
    readonly getMany: (owner: AccountId, ids: ReadonlyArray<string>) => Stored<ReadonlyArray<List>>
    /** The day list of a date, `YYYY-MM-DD` on the owner's clock; archived or not. */
    readonly byDay: (owner: AccountId, day: string) => Stored<List | undefined>
    /**
     * Lists, archived ones included, whose titles equal one of these under `TextFold.titleKey`; at most 50 per key, by
     * id. The caller distinguishes exact from folded matches.
     */
    readonly byTitles: (owner: AccountId, titles: ReadonlyArray<string>) => Stored<ReadonlyArray<List>>
    /**
     * Candidates for a mistyped name: lists that are neither archived nor day lists, by `updated` descending, then id
     * descending, at most `limit`. Titles are truncated to 100 characters.
     */
    readonly titles: (owner: AccountId, limit: number) => Stored<ReadonlyArray<ListTitle>>
    /**
     * Excludes archived lists and empty day lists; by `updated` descending, then id descending. With `only` the page has
     * some of these, the days by their dates, the last one first; or the archived lists alone. The first page is 0.
     */
    readonly page: (owner: AccountId, page: number, size: number, only?: ListSelection) => Stored<Page<List>>
    /** Every list, by id ascending. */
    readonly all: (owner: AccountId) => Stored<ReadonlyArray<List>>
    /**
     * Title matches in the order of `SearchRank`, then `updated` descending, then id descending; includes archived
     * lists.
     */
    readonly search: (owner: AccountId, query: string, limit: number) => Stored<Page<List>>
    /** Does not fail when a day list of that date exists already: returns the existing one. */
    readonly insert: (list: List) => Stored<List>
    /** Replaces every field of an existing list. */
    readonly put: (list: List) => Stored<void>
    /** Sets `updated` of these lists; ids without a list are skipped. */
    readonly touch: (owner: AccountId, ids: ReadonlyArray<ListId>, updated: EpochMillis) => Stored<void>
    /** Removes its things and their reminders as well. True when it existed. */
    readonly remove: (owner: AccountId, id: string) => Stored<boolean>
  }
>()("@lists-and-things/domain/ports/ListStore") {}
