import { afterAll, describe, expect, it } from "@effect/vitest"
import { makeRateLimiter } from "@lists-and-things/domain/caller/RateLimiter"
import { KeyStore } from "@lists-and-things/domain/ports/KeyStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { key, newAccount, noon } from "@lists-and-things/testing/Fixtures"
import { Context, Effect, Layer } from "effect"
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
          // As a process asks: what comes at the same time is one statement.
          const scope = yield* Effect.scope
          const takes = processes.map((process) => makeRateLimiter(Context.get(process, KeyStore), scope))
          const slots = yield* Effect.all(
            Array.from({ length: 1_200 }, (_, n) => takes[n % 4]!(mine.id, mine.secretHash)),
            { concurrency: "unbounded" }
          )
          const admitted = slots.filter((slot) => slot?.admitted === true)
          expect(admitted).toHaveLength(300)
          expect(new Set(admitted.map((slot) => slot?.remaining)).size).toBe(300)
          expect(Math.max(...slots.map((slot) => slot?.grant.used ?? 0))).toBe(300)
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
        const asked = [one, two].map(({ id, secretHash }) => ({ id, secretHash, requests: 1 }))
        const answers = yield* db.transaction(
          Effect.andThen(
            db.write("select 1 from key_usage where key_id = $1 for update", [one.id]),
            keys.admitAll(asked, noon)
          )
        )
        expect(answers[0]).toBe("contended")
        expect(answers[1]).toEqual(expect.objectContaining({ used: 1 }))
        expect((yield* keys.admitAll(asked, noon))[0]).toEqual(expect.objectContaining({ used: 1 }))
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
        const asked = { id: mine.id, secretHash: mine.secretHash, requests: 1 }
        for (const admit of [Effect.asVoid(keys.admit(asked, 1)), Effect.asVoid(keys.admitAll([asked], 1))]) {
          yield* Effect.ignore(storage.transact(owner, () => Effect.andThen(admit, Effect.fail("undone"))))
        }
        expect((yield* keys.admit(asked, 1))?.used).toBe(3)
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
