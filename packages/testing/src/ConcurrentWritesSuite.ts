import { describe, expect, layer as withLayer } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Layer } from "effect"
import { type StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { AccountId } from "@lists-and-things/domain/model/Ids"
import type { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { at, list, newAccount, newList, noon } from "./Fixtures.ts"
import { currentTime } from "@lists-and-things/domain/model/EpochMillis"

type Ports = Storage | AccountStore | ListStore | ThingStore

/** Opens a transaction that has written and stays open; the returned effect commits it and waits for that. */
const openTransaction = Effect.fnUntraced(function* (
  owner: AccountId,
  write: Effect.Effect<unknown, StorageUnavailable> = Effect.void
) {
  const storage = yield* Storage
  const written = yield* Deferred.make<void>()
  const release = yield* Deferred.make<void>()
  const body = Effect.all([write, Deferred.succeed(written, undefined), Deferred.await(release)])
  const fiber = yield* Effect.forkChild(storage.transact(owner, () => body))
  yield* Deferred.await(written)
  return Effect.andThen(Deferred.succeed(release, undefined), Fiber.join(fiber))
})

/** Write timestamps, and how concurrent writes exclude each other, for any adapter of `Storage`. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: Storage, concurrent writes`, (it) => {
    it.effect("a transaction is rolled back when its fiber is interrupted, and the next one can begin", () =>
      Effect.gen(function* () {
        const storage = yield* Storage
        const lists = yield* ListStore
        const { id: owner } = yield* newAccount()
        const added = list(owner)
        const written = yield* Deferred.make<void>()
        const fiber = yield* Effect.forkChild(
          storage.transact(owner, () =>
            lists.insert(added).pipe(Effect.andThen(Deferred.succeed(written, undefined)), Effect.andThen(Effect.never))
          )
        )
        yield* Deferred.await(written)
        yield* Fiber.interrupt(fiber)
        expect(yield* lists.get(owner, added.id)).toBeUndefined()
        const next = list(owner)
        yield* storage.transact(owner, () => lists.insert(next))
        expect(yield* lists.all(owner)).toStrictEqual([next])
      })
    )

    it.effect("a waiting transaction can be interrupted, and the next one still runs", () =>
      Effect.gen(function* () {
        const storage = yield* Storage
        const lists = yield* ListStore
        const { id: owner } = yield* newAccount()
        const commit = yield* openTransaction(owner)
        const waiting = yield* Effect.forkChild(storage.transact(owner, () => lists.insert(list(owner))))
        // Makes one round trip to the storage.
        yield* storage.ping
        const interrupting = yield* Effect.forkChild(Fiber.interrupt(waiting))
        yield* commit
        yield* Fiber.join(interrupting)
        yield* storage.transact(owner, () => Effect.void)
        expect((yield* lists.all(owner)).length).toBeLessThanOrEqual(1)
      })
    )

    it.effect("others do not see uncommitted writes", () =>
      Effect.gen(function* () {
        const lists = yield* ListStore
        const { id: owner } = yield* newAccount()
        const old = yield* newList(owner, { title: "old" })
        const added = list(owner)
        const write = Effect.andThen(lists.insert(added), lists.put({ ...old, title: "new" }))
        const commit = yield* openTransaction(owner, write)
        expect(yield* lists.get(owner, added.id)).toBeUndefined()
        expect(yield* lists.all(owner)).toStrictEqual([old])
        yield* commit
        expect(yield* lists.get(owner, added.id)).toStrictEqual(added)
        expect((yield* lists.get(owner, old.id))?.title).toBe("new")
      })
    )

    describe("the writeTimestamp", () => {
      const writeTimestampAt = Effect.fnUntraced(function* (owner: AccountId, now: number) {
        const storage = yield* Storage
        return yield* at(now)(storage.transact(owner, (writeTimestamp) => Effect.succeed(writeTimestamp)))
      })

      it.effect("is the time of the clock", () =>
        Effect.gen(function* () {
          const { id } = yield* newAccount()
          expect(yield* writeTimestampAt(id, noon)).toBe(noon)
          expect(yield* writeTimestampAt(id, noon + 5_000)).toBe(noon + 5_000)
        })
      )

      it.effect("increases while the clock stands still or is set back", () =>
        Effect.gen(function* () {
          const { id } = yield* newAccount()
          const writeTimestamps = []
          for (const now of [noon, noon, noon, noon - 3_600_000, noon - 86_400_000, noon + 1, noon + 4])
            writeTimestamps.push(yield* writeTimestampAt(id, now))
          for (const [index, writeTimestamp] of writeTimestamps.slice(1).entries())
            expect(writeTimestamp).toBeGreaterThan(writeTimestamps[index]!)
          expect(writeTimestamps.at(-1)!).toBeGreaterThanOrEqual(noon + 4)
        })
      )

      it.effect("is a whole number of milliseconds, never earlier than the clock", () =>
        Effect.gen(function* () {
          const storage = yield* Storage
          const { id } = yield* newAccount()
          for (let count = 0; count < 20; count++) {
            const before = yield* currentTime
            const writeTimestamp = yield* storage.transact(id, (writeTimestamp) => Effect.succeed(writeTimestamp))
            expect(Number.isInteger(writeTimestamp)).toBe(true)
            expect(writeTimestamp).toBeGreaterThanOrEqual(Math.trunc(before))
          }
        })
      )

      it.effect("is separate per account", () =>
        Effect.gen(function* () {
          const a = yield* newAccount()
          const b = yield* newAccount()
          yield* writeTimestampAt(a.id, noon + 3_600_000)
          expect(yield* writeTimestampAt(b.id, noon)).toBe(noon)
        })
      )

      it.effect("differs between concurrent writes", () =>
        Effect.gen(function* () {
          const { id } = yield* newAccount()
          const writeTimestamps = yield* Effect.all(
            Array.from({ length: 25 }, () => writeTimestampAt(id, noon)),
            { concurrency: "unbounded" }
          )
          expect(new Set(writeTimestamps).size).toBe(25)
          expect(Math.min(...writeTimestamps)).toBe(noon)
        })
      )
    })

    it.effect("writes of one account run one after the other, and no update is lost", () =>
      Effect.gen(function* () {
        const storage = yield* Storage
        const lists = yield* ListStore
        const { id: owner } = yield* newAccount()
        const counter = yield* newList(owner, { title: "0" })
        const increment = storage.transact(owner, (writeTimestamp) =>
          Effect.gen(function* () {
            const current = yield* lists.get(owner, counter.id)
            yield* Effect.yieldNow
            yield* lists.put({ ...current!, title: String(Number(current!.title) + 1), updated: writeTimestamp })
            return writeTimestamp
          })
        )
        const writeTimestamps = yield* Effect.all(
          Array.from({ length: 20 }, () => increment),
          { concurrency: "unbounded" }
        )
        const after = yield* lists.get(owner, counter.id)
        expect(after?.title).toBe("20")
        expect(after?.updated).toBe(Math.max(...writeTimestamps))
      })
    )

    it.effect("accounts do not wait for each other", () =>
      Effect.gen(function* () {
        const storage = yield* Storage
        const lists = yield* ListStore
        const a = yield* newAccount()
        const b = yield* newAccount()
        const commit = yield* openTransaction(a.id)
        yield* storage.transact(b.id, () => lists.insert(list(b.id)))
        expect(yield* lists.all(b.id)).toHaveLength(1)
        yield* commit
      })
    )
  })
}
