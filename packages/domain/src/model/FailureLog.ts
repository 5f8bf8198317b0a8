import { Cause, Effect } from "effect"
import { StorageUnavailable } from "./Errors.ts"
import { rootReason } from "./RootCause.ts"

/**
 * Logs at `warning` that something in the background failed. If the storage is unavailable, logs only the reason: several
 * loops fail in the same outage, and their stacks do not help.
 */
export const logFailure = (what: string, cause: Cause.Cause<unknown>): Effect.Effect<void> => {
  const error = Cause.squash(cause)
  return error instanceof StorageUnavailable
    ? Effect.logWarning(`${what}: ${error.full === true ? error.message : rootReason(error)}`)
    : Effect.logWarning(what, cause)
}
