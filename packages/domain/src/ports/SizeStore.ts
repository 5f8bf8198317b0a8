import { Context } from "effect"
import type { AccountId, ListId } from "../model/Ids.ts"
import type { Size } from "../model/Size.ts"
import type { ListRef } from "./ListStore.ts"
import type { Stored } from "./Storage.ts"

/** The sizes of an account and some of its lists. */
export interface Sizes {
  readonly account: Size
  /** Those lists that exist. */
  readonly lists: ReadonlyMap<ListId, Size>
}

/**
 * Maintained sizes: every write of the other stores updates, in its own transaction, the sum of `sizeOf` over the
 * things of each list and of the account.
 */
export class SizeStore extends Context.Service<
  SizeStore,
  {
    /** The size of one list; undefined when it does not exist. Counts its things where no valid counter exists. */
    readonly ofList: (owner: AccountId, list: string) => Stored<Size | undefined>
    /** The account's counter as stored, without counting anything; 0 for an unknown account. */
    readonly ofAccount: (owner: AccountId) => Stored<Size>
    /** As seen by the fiber's transaction. Inside `Storage.transact`. */
    readonly sizes: (owner: AccountId, lists: ReadonlyArray<ListRef>) => Stored<Sizes>
  }
>()("@lists-and-things/domain/ports/SizeStore") {}
