import { Cause, Effect } from "effect"
import { StorageUnavailable } from "./Errors.ts"
import { rootReason } from "./RootCause.ts"

/**
 * Logs at `warning` that something in the background failed. Where the storage cannot be used, the reason alone is told:
 * several loops meet the same outage, and where in the program each of them did helps nobody.
 */
export const logFailure = (what: string, cause: Cause.Cause<unknown>): Effect.Effect<void> => {
  const error = Cause.squash(cause)
  return error instanceof StorageUnavailable
    ? Effect.logWarning(`${what}: ${error.full === true ? error.message : rootReason(error)}`)
    : Effect.logWarning(what, cause)
}
