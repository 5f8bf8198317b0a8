import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { connect } from "@lists-and-things/storage-pg/embedded/EmbeddedPostgres"
import { Effect } from "effect"
import type { TestProject } from "vitest/node"

/** Makes the data folder that tests copy, once for a project. */
export default async (project: TestProject): Promise<() => void> => {
  const folder = mkdtempSync(join(tmpdir(), "lat-data-"))
  const dataDir = join(folder, "data")
  await Effect.runPromise(Effect.scoped(connect(dataDir)))
  project.provide("dataFolder", dataDir)
  return () => rmSync(folder, { recursive: true, force: true })
}
