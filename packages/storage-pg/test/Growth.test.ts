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
    `PostgreSQL ${version}: many things for an empty table, in one transaction`,
    (it) => {
      it.effect("are added without reading all previous ones for each", () =>
        Effect.gen(function* () {
          const db = yield* Database
          const store = yield* ThingStore
          const { id: owner } = yield* newAccount()
          const list = yield* newList(owner)
          const chunks = Array.from({ length: 8 }, () =>
            Array.from({ length: 500 }, () => thing(owner, list.id, { tags: ["tag"] }))
          )
          const read = yield* (yield* Storage).transact(owner, () =>
            Effect.gen(function* () {
              yield* Effect.forEach(chunks, (chunk) => store.insert(owner, chunk), { discard: true })
              return yield* db.write(rowsRead)
            })
          )
          // A few rows per thing, and those of the first statements, which are planned while the table is almost empty.
          expect(read[0]?.["rows"]).toBeLessThan(400_000)
        })
      )
    }
  )
}
