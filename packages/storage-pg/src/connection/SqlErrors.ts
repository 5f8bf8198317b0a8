import { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { Predicate } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"

/**
 * What a failed statement means:
 * - `retry`: the server undid the transaction for the sake of another one; the whole of it may run again
 * - `lost`: the connection is gone or could not be made
 * - `unavailable`: the server answered that it cannot serve this now
 * - `defect`: a bug of ours
 */
export type SqlFailure = "retry" | "lost" | "unavailable" | "defect"

/** SQLSTATE, when the server answered at all: the system's own codes, such as EPIPE, look alike. */
export const sqlState = (error: SqlError): string | undefined => {
  const cause: unknown = error.reason.cause
  if (!Predicate.hasProperty(cause, "code") || !Predicate.hasProperty(cause, "severity")) return undefined
  return typeof cause.code === "string" ? cause.code : undefined
}

/** 23505: another transaction made such a row since this one looked for it, which a repetition sees. */
const retried = new Set(["40001", "40P01", "23505"])
/** Administrator shutdown, crash shutdown, cannot connect now, database dropped, idle session ended. */
const ended = new Set(["57P01", "57P02", "57P03", "57P04", "57P05", "25P03", "25P04"])
/** Statement or lock waited too long; a standby that only reads. */
const refused = new Set(["57014", "55P03", "25006"])

/** What a socket ends with whose server gave no answer in time: a repetition would only wait once more. */
export class ResponseTimeout extends Error {}

export const classify = (error: SqlError): SqlFailure => {
  const state = sqlState(error)
  if (error.reason.cause instanceof ResponseTimeout) return "unavailable"
  if (state === undefined) return error.reason._tag === "ConnectionError" ? "lost" : "defect"
  if (retried.has(state)) return "retry"
  if (ended.has(state) || state.startsWith("08")) return "lost"
  if (refused.has(state) || state.startsWith("53") || error.reason.operation === "connect") return "unavailable"
  return "defect"
}

/** As `classify`; a constraint that is checked at the end only was broken by what another transaction did meanwhile. */
export const classifyCommit = (error: SqlError): SqlFailure =>
  sqlState(error)?.startsWith("23") === true ? "retry" : classify(error)

/**
 * Whether a COMMIT that failed like this certainly changed nothing. The server may have committed before it
 * noticed that it was told to stop, so everything but a plain refusal leaves the outcome open.
 */
export const commitRefused = (error: SqlError): boolean => {
  const state = sqlState(error)
  return state !== undefined && /^(40|23|53)/.test(state)
}

/** Whether the server certainly changed nothing for a statement that commits by itself. */
export const statementRefused = (error: SqlError): boolean =>
  error.reason.operation === "connect" || (sqlState(error) !== undefined && classify(error) !== "lost")

export const unavailable = (outcome: "not-applied" | "unknown", cause: unknown): StorageUnavailable =>
  new StorageUnavailable({
    outcome,
    cause,
    ...(isSqlError(cause) && sqlState(cause) === "53100" ? { full: true } : {})
  })
