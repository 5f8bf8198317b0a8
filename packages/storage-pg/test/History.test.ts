import { afterAll } from "@effect/vitest"
import * as PgStorage from "../src/PgStorage.ts"
import { openTestDatabase } from "../src/testing/TestDatabase.ts"
import { testVersions } from "../src/testing/TestServer.ts"
import { historySuites, referencesKept } from "./Suites.ts"

/** Random histories are shorter where they run once more: on the oldest PostgreSQL, and behind a pooler. */
const isRepeated = process.env["LAT_TEST_POSTGRES"] !== undefined || process.env["LAT_TEST_POOLER"] !== undefined

for (const version of testVersions) {
  const server = await openTestDatabase({ version })
  afterAll(() => server.stop())
  historySuites(`PostgreSQL ${version}`, PgStorage.layer(server.config()), isRepeated ? 12 : 40)
  referencesKept(`PostgreSQL ${version}`, PgStorage.layer(server.config()))
}
