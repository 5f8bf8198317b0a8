import { afterAll, describe, expect, it } from "@effect/vitest"
import { KeyStore } from "@lists-and-things/domain/ports/KeyStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { key, newAccount } from "@lists-and-things/testing/Fixtures"
import { Context, Effect, Fiber, Layer } from "effect"
import { Database } from "../src/connection/Database.ts"
import * as KeyStorePg from "../src/accounts/KeyStore.ts"
import * as PgStorage from "../src/PgStorage.ts"
import { openTestDatabase } from "../src/testing/TestDatabase.ts"
import { testVersions } from "../src/testing/TestServer.ts"

for (const version of testVersions) {
  const server = await openTestDatabase({ version })
  afterAll(() => server.stop())
  const url = server.url()

  describe(`PostgreSQL ${version}: grant`, () => {
    it.live("never admits more than the limit, however many processes ask at once", () =>
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

    it.live("does not wait for a key that is contended, and counts the others", () =>
      Effect.gen(function* () {
        const db = yield* Database
        const keys = yield* KeyStore
        const [one, two] = [key((yield* newAccount()).id), key((yield* newAccount()).id)]
        yield* keys.insert(one)
        yield* keys.insert(two)
        const admit = ({ id, secretHash }: typeof one) => keys.admit(id, secretHash)
        const waiting = yield* db.transaction(
          Effect.gen(function* () {
            yield* db.write("select 1 from key_usage where key_id = $1 for update", [one.id])
            const waiting = yield* Effect.forkDetach(admit(one))
            const others = yield* Effect.all([admit(two), admit(two), admit(two)], { concurrency: "unbounded" })
            expect(others.map((slot) => slot?.remaining)).toStrictEqual([999, 998, 997])
            expect(waiting.pollUnsafe()).toBeUndefined()
            return waiting
          })
        )
        expect((yield* Fiber.join(waiting))?.remaining).toBe(999)
        expect((yield* admit(one))?.remaining).toBe(998)
      }).pipe(
        Effect.provide(
          PgStorage.layer({ url }).pipe(
            Layer.provideMerge(KeyStorePg.layer.pipe(Layer.provideMerge(Database.layer({ url }))))
          )
        )
      )
    )

    it.live("commits apart from the transaction around it", () =>
      Effect.gen(function* () {
        const keys = yield* KeyStore
        const { id: owner } = yield* newAccount()
        const mine = key(owner)
        yield* keys.insert(mine)
        const storage = yield* Storage
        const admit = keys.admit(mine.id, mine.secretHash)
        yield* Effect.ignore(storage.transact(owner, () => Effect.andThen(admit, Effect.fail("undone"))))
        expect((yield* admit)?.remaining).toBe(998)
      }).pipe(
        Effect.provide(
          PgStorage.layer({ url }).pipe(
            Layer.provideMerge(Layer.mergeAll(KeyStorePg.layer.pipe(Layer.provideMerge(Database.layer({ url })))))
          )
        )
      )
    )
  })
}
