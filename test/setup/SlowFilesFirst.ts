import { BaseSequencer, type TestSpecification } from "vitest/node"

/** The paths of the files that take longest, slowest first. */
export const slowFiles = [
  "packages/storage-pg/test/embedded/EmbeddedPostgres.system.test.ts",
  "test/system/Packages.system.test.ts",
  "test/webhooks/Kills.system.test.ts",
  "test/documents/Documents.test.ts",
  "packages/storage-pg/test/Citus.system.test.ts",
  "test/system/DiskFull.system.test.ts",
  "test/system/Proxies.system.test.ts",
  "test/start/Start.system.test.ts",
  "test/reliability/Framing.system.test.ts",
  "test/cli/TeamSetup.system.test.ts",
  "test/system/Failover.system.test.ts",
  "test/pages/DayChromium.test.ts",
  "test/pages/DraftsChromium.test.ts"
]

const rank = ({ moduleId }: TestSpecification): number => {
  const at = slowFiles.findIndex((path) => moduleId.endsWith(`/${path}`))
  return at === -1 ? slowFiles.length : at
}

/**
 * Starts the slowest files first. In a fresh clone Vitest knows no durations and starts with the largest file, so a
 * short file that runs for a minute would start last and leave the other workers idle.
 */
export default class SlowFilesFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other))
  }
}
