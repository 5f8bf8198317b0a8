import type { RequestEnd } from "@lists-and-things/web/Observer"
import { type Context, Effect, References } from "effect"

/** The route for the log. Paths contain ids, which must not be logged. */
const routeName = ({ method, route }: RequestEnd): string => `${method} ${route ?? "(no route)"}`

const line = (end: RequestEnd): string => {
  const { client, millis, requestId, status } = end
  return `${routeName(end)} ${status} ${Math.round(millis)} ms, request ${requestId} of ${client}`
}

/**
 * Logs each request at `debug`, and one that took at least `slowMillis` at `warn`, unless it waited for changes.
 * Returns undefined if the log level lets neither through.
 */
export const makeRequestLog = (
  context: Context.Context<never>,
  slowMillis: number
): ((end: RequestEnd) => void) | undefined => {
  const log = Effect.runForkWith(context)
  const level = Effect.runSyncWith(context)(References.MinimumLogLevel)
  const everyOne = level === "All" || level === "Trace" || level === "Debug"
  const slow = level !== "None" && level !== "Error" && level !== "Fatal" && slowMillis > 0
  if (!everyOne && !slow) return undefined
  return (end) => {
    if (slow && end.millis >= slowMillis && !end.hasWaited) void log(Effect.logWarning(`Slow request: ${line(end)}`))
    else if (everyOne) void log(Effect.logDebug(line(end)))
  }
}
