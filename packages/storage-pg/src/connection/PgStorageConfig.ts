import type { Redacted } from "effect"
import type { Reserve } from "./FreeSpace.ts"

/** What to do about a schema older than the program needs. An empty database is always set up. */
export type OlderSchema = "migrate" | "refuse" | "accept"

/** The address of the database, and how many connections one process may open to it. */
export interface PgStorageConfig {
  /**
   * `postgres://user:password@host:port/database`, or with `?host=/folder` for a Unix socket. Of several hosts, separated
   * by commas, the first that accepts writes is used (docs/deploy.md#a-database-that-fails-over).
   */
  readonly url: Redacted.Redacted<string>
  /** The mode of the pooler in front of the server, if there is one (docs/deploy.md#behind-a-pooler). */
  readonly pooler?: "transaction" | undefined
  /** Shown to operators: a folder; `host:port/database` when left out. */
  readonly location?: string | undefined
  /** Whether the server is the embedded one, which this product runs itself. */
  readonly embedded?: boolean | undefined
  /**
   * Maximum number of concurrent transactions; default 10. Short reads and long reads have 4 further connections each.
   */
  readonly maxConnections?: number | undefined
  /** How long opening a connection may take, in milliseconds; default 1,000. */
  readonly connectTimeout?: number | undefined
  /** How long to wait for the server at start, in milliseconds; default 30,000. */
  readonly startWithin?: number | undefined
  /** Space that must stay free on the disk, when the server's disk is on this machine. */
  readonly reserve?: Reserve | undefined
  /** A statement that takes this many milliseconds or more is logged as slow; none when left out. */
  readonly slowMillis?: number | undefined
  /** What to do about a schema of an older release; default `migrate`. */
  readonly olderSchema?: OlderSchema | undefined
}
