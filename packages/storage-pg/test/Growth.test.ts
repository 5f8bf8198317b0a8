import { afterAll, expect, layer as withLayer } from "@effect/vitest"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { newAccount, newList, thing } from "@lists-and-things/testing/Fixtures"
import { Effect, Layer } from "effect"
import { Database } from "../src/connection/Database.ts"
import * as PgStorage from "../src/PgStorage.ts"
import { openTestDatabase } from "../src/testing/TestDatabase.ts"
import { testVersions } from "../src/testing/TestServer.ts"

const rowsRead = `select (seq_tup_read + idx_tup_fetch)::float8 as rows from pg_stat_xact_user_tables where relname = 'things'`

for (const version of testVersions) {
  const server = await openTestDatabase({ version })
  afterAll(() => server.stop())

  withLayer(PgStorage.over.pipe(Layer.provideMerge(Database.layer(server.config()))), { excludeTestServices: true })(
    `PostgreSQL ${version}: many things for an empty table`,
    (it) => {
      /** Adds things in chunks of 500, so many in each transaction; returns the rows that this reads. */
      const added = Effect.fnUntraced(function* (perTransaction: number, transactions: number) {
        const db = yield* Database
        const store = yield* ThingStore
        const storage = yield* Storage
        const { id: owner } = yield* newAccount()
        const list = yield* newList(owner)
        const chunks = (count: number) =>
          Array.from({ length: count }, () =>
            Array.from({ length: 500 }, () => thing(owner, list.id, { tags: ["tag"] }))
          )
        const rows = Effect.map(db.write(rowsRead), ([row]) => row?.["rows"] as number)
        let read = 0
        for (let at = 0; at < transactions; at++)
          read += yield* storage.transact(owner, () =>
            Effect.gen(function* () {
              // Of former transactions, until the connection reports them.
              const before = yield* rows
              yield* Effect.forEach(chunks(perTransaction), (chunk) => store.insert(owner, chunk), { discard: true })
              return (yield* rows) - before
            })
          )
        return read
      })

      // A few rows per thing, and those of the first statements, which are planned while the table is almost empty.
      it.effect("are added without reading all previous ones for each, in several transactions", () =>
        Effect.map(added(1, 4), (read) => expect(read).toBeLessThan(400_000))
      )

      it.effect("are added without reading all previous ones for each, in one transaction", () =>
        Effect.gen(function* () {
          yield* Effect.promise(() => server.sql("truncate things cascade"))
          expect(yield* added(8, 1)).toBeLessThan(400_000)
        })
      )
    }
  )
}
