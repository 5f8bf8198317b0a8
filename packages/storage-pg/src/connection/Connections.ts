import * as PgPool from "@effect/sql-pg/PgPool"
import type { Effect, Redacted, Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Reserve } from "./FreeSpace.ts"
import type { OlderSchema } from "../Migrations.ts"
import type { Servers } from "./Servers.ts"

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
  /** How long to wait for the server at start, in milliseconds; default 30,000. */
  readonly startWithin?: number | undefined
  /** Space that must stay free on the disk, when the server's disk is on this machine. */
  readonly reserve?: Reserve | undefined
  /** Milliseconds from which on a statement is logged as slow; none when left out. */
  readonly slowMillis?: number | undefined
  /** What to do about a schema of an older release; default `migrate`. */
  readonly olderSchema?: OlderSchema | undefined
}

export const waitForConnection = 1_000
const statementTimeout = 5_000
export const pipelineConcurrency = 16

/**
 * What every connection sets, since statements count on it: limits, settings of the planner and how arrays are read, by
 * name. Times are in milliseconds.
 */
export const sessionSettings: Readonly<Record<string, string>> = {
  statement_timeout: String(statementTimeout),
  lock_timeout: "2000",
  idle_in_transaction_session_timeout: "10000",
  default_transaction_isolation: "read committed",
  array_nulls: "on",
  jit: "off",
  random_page_cost: "1.1"
}

/** The same limits for one transaction, for sessions that a pooler gives to a different client each time. */
export const transactionSettings = `select ${Object.entries(sessionSettings)
  .filter(([name]) => name !== "default_transaction_isolation")
  .map(([name, value]) => `set_config('${name}', '${value}', true)`)
  .join(", ")}`

export const makePool = (
  { pooler }: PgStorageConfig,
  applicationName: string,
  servers: Servers,
  options: {
    /** Whether statements that are sent at the same time share a flush. */
    readonly pipeline: boolean
    /** Users of one connection at the same time. */
    readonly concurrency: number
    readonly maxConnections: number
    /** Whether a statement keeps its first plan, whatever its parameters are. */
    readonly planOnce?: boolean
  }
): Effect.Effect<PgPool.PgPool, SqlError, Scope.Scope> =>
  PgPool.make({
    ...servers.driver,
    applicationName,
    connectTimeout: 1_000,
    prepare: pooler === undefined,
    preparedStatementCacheSize: 200,
    maxMessageSize: 256 * 1024 * 1024,
    multiplex: options.pipeline,
    multiplexConcurrency: options.concurrency,
    maxConnections: options.maxConnections,
    minConnections: 0,
    idleTimeout: 60_000,
    // The zone is one of the few parameters that poolers pass on.
    startupParameters: {
      timezone: "UTC",
      ...(pooler === undefined && {
        ...sessionSettings,
        plan_cache_mode: options.planOnce === true ? "force_generic_plan" : "auto"
      })
    }
  })
