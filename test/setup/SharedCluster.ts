import * as PgStorage from "@lists-and-things/storage-pg/PgStorage"
import { startPgBouncer } from "@lists-and-things/storage-pg/testing/PgBouncer"
import { migratedTemplate } from "@lists-and-things/storage-pg/testing/TestDatabase"
import { startTestPostgres, type TestVersion } from "@lists-and-things/storage-pg/testing/TestServer"
import { Effect, Layer } from "effect"
import type { TestProject } from "vitest/node"
import { ownPort } from "./OwnPort.ts"

/** The data does not survive a crash of the machine; tests of durability use a server of their own. */
const settings = ["fsync=off", "full_page_writes=off", "synchronous_commit=off"]

/** Connections of the pooler to the server for each database, fewer than one process of the product opens. */
const connections = 5

/** Starts one PostgreSQL for all files of a project, with a template of the newest schema; one tier adds a pooler. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const version: TestVersion = project.config.env?.["LAT_TEST_POSTGRES"] === "15" ? 15 : 18
  const server = await startTestPostgres({ version, settings })
  try {
    const url = await server.createDatabase(migratedTemplate)
    await Effect.runPromise(Effect.scoped(Layer.build(PgStorage.layer({ url }))))
    project.provide("clusters", { [version]: server.folder })
    const pooler =
      project.config.env?.["LAT_TEST_POOLER"] === undefined
        ? undefined
        : await startPgBouncer(server.folder, await ownPort(), connections)
    project.provide("poolerPort", pooler?.port ?? 0)
    return async () => {
      await pooler?.stop()
      await server.stop()
    }
  } catch (error) {
    await server.stop()
    throw error
  }
}
