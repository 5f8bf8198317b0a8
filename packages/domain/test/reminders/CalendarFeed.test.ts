import { NodeCrypto } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { layer as memory } from "@lists-and-things/storage-memory/MemoryStorage"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Accounts } from "../../src/caller/Accounts.ts"
import { CalendarFeed } from "../../src/reminders/CalendarFeed.ts"
import { useCases } from "../../src/UseCases.ts"

const layer = useCases.pipe(Layer.provideMerge(memory), Layer.provideMerge(NodeCrypto.layer))
const hour = 3_600_000
const maxReads = 1_000

describe("the calendar feed", () => {
  it.effect("of an account can be read 1,000 times per clock hour, even if its address is changed", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const { read } = yield* CalendarFeed
      const { id } = yield* accounts.create({ email: "ann@example.com" })
      const other = yield* accounts.create({ email: "bob@example.com" })
      yield* TestClock.setTime(5 * hour + hour / 2)
      yield* Effect.repeat(read(yield* accounts.feedToken(id)), { times: maxReads - 1 })
      expect(yield* Effect.flip(read(yield* accounts.rotateFeedToken(id)))).toMatchObject({
        _tag: "RateLimited",
        limit: maxReads,
        resetAt: 6 * hour
      })
      yield* read(yield* accounts.feedToken(other.id))
      yield* TestClock.adjust(hour / 2 - 1)
      yield* Effect.flip(read(yield* accounts.feedToken(id)))
      yield* TestClock.adjust(1)
      yield* read(yield* accounts.feedToken(id))
    }).pipe(Effect.provide(layer))
  )
})
