import { startTestPostgres, type TestServer } from "@lists-and-things/storage-pg/testing/TestServer"
import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import { Redacted } from "effect"
import { follow } from "../documents/Follow.ts"

let other: TestServer
beforeAll(async () => {
  other = await startTestPostgres({ version: 15, settings: ["fsync=off"] })
})
afterAll(() => other.stop())

const stopped = "npx lat db stop --yes --quiet; LAT_DATA_DIR=$PWD/rehearsal npx lat db stop --yes --quiet"

it("docs/backup-and-upgrade.md can be followed step by step", { timeout: 600_000 }, async () => {
  await other.createDatabase("lists")
  const variables = { OTHER_DATABASE: Redacted.value(other.url("lists")) }
  const said = await follow("docs/backup-and-upgrade.md", { served: false, variables }, stopped)
  expect(said.match(/Loaded 1 account, 1 list and 1 thing from backup\/\w+\.dump\./g)).toHaveLength(3)
})
