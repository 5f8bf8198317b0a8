import { afterAll } from "@effect/vitest"
import * as PgStorage from "../src/PgStorage.ts"
import { openTestDatabase } from "../src/testing/TestDatabase.ts"
import { testVersions } from "../src/testing/TestServer.ts"
import { portSuites } from "./Suites.ts"

for (const version of testVersions) {
  const server = await openTestDatabase({ version })
  afterAll(() => server.stop())
  for (const [database, suite] of Object.entries(portSuites)) {
    await server.createDatabase(database)
    suite(`PostgreSQL ${version}`, PgStorage.layer(server.config(database)))
  }
}
