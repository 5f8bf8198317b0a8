import type { Account } from "@lists-and-things/domain/caller/Account"
import type { ApiKey } from "@lists-and-things/domain/caller/ApiKey"
import type { List } from "@lists-and-things/domain/lists/List"
import type { SavedPlace } from "@lists-and-things/domain/places/Place"
import type { AccountSecrets } from "@lists-and-things/domain/ports/AccountStore"
import type { Receipt } from "@lists-and-things/domain/ports/ReceiptStore"
import type { Reminder } from "@lists-and-things/domain/reminders/Reminder"
import type { Thing } from "@lists-and-things/domain/things/Thing"
import { Table } from "./Table.ts"

/** Everything of one account; only ever written in a fork that a transaction holds. */
export interface OwnerData {
  account: Account
  secrets: AccountSecrets
  /** The stamp of the last committed write; 0 before the first. */
  lastStamp: number
  readonly keys: Table<ApiKey>
  readonly lists: Table<List>
  readonly things: Table<Thing>
  /** By thing id: a thing has at most one. */
  readonly reminders: Table<Reminder>
  readonly places: Table<SavedPlace>
  readonly receipts: Table<Receipt>
}

export const newOwner = (account: Account): OwnerData => ({
  account,
  secrets: { passwordHash: null, feedToken: null },
  lastStamp: 0,
  keys: new Table(),
  lists: new Table(),
  things: new Table(),
  reminders: new Table(),
  places: new Table(),
  receipts: new Table()
})

export const forkOwner = (data: OwnerData): OwnerData => ({
  ...data,
  keys: data.keys.fork(),
  lists: data.lists.fork(),
  things: data.things.fork(),
  reminders: data.reminders.fork(),
  places: data.places.fork(),
  receipts: data.receipts.fork()
})
