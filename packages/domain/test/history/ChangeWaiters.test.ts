import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { ChangeWaiters, type Wait } from "../../src/history/ChangeWaiters.ts"
import { StorageUnavailable } from "../../src/model/Errors.ts"
import type { AccountId } from "../../src/model/Ids.ts"
import { HistoryStore, type Watched } from "../../src/ports/HistoryStore.ts"
import { epoch, EpochMillis } from "../../src/model/EpochMillis.ts"

/** A fake history store with the last writes of accounts and the revoked keys; records its queries. */
class Watching {
  readonly lastWrites = new Map<AccountId, EpochMillis>()
  readonly revoked = new Set<string>()
  readonly asked: Array<{ readonly owners: number; readonly keys: number }> = []
  isDown = false

  readonly layer = Layer.succeed(HistoryStore, {
    watch: (owners: ReadonlyArray<AccountId>, keys: ReadonlyArray<string>) =>
      Effect.suspend(() => {
        this.asked.push({ owners: owners.length, keys: keys.length })
        if (this.isDown) return Effect.fail(new StorageUnavailable({ outcome: "not-applied" }))
        const found: Watched = { lastWrites: new Map(this.lastWrites), revoked: new Set(this.revoked) }
        return Effect.succeed(found)
      })
  } as unknown as HistoryStore["Service"])
}

const owner = (at: number) => `owner ${at}` as AccountId

const key = (id: string): Wait["by"] => ({ type: "key", id })

const waitFor = (some: Partial<Wait> = {}) =>
  Effect.flatMap(ChangeWaiters, ({ wait }) =>
    wait({ owner: owner(0), seen: epoch, by: { type: "session", id: "s" }, millis: 55_000, ...some })
  )

const test = <E>(name: string, body: (watching: Watching) => Effect.Effect<void, E, ChangeWaiters>): void => {
  const watching = new Watching()
  for (let at = 0; at < 100; at++) watching.lastWrites.set(owner(at), epoch)
  it.effect(name, () => body(watching).pipe(Effect.provide(Layer.provide(ChangeWaiters.layer, watching.layer))))
}

describe("requests that wait for changes", () => {
  test("cost one query per half second, however many wait, and none when none waits", (watching) =>
    Effect.gen(function* () {
      const waiting = yield* Effect.forEach(
        Array.from({ length: 1000 }, (_, at) => at),
        (at) => Effect.forkChild(waitFor({ owner: owner(at % 100), by: key(`key ${at % 50}`), millis: 10_000 }))
      )
      yield* TestClock.adjust("2 seconds")
      expect(watching.asked).toStrictEqual(Array.from({ length: 4 }, () => ({ owners: 100, keys: 50 })))
      yield* TestClock.adjust("8 seconds")
      const outcomes = yield* Effect.forEach(waiting, Fiber.join)
      expect(new Set(outcomes)).toStrictEqual(new Set(["timeout"]))
      const { length } = watching.asked
      yield* TestClock.adjust("1 minute")
      expect(watching.asked).toHaveLength(length)
      const next = yield* Effect.forkChild(waitFor({ millis: 600 }))
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(next)).toBe("timeout")
    }))

  test("end when their own account is written to or removed", (watching) =>
    Effect.gen(function* () {
      const [written, gone, other] = yield* Effect.forEach([0, 1, 2], (at) =>
        Effect.forkChild(waitFor({ owner: owner(at) }))
      )
      yield* TestClock.adjust("1 second")
      watching.lastWrites.set(owner(0), EpochMillis(1))
      watching.lastWrites.delete(owner(1))
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(written!)).toBe("written")
      expect(yield* Fiber.join(gone!)).toBe("written")
      expect(other!.pollUnsafe()).toBeUndefined()
    }))

  test("end when their key is revoked", (watching) =>
    Effect.gen(function* () {
      const waiting = yield* Effect.forkChild(Effect.flip(waitFor({ by: key("revoked") })))
      watching.revoked.add("revoked")
      yield* TestClock.adjust("1 second")
      expect((yield* Fiber.join(waiting))._tag).toBe("Unauthorized")
    }))

  for (const type of ["key", "app"] as const) {
    test(`are at most 20 per ${type}; one that ends makes room for another`, () =>
      Effect.gen(function* () {
        const waiting = yield* Effect.forEach(Array.from({ length: 20 }), () =>
          Effect.forkChild(waitFor({ by: { type, id: "busy" } }))
        )
        yield* TestClock.adjust("1 milli")
        expect(yield* Effect.flip(waitFor({ by: { type, id: "busy" } }))).toMatchObject({
          _tag: "TooManyWaiting",
          limit: 20
        })
        const other = yield* Effect.forkChild(waitFor({ by: { type, id: "other" } }))
        yield* Fiber.interrupt(waiting[0]!)
        const next = yield* Effect.forkChild(waitFor({ by: { type, id: "busy" } }))
        yield* TestClock.adjust("1 second")
        expect(next.pollUnsafe()).toBeUndefined()
        expect(other.pollUnsafe()).toBeUndefined()
      }))
  }

  test("continue while the storage cannot be reached", (watching) =>
    Effect.gen(function* () {
      watching.isDown = true
      const waiting = yield* Effect.forkChild(waitFor())
      yield* TestClock.adjust("5 seconds")
      watching.isDown = false
      watching.lastWrites.set(owner(0), EpochMillis(1))
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(waiting)).toBe("written")
    }))

  test("end when the process stops; later ones end at once", () =>
    Effect.gen(function* () {
      const waiting = yield* Effect.forkChild(waitFor())
      yield* TestClock.adjust("1 second")
      yield* Effect.flatMap(ChangeWaiters, ({ close }) => close)
      expect(yield* Fiber.join(waiting)).toBe("closing")
      expect(yield* waitFor()).toBe("closing")
    }))
})
