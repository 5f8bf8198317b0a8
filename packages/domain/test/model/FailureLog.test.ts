import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Logger } from "effect"
import { StorageUnavailable } from "../../src/model/Errors.ts"
import { logFailure } from "../../src/model/FailureLog.ts"

const logged = (cause: Cause.Cause<unknown>) => {
  const lines: Array<unknown> = []
  const logger = Logger.layer([Logger.make(({ cause, message }) => void lines.push([message, cause.reasons.length]))])
  return Effect.as(Effect.provide(logFailure("Looking failed", cause), logger), lines)
}

describe("a failure in the background", () => {
  it.effect("of the storage is logged only with its reason", () =>
    Effect.gen(function* () {
      const refused = new Error("connect ECONNREFUSED 127.0.0.1:5432")
      const lost = new StorageUnavailable({ outcome: "unknown", cause: new Error("no connection", { cause: refused }) })
      const reason = "Looking failed: connect ECONNREFUSED 127.0.0.1:5432"
      expect(yield* logged(Cause.fail(lost))).toStrictEqual([[[reason], 0]])
      const full = new StorageUnavailable({ outcome: "not-applied", full: true })
      expect(yield* logged(Cause.fail(full))).toStrictEqual([[[`Looking failed: ${full.message}`], 0]])
    })
  )

  it.effect("of the program is logged with its cause", () =>
    Effect.gen(function* () {
      expect(yield* logged(Cause.die(new Error("bug")))).toStrictEqual([[["Looking failed"], 1]])
    })
  )
})
