import { afterAll } from "@effect/vitest"
import * as PgStorage from "../src/PgStorage.ts"
import { openTestDatabase } from "../src/testing/TestDatabase.ts"
import { testVersions } from "../src/testing/TestServer.ts"
import { historySuites, referencesKept } from "./Suites.ts"

for (const version of testVersions) {
  const server = await openTestDatabase({ version })
  afterAll(() => server.stop())
  historySuites(`PostgreSQL ${version}`, PgStorage.layer(server.config()))
  referencesKept(`PostgreSQL ${version}`, PgStorage.layer(server.config()))
}
