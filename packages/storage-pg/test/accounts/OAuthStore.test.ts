import { afterAll, describe, expect, it } from "@effect/vitest"
import type { Grant, OAuthClient } from "@lists-and-things/domain/model/Grant"
import { addMillis, EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { OAuthStore } from "@lists-and-things/domain/ports/OAuthStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { freshId, newAccount, noon } from "@lists-and-things/testing/Fixtures"
import { until } from "@lists-and-things/testing/Until"
import { Effect, Fiber } from "effect"
import { CurrentTransaction } from "../../src/connection/Transaction.ts"
import * as PgStorage from "../../src/PgStorage.ts"
import { openTestDatabase } from "../../src/testing/TestDatabase.ts"
import { testVersions } from "../../src/testing/TestServer.ts"

for (const version of testVersions) {
  const server = await openTestDatabase({ version })
  afterAll(() => server.stop())
  const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  const untilWaiting = Effect.promise(() =>
    until("a statement that waits for a lock", () => server.sql(waiting).then((rows) => rows.length > 0))
  )
  const test = (name: string, effect: Effect.Effect<void, unknown, PgStorage.Ports>) =>
    it.live(name, () => Effect.provide(effect, PgStorage.layer({ url: server.url() })))

  /** The result of `second`, which begins before `first` is committed and waits for it. */
  const behind = Effect.fnUntraced(function* <A, E, R>(
    first: Effect.Effect<unknown, E, R>,
    second: Effect.Effect<A, E, R>
  ) {
    const { id } = yield* newAccount()
    const storage = yield* Storage
    const began = yield* storage.transact(id, () =>
      Effect.gen(function* () {
        yield* first
        const fiber = yield* Effect.forkDetach(Effect.provideService(second, CurrentTransaction, undefined))
        yield* untilWaiting
        return fiber
      })
    )
    return yield* Fiber.join(began)
  })

  describe(`PostgreSQL ${version}: sign-in in two concurrent processes`, () => {
    test(
      "a code is taken first by only one of them",
      Effect.gen(function* () {
        const store = yield* OAuthStore
        const { id: owner } = yield* newAccount()
        const grant: Grant = {
          id: freshId(),
          owner,
          clientId: "a",
          clientName: "A program",
          scopes: ["search"],
          created: noon,
          lastUsed: null,
          revoked: null
        }
        const { clientId, id: grantId } = grant
        const hash = freshId()
        const expires = addMillis(noon, 60_000)
        yield* store.putGrant(grant)
        yield* store.putCode({ hash, grantId, owner, clientId, redirectUri: "", challenge: "c".repeat(43), expires })
        expect(yield* behind(store.takeCode(hash), store.takeCode(hash))).toMatchObject({ first: false })
      })
    )

    test(
      "a client that one of them approves is not trimmed by the other",
      Effect.gen(function* () {
        const store = yield* OAuthStore
        const redirectUris = ["https://a.example/cb"]
        const client: OAuthClient = { id: freshId(), name: "A program", redirectUris, created: noon, lastUsed: null }
        const fresh = { ...client, id: freshId(), created: EpochMillis(noon + 1) }
        yield* store.putClient(client)
        yield* store.putClient(fresh)
        expect(yield* behind(store.putClient({ ...client, lastUsed: noon }), store.trimClients(1, 10))).toBe(0)
        expect(yield* store.client(client.id)).toStrictEqual({ ...client, lastUsed: noon })
      })
    )
  })
}
