import { Context, type Effect } from "effect"
import type { AccountId } from "../model/Ids.ts"
import type { Stored } from "./Storage.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"

/** How much there is, in all accounts or in one. */
export interface StorageStats {
  readonly accounts: number
  readonly keys: number
  readonly lists: number
  readonly things: number
  readonly reminders: number
  /** Bytes; null when the adapter stores nothing on disk, or when counted for one account. */
  readonly bytesOnDisk: number | null
}

/** Where the data is and what its schema and its server can do, for `lat db status` and `lat doctor`. */
export interface StorageStatus {
  readonly adapter: "memory" | "postgres"
  /** The location of the data, without secrets: a folder, or `host:port/database`. Of several hosts, also the one in use. */
  readonly location: string
  /** Whether the server is the one that the product starts and stops by itself. */
  readonly embedded: boolean
  /** Such as `18.4`; null for memory. */
  readonly serverVersion: string | null
  /** The number of the last migration that was applied; 0 for memory. */
  readonly schemaVersion: number
  /** The number of the last migration that this release has; 0 for memory. */
  readonly latestSchemaVersion: number
  /** False for a standby, and for a database that was set to be read only. */
  readonly acceptsWrites: boolean
  /** `host:port` of other servers of the same address that accept writes as well, such as a former primary. */
  readonly otherWritable: ReadonlyArray<string>
  /** Connected processes of this product. */
  readonly processes: number
  /** Whether text search runs on a trigram index. */
  readonly trigrams: boolean
  /**
   * Settings that the role lacks behind a pooler, each as the command that an administrator runs; null without a pooler.
   */
  readonly missingRoleSettings: ReadonlyArray<string> | null
  /** By the storage's own clock. */
  readonly clock: EpochMillis
  /** The latest write timestamp of any account (`Storage.transact`); null before the first. */
  readonly lastWrite: EpochMillis | null
}

/** Connections of this process to its storage. */
export interface StorageConnections {
  readonly open: number
  /** Those that have a statement or a transaction. */
  readonly busy: number
  /** Statements and transactions that wait for one. */
  readonly waiting: number
  /** How many waited for too long, since the start of the process. */
  readonly refused: number
}

/** What the history takes, over all accounts. */
export interface HistoryFootprint {
  /** Of rows, images and indexes of all accounts; null when the adapter stores nothing on disk. */
  readonly bytes: number | null
  /** The time of the oldest operation; null when there is none. */
  readonly oldest: EpochMillis | null
}

/** The references that no constraint of the storage holds, each as `Orphans.what` says it. */
export const orphanKinds = {
  listRef: "things that link to a list",
  cloneOf: "copies of a thing"
} as const

/** References of one kind whose other side is not there: each is a defect of this product, or of who wrote by hand. */
export interface Orphans {
  /** Such as `things that link to a list`. */
  readonly what: string
  /** At least 1. */
  readonly count: number
}

/** Operator functions; no use case depends on it. */
export class StorageAdmin extends Context.Service<
  StorageAdmin,
  {
    readonly status: Stored<StorageStatus>
    readonly connections: Effect.Effect<StorageConnections>
    readonly history: Stored<HistoryFootprint>
    /** Of all accounts, or of one; an unknown one has nothing. */
    readonly stats: (owner?: AccountId) => Stored<StorageStats>
    /** The kinds of references of which there are some whose other side is missing. Reads every account. */
    readonly orphans: Stored<ReadonlyArray<Orphans>>
    /** Brings the schema up to date; returns the versions that were applied. */
    readonly migrate: Stored<ReadonlyArray<number>>
  }
>()("@lists-and-things/domain/ports/StorageAdmin") {}
