import * as PgPool from "@effect/sql-pg/PgPool"
import { Effect, Redacted, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as Net from "node:net"
import type { Reserve } from "./FreeSpace.ts"
import type { OlderSchema } from "../Migrations.ts"
import { ResponseTimeout } from "./SqlErrors.ts"

/** The address of the database, and how many connections one process may open to it. */
export interface PgStorageConfig {
  /** `postgres://user:password@host:port/database`, or with `?host=/folder` for a Unix socket. */
  readonly url: Redacted.Redacted<string>
  /** Shown to operators: a folder; `host:port/database` when left out. */
  readonly location?: string | undefined
  /** Whether the server is the embedded one, which this product runs itself. */
  readonly embedded?: boolean | undefined
  /**
   * Maximum number of concurrent transactions; default 10. Short reads and long reads have 4 further connections each.
   */
  readonly maxConnections?: number | undefined
  /** False behind a pooler that does not support prepared statements. */
  readonly prepare?: boolean | undefined
  /** How long to wait for the server at start, in milliseconds; default 30,000. */
  readonly startWithin?: number | undefined
  /** Space that must stay free on the disk, when the server's disk is on this machine. */
  readonly reserve?: Reserve | undefined
  /** What to do about a schema of an older release; default `migrate`. */
  readonly olderSchema?: OlderSchema | undefined
}

export const waitForConnection = 1_000
const statementTimeout = 5_000
/** Milliseconds. Longer than the server's own statement timeout: a server that takes longer will not answer at all. */
const responseTimeout = 5_300
export const pipelineConcurrency = 16

/** Statements that wait for their answer, over all connections of the process. */
export interface InFlight {
  statements: number
}

export interface Address {
  readonly host: string
  readonly port: number
  readonly database: string
  /** The path of the Unix socket, if the address is one. */
  readonly path: string | undefined
}

/** Hides the cause: the URL contains a password, and the error of `new URL` contains the URL. */
const parse = (url: Redacted.Redacted<string>): URL => {
  const text = Redacted.value(url)
  if (!/^postgres(ql)?:/.test(text) || !URL.canParse(text)) {
    throw new Error("The address of the database must be a URL like postgres://user:password@host:5432/database")
  }
  return new URL(text)
}

/** The address in a libpq URL at which the server listens. */
export const addressOf = (url: Redacted.Redacted<string>): Address => {
  const parsed = parse(url)
  const named = parsed.searchParams
  const host = named.get("host") ?? (decodeURIComponent(parsed.hostname.replace(/^\[|\]$/g, "")) || "localhost")
  const port = Number(named.get("port") ?? (parsed.port === "" ? 5432 : parsed.port))
  const database = named.get("dbname") ?? decodeURIComponent(parsed.pathname.slice(1))
  return { host, port, database, path: host.startsWith("/") ? `${host}/.s.PGSQL.${port}` : undefined }
}

/**
 * A socket that closes itself when the server stops responding. A frozen server or a blackholed network never answers,
 * and no timeout on the server can end that.
 */
const openSocket = (address: Address, inFlight: InFlight): Net.Socket => {
  const socket =
    address.path === undefined
      ? Net.connect({ host: address.host, port: address.port, noDelay: true, keepAlive: true })
      : Net.connect({ path: address.path })
  // The driver listens for errors only while it holds the connection.
  socket.on("error", () => undefined)
  socket.setTimeout(responseTimeout, () => {
    if (inFlight.statements > 0) socket.destroy(new ResponseTimeout("The server gave no answer in time"))
  })
  return socket
}

export const makePool = (
  config: PgStorageConfig,
  applicationName: string,
  inFlight: InFlight,
  options: {
    /** Whether statements that are sent at the same time share a flush. */
    readonly pipeline: boolean
    /** Users of one connection at the same time. */
    readonly concurrency: number
    readonly maxConnections: number
    /** Whether a statement keeps its first plan, whatever its parameters are. */
    readonly planOnce?: boolean
  }
): Effect.Effect<PgPool.PgPool, SqlError, Scope.Scope> => {
  const address = addressOf(config.url)
  return PgPool.make({
    url: config.url,
    stream: () => openSocket(address, inFlight),
    applicationName,
    connectTimeout: 1_000,
    prepare: config.prepare,
    preparedStatementCacheSize: 200,
    maxMessageSize: 256 * 1024 * 1024,
    multiplex: options.pipeline,
    multiplexConcurrency: options.concurrency,
    maxConnections: options.maxConnections,
    minConnections: 0,
    idleTimeout: 60_000,
    startupParameters: {
      statement_timeout: String(statementTimeout),
      lock_timeout: "2000",
      idle_in_transaction_session_timeout: "10000",
      default_transaction_isolation: "read committed",
      timezone: "UTC",
      jit: "off",
      random_page_cost: "1.1",
      plan_cache_mode: options.planOnce === true ? "force_generic_plan" : "auto"
    }
  })
}
