import { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { rootCause } from "@lists-and-things/domain/model/RootCause"
import { Predicate } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"

/**
 * Meaning of a failed statement:
 * - `retry`: the server rolled the transaction back because of a concurrent one, or a statement is to be prepared anew; all
 *   of it may run again
 * - `lost`: the connection is gone or could not be opened
 * - `unavailable`: the server answered that it cannot serve the statement now
 * - `defect`: a bug in this product
 */
export type SqlFailure = "retry" | "lost" | "unavailable" | "defect"

/** SQLSTATE, if the server answered at all. Error codes of the operating system, such as EPIPE, have the same form. */
export const sqlState = (error: SqlError): string | undefined => {
  const cause: unknown = error.reason.cause
  if (!Predicate.hasProperty(cause, "code") || !Predicate.hasProperty(cause, "severity")) return undefined
  return typeof cause.code === "string" ? cause.code : undefined
}

/**
 * Whether a prepared statement does not fit its table any more, which somebody has altered. The driver prepares it anew
 * for its next use; in a transaction the server has aborted what came before.
 */
const isOutOfDate = ({ reason: { cause } }: SqlError): boolean =>
  Predicate.hasProperty(cause, "routine") && cause.routine === "RevalidateCachedQuery"

/** 23505 (unique violation): another transaction has inserted this row since the lookup; a retry finds it. */
const retried = new Set(["40001", "40P01", "23505"])
/** Administrator shutdown, crash shutdown, cannot connect now, database dropped, idle session ended. */
const ended = new Set(["57P01", "57P02", "57P03", "57P04", "57P05", "25P03", "25P04"])
/**
 * Whether a backend of Citus has found that its postmaster is gone, of which it says so without a code of its own
 * (XX000); PostgreSQL itself ends the connection with 57P01.
 */
const isOrphaned = ({ reason: { cause } }: SqlError): boolean =>
  cause instanceof Error && cause.message === "postmaster was shut down, exiting"

const missingRight = "42501"
const readOnly = "25006"
const lockTimeout = "55P03"
const statementTimeout = "57014"
const diskFull = "53100"
/** Statement or lock timeout; a read-only standby; a right that was taken from the role. */
const refused = new Set([statementTimeout, lockTimeout, readOnly, missingRight])
/** No connection is left to the server, the database or the role. */
const noConnection = "53300"
/** Resources of the server, and what is wrong with the system that it runs on: a file that is gone, a disk that fails. */
const shortOf = /^5[38]/

/**
 * The error of a socket whose server did not answer in time. Not retried, since a retry would only wait as long again.
 */
export class ResponseTimeout extends Error {}

export const classify = (error: SqlError): SqlFailure => {
  const state = sqlState(error)
  if (error.reason.cause instanceof ResponseTimeout) return "unavailable"
  const isConnecting = error.reason.operation === "connect"
  // Without an answer from the server, the driver itself refused, for example because a password is missing.
  if (state === undefined)
    return error.reason._tag === "ConnectionError" ? "lost" : isConnecting ? "unavailable" : "defect"
  if (retried.has(state) || isOutOfDate(error)) return "retry"
  if (ended.has(state) || state.startsWith("08") || isOrphaned(error)) return "lost"
  if (refused.has(state) || shortOf.test(state) || isConnecting) return "unavailable"
  return "defect"
}

/** The connection broke or could not be opened, or the server is silent. */
export const isUnreachable = (error: SqlError): boolean =>
  classify(error) === "lost" || error.reason.operation === "connect" || error.reason.cause instanceof ResponseTimeout

/** Whether another transaction held what the statement waited for. */
export const isLockTimeout = (error: SqlError): boolean => sqlState(error) === lockTimeout

/** Whether the role of the database may not do what the statement does. */
export const isForbidden = (error: SqlError): boolean => sqlState(error) === missingRight

/** Whether no connection is left. Those that are open serve on. */
export const isCrowded = (error: SqlError): boolean => sqlState(error) === noConnection

/** Whether a connection could not be opened because none is left. */
export const isCrowdedOut = (error: unknown): boolean =>
  isSqlError(error) && error.reason.operation === "connect" && isCrowded(error)

export const isDiskFull = (error: SqlError): boolean => sqlState(error) === diskFull

/** Whether the connection only reads: the server is a standby, or it was told so when the connection was opened. */
export const isReadOnly = (error: SqlError): boolean => sqlState(error) === readOnly

/** The message of the last error of the server or the operating system. */
export const reasonOf = (error: Error): string => {
  const cause = rootCause(error.cause)
  return cause instanceof Error && cause.message !== "" ? cause.message : "no answer"
}

/** Like `classify`. A constraint that is checked at COMMIT was violated because of a concurrent transaction. */
export const classifyCommit = (error: SqlError): SqlFailure =>
  sqlState(error)?.startsWith("23") === true ? "retry" : classify(error)

/**
 * Whether a failed COMMIT certainly changed nothing. A server that is shutting down may have committed before it
 * reported so; every failure other than a plain refusal leaves the outcome unknown.
 */
export const commitRefused = (error: SqlError): boolean => {
  const state = sqlState(error)
  return state !== undefined && /^(40|23|53)/.test(state)
}

/** Whether a failed autocommit statement certainly changed nothing. */
export const statementRefused = (error: SqlError): boolean =>
  error.reason.operation === "connect" || (sqlState(error) !== undefined && classify(error) !== "lost")

/** Whether a defect is a statement that the server refused, which then has changed nothing. */
export const isRefusal = (defect: unknown): boolean => isSqlError(defect) && statementRefused(defect)

const kindOf = (error: SqlError): Pick<StorageUnavailable, "full" | "busy"> => {
  if (isDiskFull(error)) return { full: true }
  if (isLockTimeout(error)) return { busy: "held" }
  if (isCrowded(error)) return { busy: "crowded" }
  return sqlState(error) === statementTimeout ? { busy: "slow" } : {}
}

/** The failure of a port; a full disk and a busy server are told apart. */
export const unavailable = (outcome: "not-applied" | "unknown", cause: unknown): StorageUnavailable =>
  new StorageUnavailable({ outcome, cause, ...(isSqlError(cause) && kindOf(cause)) })
