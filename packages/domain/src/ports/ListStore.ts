import { Context } from "effect"
import type { AccountId, ListId } from "../model/Ids.ts"
import type { List } from "../model/List.ts"
import type { Page, Stored } from "./Storage.ts"

export interface ListTitle {
  readonly id: ListId
  readonly title: string
}

/** Owner first in every method: a foreign id is not found by construction. */
export class ListStore extends Context.Service<
  ListStore,
  {
    readonly get: (owner: AccountId, id: string) => Stored<List | undefined>
    /** Those that exist, in no particular order. */
    readonly getMany: (owner: AccountId, ids: ReadonlyArray<string>) => Stored<ReadonlyArray<List>>
    readonly byDay: (owner: AccountId, day: string) => Stored<List | undefined>
    /**
     * Archived ones included; equal to one of the titles under `TextFold.titleKey`, at most 50 of each key, by id. The
     * caller tells exact from folded.
     */
    readonly byTitles: (owner: AccountId, titles: ReadonlyArray<string>) => Stored<ReadonlyArray<List>>
    /**
     * What a mistyped name may have meant: lists that are neither archived nor a day's, `updated` descending, then id
     * descending, at most `limit`. Of a long title the first 100 characters.
     */
    readonly titles: (owner: AccountId, limit: number) => Stored<ReadonlyArray<ListTitle>>
    /** Not archived, and not a day list without things; `updated` descending, then id descending. */
    readonly page: (owner: AccountId, page: number, size: number) => Stored<Page<List>>
    /** Every list, by id ascending. */
    readonly all: (owner: AccountId) => Stored<ReadonlyArray<List>>
    /** Title matches in the order of `SearchRank`, then `updated` descending, then id descending; archived ones too. */
    readonly search: (owner: AccountId, query: string, limit: number) => Stored<Page<List>>
    /** Fails nothing when a day list of that date exists already: answers the one that is there. */
    readonly insert: (list: List) => Stored<List>
    /** Replaces every field of an existing list. */
    readonly put: (list: List) => Stored<void>
    readonly touch: (owner: AccountId, ids: ReadonlyArray<ListId>, updated: number) => Stored<void>
    /** Its things and their reminders go with it. True when there was one. */
    readonly remove: (owner: AccountId, id: string) => Stored<boolean>
  }
>()("@lists-and-things/domain/ports/ListStore") {}
