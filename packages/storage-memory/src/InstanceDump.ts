import { Conflict } from "@lists-and-things/domain/model/Errors"
import { InstanceDump } from "@lists-and-things/domain/ports/InstanceDump"
import { Effect, Layer } from "effect"

const nothingIsKept = Effect.fail(
  new Conflict({ message: "Memory ends with this process: a dump is of PostgreSQL. Unset LAT_STORAGE." })
)

/** Always fails, since no data outlives the process. */
export const instanceDumpLayer = Layer.succeed(InstanceDump, {
  dump: () => nothingIsKept,
  load: () => nothingIsKept
})
