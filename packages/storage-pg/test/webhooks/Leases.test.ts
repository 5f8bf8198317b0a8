import { afterAll, expect, it } from "@effect/vitest"
import { until } from "@lists-and-things/testing/Until"
import { added, delivery, leasesOf, limit, newWebhook, outcome } from "@lists-and-things/testing/WebhookFixtures"
import { noon } from "@lists-and-things/testing/Fixtures"
import { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { Effect, Fiber, Layer } from "effect"
import { Database } from "../../src/connection/Database.ts"
import { CurrentTransaction } from "../../src/connection/Transaction.ts"
import * as PgStorage from "../../src/PgStorage.ts"
import { openTestDatabase } from "../../src/testing/TestDatabase.ts"
import { testVersions } from "../../src/testing/TestServer.ts"

for (const version of testVersions) {
  const server = await openTestDatabase({ version })
  afterAll(() => server.stop())
  const layer = Layer.provideMerge(PgStorage.over, Database.layer({ url: server.url() }))
  const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"

  it.live(`PostgreSQL ${version}: a failure does not disable a webhook that has just answered another server`, () =>
    Effect.gen(function* () {
      const db = yield* Database
      const { made, owner, store } = yield* newWebhook({ failingSince: noon })
      yield* added(made, [delivery(made)])
      const leases = yield* leasesOf(owner)
      const at = EpochMillis(noon + limit.millis)
      const failed = store.finish(
        leases.map((lease) => outcome(lease, 500, at)),
        limit
      )
      const failing = yield* db.transaction(
        Effect.gen(function* () {
          yield* db.write("update webhooks set failing_since = null, last_success = $2 where id = $1", [made.id, at])
          const failing = yield* Effect.forkDetach(Effect.provideService(failed, CurrentTransaction, undefined))
          yield* Effect.promise(() =>
            until("a statement that waits for a lock", () => server.sql(waiting).then((rows) => rows.length > 0))
          )
          return failing
        })
      )
      yield* Fiber.join(failing)
      expect(yield* store.get(owner, made.id)).toMatchObject({
        ...{ enabled: true, disabledReason: null, failingSince: at, lastSuccess: at }
      })
    }).pipe(Effect.provide(layer))
  )
}
