import * as PgPool from "@effect/sql-pg/PgPool"
import type { Effect, Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { PgStorageConfig } from "./PgStorageConfig.ts"
import type { Servers } from "./Servers.ts"

/** Milliseconds for which a statement waits for a connection. */
export const waitForConnection = 1_000
/** Statements that one connection has under way at the same time. */
export const pipelineConcurrency = 16

/**
 * What every connection sets, since statements count on it: limits, settings of the planner, how arrays are read and
 * numbers written, by name. Times are in milliseconds.
 */
export const sessionSettings: Readonly<Record<string, string>> = {
  statement_timeout: "5000",
  lock_timeout: "2000",
  idle_in_transaction_session_timeout: "10000",
  default_transaction_isolation: "read committed",
  array_nulls: "on",
  extra_float_digits: "1",
  jit: "off",
  random_page_cost: "1.1"
}

/** The same limits for one transaction, for sessions that a pooler gives to a different client each time. */
export const transactionSettings = `select ${Object.entries(sessionSettings)
  .filter(([name]) => name !== "default_transaction_isolation")
  .map(([name, value]) => `set_config('${name}', '${value}', true)`)
  .join(", ")}`

export const makePool = (
  { connectTimeout = 1_000, pooler }: PgStorageConfig,
  applicationName: string,
  driver: Servers["driver"],
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
    ...driver,
    applicationName,
    connectTimeout,
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
