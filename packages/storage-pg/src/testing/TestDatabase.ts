import { randomBytes } from "node:crypto"
import { inject } from "@effect/vitest"
import type { Redacted } from "effect"
import type { PgStorageConfig } from "../connection/PgStorageConfig.ts"
import { pooledAddress } from "./PgBouncer.ts"
import { addressIn, askAt, type TestServer, type TestVersion } from "./TestServer.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** Folders of the clusters that this test run shares, by version. */
    readonly clusters: Readonly<Partial<Record<TestVersion, string>>>
    /** Port of the pooler in front of the cluster; 0 where there is none. */
    readonly poolerPort: number
  }
}

/** Template that `test/setup/SharedCluster.ts` leaves in the shared cluster: an empty database with the newest schema. */
export const migratedTemplate = "migrated"

/** The part of a test server that is available without a cluster of one's own. */
export type TestDatabase = Pick<TestServer, "version" | "folder" | "url" | "createDatabase" | "sql" | "stop"> & {
  /** How the product connects to a database of this file: through the pooler, where this tier has one. */
  readonly config: (database?: string) => Pick<PgStorageConfig, "url" | "pooler" | "maxConnections">
}

/** As many as write at once in the suites: who waits for a connection gives up after a second, on a slow machine too. */
const maxConnections = 30

/**
 * A database for one test file, with the newest schema, on the cluster that all files of the run share. Database names
 * are private to the file; roles, settings and `pg_stat_activity` are shared. `stop` drops what was created.
 */
export const openTestDatabase = async (options: { readonly version: TestVersion }): Promise<TestDatabase> => {
  const folder = inject("clusters")[options.version]
  const poolerPort = inject("poolerPort")
  if (folder === undefined) throw new Error(`This tier starts no PostgreSQL ${options.version}: see vitest.config.ts`)
  const own = `test_${randomBytes(6).toString("hex")}`
  const created: Array<string> = []
  const nameOf = (name?: string) => (name === undefined ? own : `${own}_${name}`)
  const onServer = (text: string) => askAt(addressIn(folder, "postgres"), text)
  const create = async (name: string, more: string): Promise<Redacted.Redacted<string>> => {
    // Without writing every page to the log; a checkpoint costs little where nothing is synced.
    await onServer(`create database "${name}" ${more} strategy file_copy`)
    created.push(name)
    return addressIn(folder, name)
  }
  await create(own, `template ${migratedTemplate}`)
  return {
    version: options.version,
    folder,
    url: (database) => addressIn(folder, nameOf(database)),
    config: (database) =>
      poolerPort === 0
        ? { url: addressIn(folder, nameOf(database)), maxConnections }
        : { url: pooledAddress(poolerPort, nameOf(database)), pooler: "transaction", maxConnections },
    createDatabase: (name, more = "") => create(nameOf(name), more),
    sql: (text, database) => askAt(addressIn(folder, nameOf(database)), text),
    stop: async () => {
      for (const name of created) await onServer(`drop database "${name}" with (force)`)
    }
  }
}
