import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { findShortage, type Shortage, watchFileDescriptors } from "../src/FileDescriptors.ts"

describe("the log of a server without file descriptors", () => {
  const given = Effect.gen(function* () {
    const lines: Array<string> = []
    const state: { lack: Shortage | undefined } = { lack: undefined }
    yield* watchFileDescriptors(Effect.sync(() => state.lack)).pipe(
      Effect.provide(Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])),
      Effect.forkScoped
    )
    return { state, said: () => lines.splice(0) }
  })

  it.effect("has a line a minute while there is none, and one when there are some again", () =>
    Effect.gen(function* () {
      const { said, state } = yield* given
      yield* TestClock.adjust("1 hour")
      expect(said()).toStrictEqual([])
      for (let time = 0; time < 2; time++) {
        state.lack = "EMFILE"
        yield* TestClock.adjust("5 seconds")
        const lines = said()
        expect(lines).toHaveLength(1)
        expect(lines[0]).toContain("ulimit -n")
        yield* TestClock.adjust("55 seconds")
        expect(said()).toStrictEqual([])
        yield* TestClock.adjust("5 seconds")
        expect(said()).toStrictEqual(lines)
        state.lack = undefined
        yield* TestClock.adjust("1 hour")
        expect(said()).toStrictEqual(["There are file descriptors again."])
      }
    })
  )

  it.effect("says whether the process or the machine has none", () =>
    Effect.gen(function* () {
      const { said, state } = yield* given
      state.lack = "ENFILE"
      yield* TestClock.adjust("5 seconds")
      expect(said()[0]).toContain("The machine has no file descriptor left")
    })
  )

  it.effect("has none where a file can be opened", () =>
    Effect.gen(function* () {
      expect(yield* findShortage).toBeUndefined()
    })
  )
})
