/**
 * `npm run bench`: prints a table of ratios of the product to the floor, all from one run, and the same as JSON.
 * `--things=N` sets another size than a million, `--seconds=N` another length of each of the five rounds. `--quick`
 * takes at most a minute on a small database, to check that the benchmark works; its figures mean nothing.
 */
import { startTestPostgres } from "@lists-and-things/storage-pg/testing/TestServer"
import { writeFileSync } from "node:fs"
import { cpus } from "node:os"
import { startFloor, startProduct } from "./Processes.ts"
import { printTable, toMarkdown } from "./Report.ts"
import { bulkRows } from "./BulkRows.ts"
import { noCitus } from "@lists-and-things/storage-pg/testing/CitusCluster"
import { clusterRows } from "./ClusterRows.ts"
import { growthRows } from "./GrowthRows.ts"
import { historyRows, waiterRows } from "./HistoryRows.ts"
import { memoryAndStartRows } from "./MemoryRows.ts"
import { pairRows } from "./PairRows.ts"
import { mcpRows } from "./McpRows.ts"
import type { Effort, Row } from "./Rows.ts"
import { metricsRow, workerRows } from "./SettingsRows.ts"
import { bundleWhatIsStale, startRows } from "./StartRows.ts"
import { scalingRow } from "./ScalingRow.ts"
import { webhookRows } from "./WebhookRows.ts"
import { fillDatabase } from "./FilledDatabase.ts"

const quick = process.argv.includes("--quick")
const option = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3)
const out = option("out")
const only = option("only")?.split(",")
/** `--only=1,11` selects row 1 and all rows of 11. */
const wants = (row: string): boolean => only === undefined || only.includes(row) || only.includes(row.split(".")[0]!)
const effort: Effort = quick
  ? { seconds: 0.2, rounds: 1, warmUp: false, wants }
  : { seconds: Number(option("seconds") ?? 3), rounds: Number(option("rounds") ?? 5), warmUp: true, wants }
const sizes = quick ? { small: 2_000, large: 10_000 } : { small: 10_000, large: Number(option("things") ?? 1_000_000) }

const say = (text: string): void => void process.stderr.write(`${text}\n`)

await bundleWhatIsStale()
const postgres = await startTestPostgres({ version: 18, settings: ["shared_buffers=512MB"] })
const rows: Array<Row> = []
try {
  say(`Filling two databases with ${sizes.small} and ${sizes.large} things …`)
  const small = await fillDatabase(postgres, "small", sizes.small)
  const large = await fillDatabase(postgres, "large", sizes.large)
  const [ours, floor] = [await startProduct(large.databaseUrl), await startFloor(large.databaseUrl)]
  try {
    say("Memory and start …")
    if (wants("12")) rows.push(...(await memoryAndStartRows(large, ours, effort)), ...(await startRows(large, effort)))
    say("Ours against the floor …")
    rows.push(...(await pairRows(large, ours, floor, effort)))
    rows.push(...(await bulkRows(large, ours, floor, effort)))
    say("MCP …")
    if (wants("10")) rows.push(...(await mcpRows(large, ours, quick ? 10 : 400)))
    say("Growth …")
    rows.push(...(await growthRows(small, large, ours, effort)))
    say("Two processes …")
    if (wants("13")) rows.push(await scalingRow(large, ours, effort))
    say("History …")
    if (wants("15")) rows.push(...(await historyRows(large, ours, effort)))
    if (wants("16")) rows.push(...(await waiterRows(large, ours, effort)))
    // On the small database: the servers on the large one would deliver, too.
    say("Webhooks …")
    if (wants("20"))
      rows.push(
        ...(await webhookRows(small, quick ? { count: 200, seconds: 8 } : { count: 10_000, seconds: 60 }, effort))
      )
    say("Workers and metrics …")
    if (wants("21")) rows.push(...(await workerRows(large, ours, effort)))
    if (wants("22")) rows.push(...(await metricsRow(large, ours, effort)))
    if (!quick && wants("19")) {
      const reason = noCitus()
      say(reason === undefined ? "A cluster of Citus …" : `Without row 19, a cluster of Citus: ${reason}.`)
      if (reason === undefined) rows.push(...(await clusterRows(19_700, effort)))
    }
  } finally {
    await ours.stop()
    await floor.stop()
  }
} finally {
  await postgres.stop()
}

rows.sort((a, b) => Number.parseFloat(a.row) - Number.parseFloat(b.row))
printTable(rows)
const report = { taken: new Date().toISOString(), quick, sizes, node: process.version, cpus: cpus().length, rows }
if (out !== undefined) writeFileSync(out, `${JSON.stringify(report, undefined, 2)}\n`)
if (process.argv.includes("--markdown")) process.stdout.write(toMarkdown(rows))
