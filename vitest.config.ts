import { defineConfig } from "vitest/config"
import SlowFilesFirst from "./test/setup/SlowFilesFirst.ts"

const every = ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"]
const system = ["**/*.system.test.ts", "test/system/**/*.test.ts"]

/** What needs PostgreSQL, a process of its own or a browser. Everything else is memory alone. */
const server = [
  "packages/storage-pg/test/**/*.test.ts",
  "test/{adapters,cli,places,reliability,start,webhooks}/**/*.test.ts",
  "test/documents/Documents.test.ts",
  "test/history/{Mirror,Model}.test.ts",
  "test/http/{ClientSample,Postgres,Process}.test.ts",
  "test/pages/*Chromium.test.ts",
  "test/mcp/{Documentation,Embedded,PlanADay,ResourceUpdates,Stdio,Tools}.test.ts",
  "test/signin/{Conformance,HistoryPages,Pages,Process}.test.ts"
]

/** What V8 counts is right for code that was compiled after it began to: these have a worker of their own. */
const counted = ["packages/domain/test/markdown/LinearTime.test.ts"]

/** What holds behind a pooler as well: the ports, the use cases, and the model. */
const pooled = [
  "packages/storage-pg/test/{Contract,History,Isolation,Pooler,SearchOrder,Tables,UseCases}.test.ts",
  "test/adapters/{Adapters,Races}.test.ts"
]

/** Files that leave nothing behind share a worker, which loads the modules once: a seventh to a half of the time. */
const sharing = { isolate: false }

const cluster = "./test/setup/SharedCluster.ts"
const bundles = "./test/setup/Bundles.ts"
const dataFolder = "./test/setup/SharedDataFolder.ts"

/** `npm run test:unit` runs unit and counted, `npm test` server as well, `npm run test:system` the rest. */
export default defineConfig({
  test: {
    setupFiles: ["./test/setup/Seed.ts"],
    reporters: ["default", "./scripts/PlainSummary.ts"],
    silent: "passed-only",
    // Nets for what hangs, generous because machines are slow; no test says how long anything takes.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    maxWorkers: 2,
    sequence: { sequencer: SlowFilesFirst },
    projects: [
      {
        extends: true,
        test: { name: "unit", include: every, exclude: [...system, ...server, ...counted], ...sharing }
      },
      { extends: true, test: { name: "counted", include: counted } },
      {
        extends: true,
        test: {
          name: "server",
          ...sharing,
          include: server,
          exclude: [...system, "**/Pooler.test.ts"],
          globalSetup: [bundles, cluster, dataFolder]
        }
      },
      { extends: true, test: { name: "system", include: system, globalSetup: [bundles, cluster, dataFolder] } },
      {
        extends: true,
        test: {
          name: "postgres15",
          ...sharing,
          include: ["packages/storage-pg/test/**/*.test.ts"],
          // What an outage does to a connection depends on the driver, and these take as long as the use cases.
          exclude: [...system, "**/embedded/**", "**/{Outages,Pooler}.test.ts"],
          globalSetup: cluster,
          env: { LAT_TEST_POSTGRES: "15" }
        }
      },
      {
        extends: true,
        test: {
          name: "pooled",
          ...sharing,
          include: pooled,
          globalSetup: cluster,
          // What random commands find without a pooler they need not find behind it.
          env: {
            LAT_TEST_POOLER: "transaction",
            LAT_SEQUENCES: process.env["LAT_SEQUENCES"] ?? "10",
            LAT_RACES: process.env["LAT_RACES"] ?? "10"
          }
        }
      }
    ]
  }
})
