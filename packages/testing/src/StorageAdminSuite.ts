import { expect, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import { KeyStore } from "@lists-and-things/domain/ports/KeyStore"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { orphanKinds, StorageAdmin } from "@lists-and-things/domain/ports/StorageAdmin"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { ListId, ThingId } from "@lists-and-things/domain/model/Ids"
import { at, freshId, key, latest, newAccount, newList, newThings, reminder } from "./Fixtures.ts"
import { currentTime } from "@lists-and-things/domain/model/EpochMillis"

type Ports = AccountStore | KeyStore | ListStore | ThingStore | ReminderStore | Storage | StorageAdmin

/** The contract of `StorageAdmin`, for any adapter. */
export const suite = <E>(name: string, layer: Layer.Layer<Ports, E>): void => {
  withLayer(layer, { excludeTestServices: true })(`${name}: StorageAdmin`, (it) => {
    it.effect("stats counts the data of one account or of all", () =>
      Effect.gen(function* () {
        const admin = yield* StorageAdmin
        const before = yield* admin.stats()
        const { id: owner } = yield* newAccount()
        const { id: empty } = yield* newAccount()
        const [home] = [yield* newList(owner), yield* newList(owner)]
        const things = yield* newThings(owner, home.id, [{}, {}, {}])
        yield* Effect.flatMap(ReminderStore, (reminders) => reminders.put(owner, [reminder(things[0]!)]))
        yield* Effect.flatMap(KeyStore, (keys) => keys.insert(key(owner)))
        const counts = { accounts: 1, keys: 1, lists: 2, things: 3, reminders: 1, bytesOnDisk: null }
        expect(yield* admin.stats(owner)).toStrictEqual(counts)
        expect(yield* admin.stats(empty)).toStrictEqual({ ...counts, keys: 0, lists: 0, things: 0, reminders: 0 })
        const after = yield* admin.stats()
        expect(after.accounts).toBeGreaterThanOrEqual(before.accounts + 2)
        expect(after.things).toBeGreaterThanOrEqual(before.things + 3)
      })
    )

    it.effect("status has an up-to-date schema version and the correct time", () =>
      Effect.gen(function* () {
        const admin = yield* StorageAdmin
        const before = yield* currentTime
        const status = yield* admin.status
        expect(status.schemaVersion).toBe(status.latestSchemaVersion)
        expect(status.processes).toBeGreaterThanOrEqual(1)
        // Tests run on one machine, so the storage has the same clock.
        expect(Math.ceil(status.clock)).toBeGreaterThanOrEqual(before)
        expect(Math.floor(status.clock)).toBeLessThanOrEqual(yield* currentTime)
        expect(status.location).not.toMatch(/password|secret|:[^/:@]*@/)
      })
    )

    it.effect("status has the latest writeTimestamp of all accounts", () =>
      Effect.gen(function* () {
        const admin = yield* StorageAdmin
        const { id } = yield* newAccount()
        const writeTimestamp = yield* at(latest - 86_400_000)(
          Effect.flatMap(Storage, (storage) => storage.transact(id, Effect.succeed))
        )
        expect((yield* admin.status).lastWrite).toBe(writeTimestamp)
      })
    )

    it.effect("orphans finds no reference to a deleted thing or list", () =>
      Effect.gen(function* () {
        const [admin, lists, things] = [yield* StorageAdmin, yield* ListStore, yield* ThingStore]
        const { id: owner } = yield* newAccount()
        const [home, shop] = [yield* newList(owner), yield* newList(owner)]
        const [original] = yield* newThings(owner, shop.id, [{ hasClones: true }])
        yield* newThings(owner, home.id, [{ cloneOf: original!.id }, { listRef: shop.id }])
        yield* things.remove(owner, [original!.id])
        yield* lists.remove(owner, shop.id)
        const { id: other } = yield* newAccount()
        yield* newThings(other, (yield* newList(other)).id, [{}, {}])
        yield* (yield* AccountStore).remove(other)
        expect(yield* admin.orphans).toStrictEqual([])
      })
    )

    it.effect("orphans finds references to unknown things and lists", () =>
      Effect.gen(function* () {
        const [admin, things] = [yield* StorageAdmin, yield* ThingStore]
        const { id: owner } = yield* newAccount()
        const home = yield* newList(owner)
        const [list, thing] = [ListId.make(freshId()), ThingId.make(freshId())]
        yield* newThings(owner, home.id, [{ listRef: list }, { listRef: list }, { cloneOf: thing }])
        expect(yield* admin.orphans).toStrictEqual([
          { what: orphanKinds.listRef, count: 2 },
          { what: orphanKinds.cloneOf, count: 1 }
        ])
        yield* things.remove(
          owner,
          (yield* things.ofList(owner, home.id)).map(({ id }) => id)
        )
        expect(yield* admin.orphans).toStrictEqual([])
      })
    )

    it.effect("migrate applies no migration twice", () =>
      Effect.gen(function* () {
        const admin = yield* StorageAdmin
        yield* admin.migrate
        expect(yield* admin.migrate).toHaveLength(0)
      })
    )
  })
}
