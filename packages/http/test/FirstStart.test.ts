import { describe, expect, it } from "@effect/vitest"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { Effect, Fiber, Ref } from "effect"
import { TestClock } from "effect/testing"
import { missingText } from "../src/FirstStart.ts"

/** What a server with a database of its own says after the storage failed in this way once. */
const textAfter = (failure: StorageUnavailable) =>
  Effect.gen(function* () {
    const failures = yield* Ref.make([failure])
    const isEmpty = Effect.flatMap(
      Ref.modify(failures, ([first, ...rest]) => [first, rest]),
      (error) => (error === undefined ? Effect.succeed(true) : Effect.fail(error))
    )
    const site = { host: "127.0.0.1", ownStorage: false, inMemory: false }
    const text = missingText("http://localhost:3000", site, false).pipe(
      Effect.provideService(Accounts, { isEmpty } as Accounts["Service"]),
      Effect.provideService(ApiKeys, {} as ApiKeys["Service"])
    )
    const fiber = yield* Effect.forkChild(text)
    yield* TestClock.adjust(10_000)
    return yield* Fiber.join(fiber)
  })

describe("what a server says once it listens", () => {
  it.effect("waits for a storage that does not answer, since the server must not end", () =>
    Effect.gen(function* () {
      const text = yield* textAfter(new StorageUnavailable({ outcome: "not-applied" }))
      expect(text).toContain("none yet")
    })
  )

  it.effect("fails on a full storage, which no wait mends", () =>
    Effect.gen(function* () {
      const full = new StorageUnavailable({ outcome: "not-applied", full: true })
      expect(yield* Effect.flip(textAfter(full))).toBe(full)
    })
  )

  it.effect("reads one account and no list of them, of which there may be thousands", () =>
    Effect.gen(function* () {
      const none: Partial<Accounts["Service"]> = { only: Effect.undefined }
      const site = { host: "127.0.0.1", ownStorage: true, inMemory: false }
      const text = missingText("http://localhost:3000", site, false).pipe(
        Effect.provideService(Accounts, none as Accounts["Service"]),
        Effect.provideService(ApiKeys, {} as ApiKeys["Service"])
      )
      expect(yield* text).toBe("")
    })
  )
})
