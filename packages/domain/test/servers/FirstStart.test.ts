import { NodeCrypto } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { layer as memory } from "@lists-and-things/storage-memory/MemoryStorage"
import { Effect, Fiber, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import { Accounts } from "../../src/caller/Accounts.ts"
import { ApiKeys } from "../../src/caller/ApiKeys.ts"
import { StorageUnavailable } from "../../src/model/Errors.ts"
import { findMissing, firstStart, type Site } from "../../src/servers/FirstStart.ts"
import { useCases } from "../../src/UseCases.ts"

const personal: Site = {
  host: "127.0.0.1",
  timezone: "Europe/Vienna",
  ownStorage: true,
  inMemory: false,
  hasPublicUrl: false
}

const inMemory = Layer.fresh(useCases.pipe(Layer.provideMerge(memory), Layer.provideMerge(NodeCrypto.layer)))

describe("the first start", () => {
  it.effect("creates an account in the machine's time zone, and a key that works", () =>
    Effect.gen(function* () {
      const made = (yield* firstStart(personal))!
      expect([made.account.email, made.account.timezone]).toEqual(["owner@example.com", "Europe/Vienna"])
      expect(yield* (yield* Accounts).only).toStrictEqual(made.account)
      const [key] = yield* (yield* ApiKeys).list(made.account.id)
      expect([key!.name, made.token.startsWith(`lat_${key!.id}_`)]).toEqual(["First key", true])
    }).pipe(Effect.provide(inMemory))
  )

  it.effect("creates nothing where there is an account", () =>
    Effect.gen(function* () {
      expect(yield* firstStart(personal)).toBeDefined()
      expect(yield* firstStart(personal)).toBeUndefined()
      expect(yield* (yield* Accounts).only).toBeDefined()
    }).pipe(Effect.provide(inMemory))
  )

  const shared = [{ ownStorage: false }, { host: "0.0.0.0" }, { host: "192.168.0.7" }]
  it.effect.each(shared)("creates nothing on a server that others may reach or share: %j", (other) =>
    Effect.gen(function* () {
      expect(yield* firstStart({ ...personal, ...other })).toBeUndefined()
      expect(yield* (yield* Accounts).isEmpty).toBe(true)
    }).pipe(Effect.provide(inMemory))
  )
})

describe("what is missing on a server that created no account", () => {
  it.effect("is a way into the only account, until it has a password or a key of it is used", () =>
    Effect.gen(function* () {
      const { account } = (yield* firstStart(personal))!
      expect(yield* findMissing(personal)).toEqual([{ _tag: "WayIn", email: account.email }])
      const keys = yield* ApiKeys
      const used: typeof keys.list = (id) =>
        Effect.map(keys.list(id), (all) => all.map((key) => ({ ...key, lastUsed: account.created })))
      expect(yield* findMissing(personal).pipe(Effect.provideService(ApiKeys, { ...keys, list: used }))).toEqual([])
      const accounts = { ...(yield* Accounts), hasPassword: () => Effect.succeed(true) }
      expect(yield* findMissing(personal).pipe(Effect.provideService(Accounts, accounts))).toEqual([])
      yield* (yield* Accounts).create({ email: "ann@example.com" })
      expect(yield* findMissing(personal)).toEqual([])
    }).pipe(Effect.provide(inMemory))
  )

  it.effect("is an account, which nothing can create in the memory of another process", () =>
    Effect.gen(function* () {
      const site = { ...personal, ownStorage: false }
      expect(yield* findMissing(site)).toEqual([{ _tag: "Account", canBeCreated: true }])
      expect(yield* findMissing({ ...site, inMemory: true })).toEqual([{ _tag: "Account", canBeCreated: false }])
      yield* (yield* Accounts).create({ email: "ann@example.com" })
      expect(yield* findMissing(site)).toEqual([])
    }).pipe(Effect.provide(inMemory))
  )

  it.effect("is an address for links where other devices reach the server", () =>
    Effect.gen(function* () {
      yield* (yield* Accounts).create({ email: "ann@example.com" })
      const open = { ...personal, host: "0.0.0.0" }
      expect(yield* findMissing(open)).toEqual([{ _tag: "PublicUrl" }])
      expect(yield* findMissing({ ...open, hasPublicUrl: true })).toEqual([])
    }).pipe(Effect.provide(inMemory))
  )
})

/** What a server with a database of its own misses after the storage failed in this way once. */
const missingAfter = (failure: StorageUnavailable) =>
  Effect.gen(function* () {
    const failures = yield* Ref.make([failure])
    const isEmpty = Effect.flatMap(
      Ref.modify(failures, ([first, ...rest]) => [first, rest]),
      (error) => (error === undefined ? Effect.succeed(true) : Effect.fail(error))
    )
    const missing = findMissing({ ...personal, ownStorage: false }).pipe(
      Effect.provideService(Accounts, { isEmpty } as Accounts["Service"]),
      Effect.provideService(ApiKeys, {} as ApiKeys["Service"])
    )
    const fiber = yield* Effect.forkChild(missing)
    yield* TestClock.adjust(10_000)
    return yield* Fiber.join(fiber)
  })

describe("finding out what is missing", () => {
  it.effect("waits for a storage that does not answer, since the server must not end", () =>
    Effect.gen(function* () {
      const missing = yield* missingAfter(new StorageUnavailable({ outcome: "not-applied" }))
      expect(missing).toEqual([{ _tag: "Account", canBeCreated: true }])
    })
  )

  it.effect("fails on a full storage, which no wait mends", () =>
    Effect.gen(function* () {
      const full = new StorageUnavailable({ outcome: "not-applied", full: true })
      expect(yield* Effect.flip(missingAfter(full))).toBe(full)
    })
  )

  it.effect("fails on a lost commit, which may have been made", () =>
    Effect.gen(function* () {
      const lost = new StorageUnavailable({ outcome: "unknown" })
      expect(yield* Effect.flip(missingAfter(lost))).toBe(lost)
    })
  )

  it.effect("reads one account and no list of them, of which there may be thousands", () =>
    Effect.gen(function* () {
      const none: Partial<Accounts["Service"]> = { only: Effect.undefined }
      const missing = findMissing(personal).pipe(
        Effect.provideService(Accounts, none as Accounts["Service"]),
        Effect.provideService(ApiKeys, {} as ApiKeys["Service"])
      )
      expect(yield* missing).toEqual([])
    })
  )
})
