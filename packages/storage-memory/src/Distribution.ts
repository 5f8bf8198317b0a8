import { Conflict } from "@lists-and-things/domain/model/Errors"
import { Distribution } from "@lists-and-things/domain/ports/Distribution"
import { Effect, Layer } from "effect"

/** The memory of one process, which cannot be distributed. */
export const distributionLayer = Layer.succeed(
  Distribution,
  Distribution.of({
    state: Effect.succeed(undefined),
    distribute: Effect.fail(
      new Conflict({ message: "What is kept in memory cannot be distributed: nothing was changed." })
    )
  })
)
