import { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { Effect } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import type { LateRequestPolicy } from "./Batcher.ts"
import type { OutageLog } from "./OutageLog.ts"
import { silentTimeout } from "./InFlight.ts"
import { jitter, maxRetries } from "./Retry.ts"
import { classify, isUnreachable, statementRefused, unavailable } from "./SqlErrors.ts"

export type Refuse = (
  error: SqlError,
  unanswered: "not-applied" | "unknown"
) => Effect.Effect<never, StorageUnavailable>

/** Fails with the typed error, or dies of a defect. `unanswered` is the outcome when no answer arrived. */
export const refusing =
  ({ report }: OutageLog): Refuse =>
  (error, unanswered) => {
    if (classify(error) === "defect") return Effect.die(error)
    const failure = unavailable(statementRefused(error) ? "not-applied" : unanswered, error)
    return Effect.andThen(report(error), Effect.fail(failure))
  }

/** The error of a whole transaction that failed or got no connection. */
export const refusingTransaction =
  ({ report }: OutageLog, refuse: Refuse) =>
  <E>(error: E | SqlError | StorageUnavailable): Effect.Effect<never, E | StorageUnavailable> => {
    if (isSqlError(error)) return refuse(error, "not-applied")
    return error instanceof StorageUnavailable && isSqlError(error.cause)
      ? Effect.andThen(report(error.cause), Effect.fail(error))
      : Effect.fail(error)
  }

/**
 * Retries a statement like a transaction: when the server rolled it back because of a concurrent one, and a read also
 * once after its connection broke.
 */
export const repeated = <A>(
  run: Effect.Effect<A, SqlError | StorageUnavailable>,
  writes: boolean,
  refuse: Refuse,
  attempt = 0
): Effect.Effect<A, StorageUnavailable> =>
  Effect.catchTag(run, "SqlError", (error) => {
    const kind = classify(error)
    const reconnect = kind === "lost" && !writes && error.reason.operation !== "connect"
    if (attempt < maxRetries && (kind === "retry" || (reconnect && attempt === 0))) {
      return Effect.andThen(jitter(attempt), repeated(run, writes, refuse, attempt + 1))
    }
    return refuse(error, writes ? "unknown" : "not-applied")
  })

/** Milliseconds within which requests that wait for a batch are answered, so that a request takes at most 6 s. */
const answerWithin = 5_700

/**
 * With a silent server, a batch takes 5.3 s, and the next one takes another second to find that it cannot connect or
 * gets no answer. A batch that the server ended for taking too long is followed by one that takes as long. Requests
 * that have waited too long by then fail without waiting for the second batch.
 */
export const late: LateRequestPolicy<StorageUnavailable> = {
  after: ({ cause }, tookMillis) =>
    answerWithin - (isSqlError(cause) && isUnreachable(cause) ? silentTimeout : tookMillis),
  failure: ({ cause }) => unavailable("not-applied", cause)
}
