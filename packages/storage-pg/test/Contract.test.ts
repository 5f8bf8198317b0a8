import { suite as accounts } from "@lists-and-things/testing/AccountStoreSuite"
import { suite as everyWrite } from "@lists-and-things/testing/EveryWriteSuite"
import { suite as historyPruning } from "@lists-and-things/testing/HistoryPruningSuite"
import { suite as historyReads } from "@lists-and-things/testing/HistoryReadSuite"
import { suite as history } from "@lists-and-things/testing/HistoryStoreSuite"
import { suite as keys } from "@lists-and-things/testing/KeyStoreSuite"
import { suite as listQueries } from "@lists-and-things/testing/ListQuerySuite"
import { suite as lists } from "@lists-and-things/testing/ListStoreSuite"
import { suite as places } from "@lists-and-things/testing/PlaceStoreSuite"
import { suite as idempotency } from "@lists-and-things/testing/IdempotencyStoreSuite"
import { suite as reminders } from "@lists-and-things/testing/ReminderStoreSuite"
import { SizeLimits } from "@lists-and-things/domain/size/SizeLimits"
import { suite as signIn } from "@lists-and-things/testing/SignInStoresSuite"
import { suite as sizes, suiteLimits } from "@lists-and-things/testing/SizeStoreSuite"
import { suite as admin } from "@lists-and-things/testing/StorageAdminSuite"
import { suite as storage } from "@lists-and-things/testing/StorageSuite"
import { suite as appending } from "@lists-and-things/testing/ThingAppendSuite"
import { suite as thingQueries } from "@lists-and-things/testing/ThingQuerySuite"
import { suite as things } from "@lists-and-things/testing/ThingStoreSuite"
import { suite as revising } from "@lists-and-things/testing/ThingRevisionSuite"
import { suite as transactWith } from "@lists-and-things/testing/TransactWithSuite"
import { suite as webhooks } from "@lists-and-things/testing/WebhookStoreSuite"
import { Layer } from "effect"
import { afterAll } from "@effect/vitest"
import * as PgStorage from "../src/PgStorage.ts"
import { openTestDatabase } from "../src/testing/TestDatabase.ts"
import { testVersions } from "../src/testing/TestServer.ts"

const suites = {
  storage,
  transact_with: transactWith,
  accounts,
  keys,
  lists,
  listQueries,
  things,
  appending,
  revising,
  thingQueries,
  reminders,
  places,
  idempotency,
  signIn,
  history,
  historyReads,
  historyPruning,
  everyWrite,
  webhooks,
  admin
}

for (const version of testVersions) {
  const server = await openTestDatabase({ version })
  afterAll(() => server.stop())
  for (const [database, suite] of Object.entries(suites)) {
    await server.createDatabase(database)
    suite(`PostgreSQL ${version}`, PgStorage.layer(server.config(database)))
  }
  await server.createDatabase("sizes")
  sizes(
    `PostgreSQL ${version}`,
    PgStorage.layer(server.config("sizes")).pipe(Layer.provide(Layer.succeed(SizeLimits, suiteLimits)))
  )
}
