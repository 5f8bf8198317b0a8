import { afterAll, describe, expect, it } from "@effect/vitest"
import type { ApiKey } from "@lists-and-things/domain/model/ApiKey"
import { KeyStore, type QuotaSlot } from "@lists-and-things/domain/ports/KeyStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { key, newAccount } from "@lists-and-things/testing/Fixtures"
import { until } from "@lists-and-things/testing/Until"
import { Context, Effect, Fiber, Layer } from "effect"
import { Database } from "../src/connection/Database.ts"
import { CurrentTransaction } from "../src/connection/Transaction.ts"
import * as PgStorage from "../src/PgStorage.ts"
import { openTestDatabase } from "../src/testing/TestDatabase.ts"
import { testVersions } from "../src/testing/TestServer.ts"

for (const version of testVersions) {
  const server = await openTestDatabase({ version })
  afterAll(() => server.stop())
  const url = server.url()

  const storageWithDatabase = Layer.provideMerge(PgStorage.over, Database.layer({ url }))

  describe(`PostgreSQL ${version}: grant`, () => {
    it.live("never admits more than the limit across concurrent processes", () =>
      Effect.scoped(
        Effect.gen(function* () {
          const processes = yield* Effect.all(
            Array.from({ length: 4 }, () => Layer.build(PgStorage.layer({ url }))),
            { concurrency: "unbounded" }
          )
          const { id: owner } = yield* Effect.provide(newAccount(), processes[0]!)
          const mine = key(owner, { rateLimit: 300 })
          yield* Context.get(processes[0]!, KeyStore).insert(mine)
          const stores = processes.map((process) => Context.get(process, KeyStore))
          const slots = yield* Effect.all(
            Array.from({ length: 1_200 }, (_, n) => stores[n % 4]!.admit(mine.id, mine.secretHash)),
            { concurrency: "unbounded" }
          )
          const admitted = slots.filter((slot) => slot?.admitted === true)
          expect(admitted).toHaveLength(300)
          expect(new Set(admitted.map((slot) => slot?.remaining)).size).toBe(300)
          expect(slots.filter((slot) => slot?.admitted === false && slot.remaining === 0)).toHaveLength(900)
        })
      )
    )

    it.live("does not let other keys wait for a contended one", () =>
      Effect.gen(function* () {
        const db = yield* Database
        const keys = yield* KeyStore
        const [one, two] = [key((yield* newAccount()).id), key((yield* newAccount()).id)]
        yield* keys.insert(one)
        yield* keys.insert(two)
        const admit = ({ id, secretHash }: typeof one) => keys.admit(id, secretHash)
        const waiting = yield* db.transaction(
          Effect.gen(function* () {
            yield* db.write("select 1 from key_counts where key_id = $1 for update", [one.id])
            const waiting = yield* Effect.forkDetach(admit(one))
            const others = yield* Effect.all([admit(two), admit(two), admit(two)], { concurrency: "unbounded" })
            expect(others.map((slot) => slot?.remaining)).toStrictEqual([999, 998, 997])
            expect(waiting.pollUnsafe()).toBeUndefined()
            return waiting
          })
        )
        expect((yield* Fiber.join(waiting))?.remaining).toBe(999)
        expect((yield* admit(one))?.remaining).toBe(998)
      }).pipe(Effect.provide(storageWithDatabase))
    )

    it.live("reads in one round trip with the count, after it, and only for a key that was admitted before", () =>
      Effect.gen(function* () {
        const db = yield* Database
        const keys = yield* KeyStore
        const mine = key((yield* newAccount()).id, { rateLimit: 3 })
        yield* keys.insert(mine)
        let reads = 0
        const counted = Effect.map(
          db.read("select used, pg_backend_pid() as pid from key_counts where key_id = $1", [mine.id]),
          ([row]) => row!
        )
        const admit = (secretHash: string) =>
          keys.admitWith(mine.id, secretHash, () => {
            reads++
            return counted
          })
        const readAs = (secretHash: string) => Effect.flatMap(admit(secretHash), (admitted) => admitted!.found)

        expect((yield* readAs(mine.secretHash)).used).toBe(1)
        const together = yield* Effect.all([readAs(mine.secretHash), readAs(mine.secretHash)], {
          concurrency: "unbounded"
        })
        expect(together.map(({ used }) => used)).toStrictEqual([3, 3])
        expect(new Set(together.map(({ pid }) => pid)).size).toBe(1)
        expect(reads).toBe(3)

        yield* Effect.all([admit("other"), admit(mine.secretHash)])
        expect(reads).toBe(4)
        expect((yield* admit(mine.secretHash))?.slot.admitted).toBe(false)
        expect(reads).toBe(4)
      }).pipe(Effect.provide(storageWithDatabase))
    )

    const admitted = (mine: Pick<ApiKey, "id" | "secretHash">, times = 1) =>
      Effect.gen(function* () {
        const keys = yield* KeyStore
        let slot: QuotaSlot | undefined
        for (let n = 0; n < times; n++) slot = yield* keys.admit(mine.id, mine.secretHash)
        return slot
      })
    const newKey = (rateLimit: number) =>
      Effect.gen(function* () {
        const mine = key((yield* newAccount()).id, { rateLimit })
        yield* (yield* KeyStore).insert(mine)
        return mine
      })
    /** The durable count of a key. */
    const durable = (id: string) =>
      Effect.map(
        Effect.flatMap(Database, (db) => db.read("select used from key_usage where key_id = $1", [id])),
        ([row]) => row!
      )
    /** Leaves `key_counts` as it is after a crash. */
    const crash = (id: string) =>
      Effect.flatMap(Database, (db) => db.write("delete from key_counts where key_id = $1", [id]))

    it.live("repeats a read that preceded the count when another process has used up the count in advance", () =>
      Effect.gen(function* () {
        const db = yield* Database
        const keys = yield* KeyStore
        const other = Context.get(yield* Layer.build(PgStorage.layer({ url })), KeyStore)
        const mine = yield* newKey(1_000)
        const used = Effect.map(
          db.read("select used from key_counts where key_id = $1", [mine.id]),
          ([row]) => row!.used as number
        )
        const readUsed = Effect.flatMap(
          keys.admitWith(mine.id, mine.secretHash, () => used),
          (admitted) => Effect.map(admitted!.found, (found) => [admitted!.slot.remaining, found])
        )
        expect(yield* readUsed).toStrictEqual([999, 1])
        expect(yield* readUsed).toStrictEqual([998, 2])
        for (let n = 3; n <= 11; n++) yield* other.admit(mine.id, mine.secretHash)
        expect(yield* readUsed).toStrictEqual([988, 12])
        expect(yield* readUsed).toStrictEqual([987, 13])
      }).pipe(Effect.scoped, Effect.provide(storageWithDatabase))
    )

    it.live("counts a hundredth of the limit durably in advance, and writes nothing durably until it is used up", () =>
      Effect.gen(function* () {
        const mine = yield* newKey(1_000)
        yield* admitted(mine)
        const first = yield* durable(mine.id)
        expect(first.used).toBe(11)
        expect((yield* admitted(mine, 10))?.remaining).toBe(989)
        expect((yield* durable(mine.id)).used).toBe(11)
        expect((yield* admitted(mine))?.remaining).toBe(988)
        expect(yield* durable(mine.id)).toMatchObject({ used: 22 })
      }).pipe(Effect.provide(storageWithDatabase))
    )

    it.live("admits a key whose count lies far behind in its table", () =>
      Effect.gen(function* () {
        const db = yield* Database
        const first = yield* newKey(1)
        yield* db.write(
          `with made as (
             insert into api_keys (owner_id, id, name, scopes, rate_limit, secret_hash, created)
             select owner_id, repeat(n::text, 10), name, scopes, rate_limit, n::text, created
             from api_keys, generate_series(1, 2500) n where id = $1 returning owner_id, id
           ) insert into key_counts (owner_id, key_id, window_start, used, reserved)
           select owner_id, id, 0, 0, 0 from made`,
          [first.id]
        )
        const mine = yield* newKey(1_000)
        expect((yield* admitted(mine, 3))?.remaining).toBe(997)
        const [row] = yield* db.read("select (ctid::text::point)[0] as block from key_counts where key_id = $1", [
          mine.id
        ])
        expect(row!.block).toBeGreaterThanOrEqual(128)
        expect(row!.block).toBeLessThan(256)
        yield* db.write("delete from api_keys where owner_id = $1", [first.accountId])
      }).pipe(Effect.provide(storageWithDatabase))
    )

    it.live("treats the count in advance as used after a crash, and never admits more than the limit", () =>
      Effect.gen(function* () {
        const mine = yield* newKey(1_000)
        expect((yield* admitted(mine, 3))?.remaining).toBe(997)
        yield* crash(mine.id)
        expect((yield* admitted(mine))?.remaining).toBe(988)
        const few = yield* newKey(4)
        let total = 0
        for (let n = 0; n < 8; n++) {
          if ((yield* admitted(few))?.admitted === true) total++
          yield* crash(few.id)
        }
        expect(total).toBeGreaterThan(0)
        expect(total).toBeLessThanOrEqual(4)
        expect((yield* admitted(few))?.remaining).toBe(0)
      }).pipe(Effect.provide(storageWithDatabase))
    )

    it.live("keeps the limit beside a program of a former schema, which counts in the durable row", () =>
      Effect.gen(function* () {
        const db = yield* Database
        const mine = yield* newKey(100)
        expect((yield* admitted(mine, 50))?.remaining).toBe(50)
        const { used } = yield* durable(mine.id)
        yield* db.write("update key_usage set used = used + 45 where key_id = $1", [mine.id])
        let total = 0
        for (let n = 0; n < 20; n++) if ((yield* admitted(mine))?.admitted === true) total++
        expect(total).toBe(100 - 45 - 50)
        expect(used).toBeGreaterThanOrEqual(50)
        expect((yield* admitted(mine))?.remaining).toBe(0)
      }).pipe(Effect.provide(storageWithDatabase))
    )

    it.live("repeats a read that preceded the count of a contended key", () =>
      Effect.gen(function* () {
        const db = yield* Database
        const keys = yield* KeyStore
        const mine = key((yield* newAccount()).id)
        yield* keys.insert(mine)
        const used = Effect.map(
          db.read("select used from key_counts where key_id = $1", [mine.id]),
          ([row]) => row!.used as number
        )
        const seen: Array<number> = []
        const readUsed = Effect.tap(used, (count) => Effect.sync(() => seen.push(count)))
        const readAs = Effect.flatMap(
          keys.admitWith(mine.id, mine.secretHash, () => readUsed),
          (admitted) => admitted!.found
        )
        expect(yield* readAs).toBe(1)
        const waiting = yield* db.transaction(
          Effect.gen(function* () {
            yield* db.write("select 1 from key_counts where key_id = $1 for update", [mine.id])
            const waiting = yield* Effect.forkDetach(Effect.provideService(readAs, CurrentTransaction, undefined))
            yield* Effect.promise(() => until("the early read", () => seen.length === 2))
            expect(waiting.pollUnsafe()).toBeUndefined()
            return waiting
          })
        )
        expect(yield* Fiber.join(waiting)).toBe(2)
        expect(seen).toStrictEqual([1, 1, 2])
      }).pipe(Effect.provide(storageWithDatabase))
    )

    it.live("commits independently of the surrounding transaction", () =>
      Effect.gen(function* () {
        const keys = yield* KeyStore
        const { id: owner } = yield* newAccount()
        const mine = key(owner)
        yield* keys.insert(mine)
        const storage = yield* Storage
        const admit = keys.admit(mine.id, mine.secretHash)
        yield* Effect.ignore(storage.transact(owner, () => Effect.andThen(admit, Effect.fail("undone"))))
        expect((yield* admit)?.remaining).toBe(998)
      }).pipe(Effect.provide(storageWithDatabase))
    )
  })
}
