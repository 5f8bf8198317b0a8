import type { Account } from "@lists-and-things/domain/model/Account"
import type { ApiKey } from "@lists-and-things/domain/model/ApiKey"
import type { List } from "@lists-and-things/domain/model/List"
import type { SavedPlace } from "@lists-and-things/domain/model/Place"
import type { AccountSecrets } from "@lists-and-things/domain/ports/AccountStore"
import type { ListRef } from "@lists-and-things/domain/ports/ListStore"
import type { IdempotencyRecord } from "@lists-and-things/domain/ports/IdempotencyStore"
import type { Reminder } from "@lists-and-things/domain/model/Reminder"
import type { EntityChange, EntityKey, Operation } from "@lists-and-things/domain/model/Operation"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { minus, nothing, plus, type Size, sizeOf } from "@lists-and-things/domain/model/Size"
import type { Webhook } from "@lists-and-things/domain/model/Webhook"
import { Table } from "./Table.ts"
import { epoch, type EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

/** The data of one account; only the fork of a transaction is ever written. */
export interface OwnerData {
  account: Account
  secrets: AccountSecrets
  /** The write timestamp of the last committed write; 0 before the first. */
  lastWrite: EpochMillis
  /** The size of all things; maintained by `putThing` and `dropThing`, as is `sizes`. */
  size: Size
  readonly keys: Table<ApiKey>
  readonly lists: Table<List>
  readonly things: Table<Thing>
  /** By list id; no entry for a list that never had things. */
  readonly sizes: Table<Size>
  /** By thing id: a thing has at most one. */
  readonly reminders: Table<Reminder>
  readonly places: Table<SavedPlace>
  readonly webhooks: Table<Webhook>
  readonly records: Table<StoredRecord>
  /** By write timestamp. */
  readonly operations: Table<Recorded>
  /** Operations at or before this time were pruned; 0 before the first. */
  historyFrom: EpochMillis
  /** The write timestamp of the last change of settings or places; 0 before the first. */
  settingsChanged: EpochMillis
}

/** An operation and what it changed. */
export interface Recorded {
  readonly operation: Operation
  /** The changed entities, by type, then id. */
  readonly entities: ReadonlyArray<EntityChange>
  /** The entities, and the lists and things that were only touched or shifted; by type, then id. */
  readonly keys: ReadonlyArray<EntityKey>
  /** Ids of the things whose reminders it changed. */
  readonly remindedThings: ReadonlySet<string>
  readonly hasImages: boolean
  /** Bytes of its images as JSON, about as many as in another storage. */
  readonly bytes: number
}

export interface StoredRecord extends IdempotencyRecord {
  /** The write timestamp of the transaction that stored it. */
  readonly writeTimestamp: EpochMillis
}

export const noSecrets: AccountSecrets = { passwordHash: null, feedToken: null, passwordLink: null }

export const newOwner = (account: Account): OwnerData => ({
  account,
  secrets: noSecrets,
  lastWrite: epoch,
  size: nothing,
  keys: new Table(),
  lists: new Table(),
  things: new Table(),
  sizes: new Table(),
  reminders: new Table(),
  places: new Table(),
  webhooks: new Table(),
  records: new Table(),
  operations: new Table(),
  historyFrom: epoch,
  settingsChanged: epoch
})

export const forkOwner = (data: OwnerData): OwnerData => ({
  ...data,
  keys: data.keys.fork(),
  lists: data.lists.fork(),
  things: data.things.fork(),
  sizes: data.sizes.fork(),
  reminders: data.reminders.fork(),
  places: data.places.fork(),
  webhooks: data.webhooks.fork(),
  records: data.records.fork(),
  operations: data.operations.fork()
})

/** Inserts or replaces a thing. */
export const putThing = (data: OwnerData, thing: Thing): void => {
  uncount(data, data.things.get(thing.id))
  data.things.set(thing.id, thing)
  data.sizes.set(thing.listId, plus(data.sizes.get(thing.listId) ?? nothing, sizeOf(thing)))
  data.size = plus(data.size, sizeOf(thing))
}

/** Removes a thing and its reminder. */
export const dropThing = (data: OwnerData, id: string): void => {
  uncount(data, data.things.get(id))
  data.things.delete(id)
  data.reminders.delete(id)
}

/** Copies whose original is removed become ordinary things. */
export const releaseCopies = (data: OwnerData, gone: ReadonlyArray<Thing>): void => {
  const originals = new Set<string | null>(gone.filter(({ hasClones }) => hasClones).map(({ id }) => id))
  if (originals.size === 0) return
  for (const thing of [...data.things.values()])
    if (originals.has(thing.cloneOf)) data.things.set(thing.id, { ...thing, cloneOf: null })
}

/** Sets `updated` of these lists without recording a change of the entity; ids without a list are skipped. */
export const touchLists = ({ lists }: OwnerData, ids: Iterable<string>, updated: EpochMillis): void => {
  for (const id of ids) {
    const list = lists.get(id)
    if (list !== undefined) lists.adjust(id, { ...list, updated })
  }
}

const uncount = (data: OwnerData, thing: Thing | undefined): void => {
  if (thing === undefined) return
  data.sizes.set(thing.listId, minus(data.sizes.get(thing.listId) ?? nothing, sizeOf(thing)))
  data.size = minus(data.size, sizeOf(thing))
}

export const dayListOf = (data: OwnerData, day: string): List | undefined =>
  data.lists.values().find((list) => list.day === day)

export const idOf = (data: OwnerData, list: ListRef): string | undefined =>
  typeof list === "string" ? list : dayListOf(data, list.day)?.id
