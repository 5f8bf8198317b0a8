import type { AccountId, ListId } from "./Ids.ts"
import type { EpochMillis } from "./EpochMillis.ts"

/** The orders that a list may be shown in (docs/decisions.md#order-and-nesting). */
export const listSorts = [
  "chronological",
  "reverse-chronological",
  "alphabetical",
  "reverse-alphabetical",
  "modified"
] as const
export type ListSort = (typeof listSorts)[number]

/** The contract's List as stored; `today` is computed on reading. */
export interface List {
  readonly id: ListId
  readonly owner: AccountId
  readonly title: string
  /** Empty for none. */
  readonly emoji: string
  /** The calendar date (`YYYY-MM-DD`, in the owner's zone) of a day list; null for any other list. */
  readonly day: string | null
  readonly favorited: boolean
  readonly archived: boolean
  readonly sort: ListSort
  readonly created: EpochMillis
  /** Changes with the list's own fields, its things and their reminders. */
  readonly updated: EpochMillis
}
