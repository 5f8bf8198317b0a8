import { afterAll, describe, expect, it } from "@effect/vitest"
import { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { newAccount, newList, newThings, thing } from "@lists-and-things/testing/Fixtures"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { makeFreeSpaceCheck } from "../src/connection/FreeSpace.ts"
import { CurrentTransaction } from "../src/connection/Transaction.ts"
import * as PgStorage from "../src/PgStorage.ts"
import { openTestDatabase } from "../src/testing/TestDatabase.ts"
import { testVersions } from "../src/testing/TestServer.ts"

const server = await openTestDatabase({ version: testVersions[0]! })
afterAll(() => server.stop())

const reserveOf = (bytes: number, free: () => number | Error) => {
  const state = { measured: 0 }
  const measure = (): Promise<number> => {
    state.measured++
    const found = free()
    return found instanceof Error ? Promise.reject(found) : Promise.resolve(found)
  }
  return { state, reserve: { folder: "/data", bytes, measure } }
}

describe("the reserve of free space", () => {
  it.effect("is measured at most once a second, and a refusal ends by itself", () =>
    Effect.gen(function* () {
      let free = 99
      const { reserve, state } = reserveOf(100, () => free)
      const room = makeFreeSpaceCheck(reserve)
      const ask = Effect.result(room)
      const first = yield* Effect.all(
        Array.from({ length: 20 }, () => ask),
        { concurrency: "unbounded" }
      )
      expect(first.every((each) => each._tag === "Failure" && each.failure.full === true)).toBe(true)
      expect(state.measured).toBe(1)
      free = 100
      yield* TestClock.adjust(999)
      expect((yield* ask)._tag).toBe("Failure")
      expect(state.measured).toBe(1)
      yield* TestClock.adjust(1)
      expect((yield* ask)._tag).toBe("Success")
      expect(state.measured).toBe(2)
    })
  )

  it.effect("refuses nothing if it cannot be measured or is 0", () =>
    Effect.gen(function* () {
      yield* makeFreeSpaceCheck(reserveOf(100, () => new Error("no such folder")).reserve)
      const { reserve, state } = reserveOf(0, () => 0)
      yield* makeFreeSpaceCheck(reserve)
      yield* makeFreeSpaceCheck(undefined)
      expect(state.measured).toBe(0)
    })
  )
})

describe("PostgreSQL on a disk that fills up", () => {
  it.live("refuses writes, still reads, and accepts writes again by itself", () => {
    let free = 1_000
    const { reserve } = reserveOf(100, () => free)
    return Effect.gen(function* () {
      const [lists, storage] = [yield* ListStore, yield* Storage]
      const { id: owner } = yield* newAccount()
      const { id } = yield* newList(owner)
      yield* newThings(owner, id, [{ text: "before" }])
      const write = Effect.result(storage.transact(owner, () => Effect.void))
      free = 99
      let refused = yield* write
      while (refused._tag === "Success") refused = yield* write
      expect(refused.failure).toBeInstanceOf(StorageUnavailable)
      expect(refused.failure.message).toContain("disk is full")
      expect(yield* lists.get(owner, id)).toBeDefined()
      free = 100
      let accepted = yield* write
      while (accepted._tag === "Failure") accepted = yield* write
      expect(accepted._tag).toBe("Success")
    }).pipe(Effect.provide(PgStorage.layer({ url: server.url(), reserve })))
  })

  it.effect("refuses the rest of a write that uses up the room, and what it has added already", () => {
    let free = 1_000
    const { reserve } = reserveOf(100, () => free)
    return Effect.gen(function* () {
      const [storage, things] = [yield* Storage, yield* ThingStore]
      const { id: owner } = yield* newAccount()
      const { id } = yield* newList(owner)
      const full = yield* Effect.flip(
        storage.transact(owner, () =>
          Effect.gen(function* () {
            yield* things.insert(owner, [thing(owner, id)])
            free = 99
            yield* TestClock.adjust(1_000)
            yield* things.insert(owner, [thing(owner, id)])
          })
        )
      )
      expect(full).toMatchObject({ _tag: "StorageUnavailable", full: true, outcome: "not-applied" })
      expect((yield* things.ends(owner, [id])).size).toBe(0)
    }).pipe(Effect.provide(PgStorage.layer({ url: server.url(), reserve })))
  })

  it.live("is not far behind a write that adds much, so that measurements tell what it has added", () =>
    Effect.gen(function* () {
      const [storage, things] = [yield* Storage, yield* ThingStore]
      const { id: owner } = yield* newAccount()
      const { id } = yield* newList(owner)
      const body = Effect.gen(function* () {
        for (let at = 0; at < 12; at++) yield* things.insert(owner, [thing(owner, id)])
        return (yield* CurrentTransaction)!.unanswered.length
      })
      expect(yield* storage.transact(owner, () => body)).toBeLessThan(8)
    }).pipe(Effect.provide(PgStorage.layer({ url: server.url() })))
  )
})
