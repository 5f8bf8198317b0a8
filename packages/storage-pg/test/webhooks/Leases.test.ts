import { afterAll, expect, it } from "@effect/vitest"
import { until } from "@lists-and-things/testing/Until"
import { added, delivery, leasesOf, limit, newWebhook, outcome } from "@lists-and-things/testing/WebhookFixtures"
import { noon } from "@lists-and-things/testing/Fixtures"
import { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { parallelDeliveries } from "@lists-and-things/domain/ports/WebhookStore"
import { Effect, Fiber, Layer } from "effect"
import { Database } from "../../src/connection/Database.ts"
import { CurrentTransaction } from "../../src/connection/Transaction.ts"
import * as PgStorage from "../../src/PgStorage.ts"
import { openTestDatabase } from "../../src/testing/TestDatabase.ts"
import { testVersions } from "../../src/testing/TestServer.ts"
import { dueRead, webhooksWalked } from "../../src/webhooks/DueWebhooks.ts"

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

  it.live(`PostgreSQL ${version}: a backlog that one look cannot read hides no other webhook`, () =>
    Effect.gen(function* () {
      const { made, owner } = yield* newWebhook()
      const others = webhooksWalked + 20
      const run = (sql: string) => Effect.promise(() => server.sql(sql))
      const deliveries = `insert into webhook_deliveries (owner_id, webhook_id, id, event, message_id, body, notice,
        position, in_turn, attempts, created, next_attempt)`
      yield* run(`insert into webhooks (owner_id, id, url, events, format, description, enabled, secret, created, since,
          after_write)
        select '${owner}', gen_random_uuid(), '', '{}', 'standard', '', true, '', 0, 0, 0
        from generate_series(1, ${others})`)
      yield* run(`${deliveries} select owner_id, id, id, 'reminder.due', '', '', '{}', 0, false, 0, ${noon}, ${noon}
        from webhooks where owner_id = '${owner}' and id <> '${made.id}'`)
      yield* run(`${deliveries} select '${owner}', '${made.id}', gen_random_uuid(), 'reminder.due', n::text, '', '{}', 0,
          false, 0, ${noon}, ${noon} + n from generate_series(1, ${dueRead + parallelDeliveries}) as n`)
      const look = leasesOf(owner, noon + dueRead * 2)
      expect((yield* look).length).toBeGreaterThan(parallelDeliveries)
      expect(yield* look).not.toStrictEqual([])
      expect(
        yield* run(`select from webhook_deliveries where next_attempt = ${noon} and lease_until is null`)
      ).toStrictEqual([])
      yield* run(`update webhook_deliveries set lease_until = null where next_attempt = ${noon}`)
      expect(yield* look).not.toStrictEqual([])
    }).pipe(Effect.provide(layer))
  )
}
