import { Context } from "effect"
import type { AccountId, ListId } from "../model/Ids.ts"
import type { Size } from "../model/Size.ts"
import type { Stored } from "./Storage.ts"

/** What an account and some of its lists hold. */
export interface Sizes {
  readonly account: Size
  /** Those lists that exist. */
  readonly lists: ReadonlyMap<ListId, Size>
}

/**
 * How much there is, without counting it: every write of the other stores keeps the sum of `sizeOf` of the things, for
 * each list and for the account, in its own transaction.
 */
export class SizeStore extends Context.Service<
  SizeStore,
  {
    /** What one list holds; undefined when it is not there. Counts it where no counter is right. */
    readonly ofList: (owner: AccountId, list: string) => Stored<Size | undefined>
    /** As the transaction of the fiber sees it. Inside `Storage.transact`. */
    readonly sizes: (owner: AccountId, lists: ReadonlyArray<ListId>) => Stored<Sizes>
  }
>()("@lists-and-things/domain/ports/SizeStore") {}
