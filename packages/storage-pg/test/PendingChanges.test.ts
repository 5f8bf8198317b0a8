import { afterAll, describe, expect, layer as withLayer } from "@effect/vitest"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { newAccount, newList, newThings } from "@lists-and-things/testing/Fixtures"
import { Effect, Schedule } from "effect"
import * as PgStorage from "../src/PgStorage.ts"
import { openTestDatabase } from "../src/testing/TestDatabase.ts"
import { testVersions } from "../src/testing/TestServer.ts"

for (const version of testVersions) {
  const server = await openTestDatabase({ version })
  afterAll(() => server.stop())

  describe(`PostgreSQL ${version}: the pending list of the search index`, () => {
    withLayer(PgStorage.layer(server.config()), { excludeTestServices: true })((it) => {
      it.effect("is merged after a search", () =>
        Effect.gen(function* () {
          const things = yield* ThingStore
          yield* Effect.promise(() => server.sql("create extension pgstattuple"))
          const pendingRows = Effect.promise(() =>
            server.sql("select pending_tuples::text as pending from pgstatginindex('things_search')")
          ).pipe(Effect.map(([row]) => Number(row!["pending"])))
          const { id: owner } = yield* newAccount()
          const list = yield* newList(owner)
          yield* newThings(owner, list.id, [{ text: "Water the plants" }])
          expect(yield* pendingRows).toBeGreaterThan(0)

          const { items } = yield* things.search(owner, "plants", 10)

          expect(items).toHaveLength(1)
          yield* pendingRows.pipe(Effect.repeat({ until: (rows) => rows === 0, schedule: Schedule.spaced(20) }))
          expect((yield* things.search(owner, "plants", 10)).items).toEqual(items)
        })
      )
    })
  })
}
