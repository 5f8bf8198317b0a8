import { expect, it } from "@effect/vitest"
import { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { at, noon } from "@lists-and-things/testing/Fixtures"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { makeReadiness } from "../src/routes/PublicHttp.ts"

it.effect("readiness is checked once in a moment, and again after it, also if the clock was set back", () =>
  Effect.gen(function* () {
    let isAway = false
    const away = new StorageUnavailable({ outcome: "not-applied" })
    const ready = yield* makeReadiness(Effect.suspend(() => (isAway ? Effect.fail(away) : Effect.void)))
    const statusAt = (now: number) => Effect.map(at(now)(ready), ({ status }) => status)
    expect(yield* statusAt(noon)).toBe(200)
    isAway = true
    expect(yield* statusAt(noon)).toBe(200)
    yield* TestClock.adjust(200)
    expect(yield* statusAt(noon - 3_600_000)).toBe(503)
  })
)
