import { BaseSequencer, type TestSpecification } from "vitest/node"

/** The files that take longest, slowest first. A name may end any path. */
const slow = [
  "storage-pg/test/embedded/EmbeddedPostgres.system.test.ts",
  "system/Packages.system.test.ts",
  "webhooks/Kills.system.test.ts",
  "documents/Documents.test.ts",
  "storage-pg/test/Citus.system.test.ts",
  "system/DiskFull.system.test.ts",
  "reliability/EveryStatement.system.test.ts",
  "system/Proxies.system.test.ts",
  "start/Start.system.test.ts",
  "reliability/Framing.system.test.ts",
  "cli/TeamSetup.system.test.ts",
  "system/Failover.system.test.ts",
  "pages/DayChromium.test.ts",
  "pages/DraftsChromium.test.ts"
]

const rank = ({ moduleId }: TestSpecification): number => {
  const at = slow.findIndex((name) => moduleId.endsWith(`/${name}`))
  return at === -1 ? slow.length : at
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
