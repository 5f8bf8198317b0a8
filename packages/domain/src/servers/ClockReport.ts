import { lat } from "../text/CommandLine.ts"
import { Effect } from "effect"
import { clockTolerance, isAhead, lastWrite, spanText } from "../days/ClockSkew.ts"
import { StorageAdmin } from "../ports/StorageAdmin.ts"
import { currentTime } from "../model/EpochMillis.ts"

/**
 * Warns at startup, once per finding, about a clock that disagrees with the storage; silent while the storage is
 * unavailable.
 */
export const reportClock = Effect.gen(function* () {
  const status = yield* (yield* StorageAdmin).status
  const now = yield* currentTime
  const apart = status.clock - now
  if (Math.abs(apart) > clockTolerance)
    yield* Effect.logWarning(
      `The database's clock is ${spanText(Math.abs(apart))} ${apart > 0 ? "ahead of" : "behind"} this machine's.`
    )
  if (status.lastWrite !== null && isAhead(status.lastWrite, now))
    yield* Effect.logWarning(
      `${lastWrite} is dated ${spanText(status.lastWrite - now)} ahead of this machine's clock. '${lat("doctor")}' tells more.`
    )
}).pipe(Effect.catchTag("StorageUnavailable", () => Effect.void))
