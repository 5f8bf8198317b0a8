import { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { Effect } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import type { Lateness } from "./Batcher.ts"
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

/** The error of a whole transaction, which has failed by itself or without a connection. */
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

/** Milliseconds within which whoever waits for a batch is answered, so that a request is within 6 s. */
const answerWithin = 5_700

/**
 * With a server that is silent a batch takes 5.3 s, and the next one a second to find that it cannot connect or is not
 * answered; a batch that the server ended for taking too long is followed by one that takes as long. Who has waited too
 * long for that does not wait for the second as well.
 */
export const late: Lateness<StorageUnavailable> = {
  after: ({ cause }, tookMillis) =>
    answerWithin - (isSqlError(cause) && isUnreachable(cause) ? silentTimeout : tookMillis),
  failure: ({ cause }) => unavailable("not-applied", cause)
}
