import * as PgStorage from "@lists-and-things/storage-pg/PgStorage"
import { migratedTemplate } from "@lists-and-things/storage-pg/testing/TestDatabase"
import { startTestPostgres, type TestVersion } from "@lists-and-things/storage-pg/testing/TestServer"
import { Effect, Layer } from "effect"
import type { TestProject } from "vitest/node"

/** Nothing on it outlives a crash of the machine: tests of durability have a server of their own. */
const settings = ["fsync=off", "full_page_writes=off", "synchronous_commit=off"]

/** One PostgreSQL for all files of a project, with a database of the newest schema to copy. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const version: TestVersion = project.config.env?.["LAT_TEST_POSTGRES"] === "15" ? 15 : 18
  const server = await startTestPostgres({ version, settings })
  const url = await server.createDatabase(migratedTemplate)
  await Effect.runPromise(Effect.scoped(Layer.build(PgStorage.layer({ url }))))
  project.provide("clusters", { [version]: server.folder })
  return () => server.stop()
}
