import { availableParallelism } from "node:os"
import type { Load } from "./Load.ts"
import { call, makeList } from "./PairRows.ts"
import { freePort, type Running, startProduct } from "./Processes.ts"
import { alternate, type Effort, judge, type Row } from "./Rows.ts"
import type { FilledDatabase } from "./FilledDatabase.ts"

type Unsent = Omit<Load, "url" | "seconds">

/** The request of row 1. */
const reading = async (filled: FilledDatabase, ours: Running): Promise<Unsent> => {
  const { value } = await call(ours, filled.big, "/things?page=0")
  return {
    method: "GET",
    path: `/api/v1/things/${value.things[0].id}`,
    connections: 32,
    requests: [{ headers: { authorization: `Bearer ${filled.big.key}` } }]
  }
}

/** The request of row 5. */
const writing = async (filled: FilledDatabase, ours: Running): Promise<Unsent> => ({
  method: "POST",
  path: "/api/v1/things",
  connections: 32,
  requests: await Promise.all(
    filled.writers.map(async (owner) => ({
      headers: { authorization: `Bearer ${owner.key}` },
      bodies: [JSON.stringify({ list_id: await makeList(ours, owner, 1), text: "Water the plants" })]
    }))
  )
})

/** The product with these settings against the one without them, on the same database and the same work. */
const against = async (
  filled: FilledDatabase,
  settings: Readonly<Record<string, string>>,
  ours: Running,
  rows: ReadonlyArray<{ readonly row: string; readonly what: string; readonly goal: number; readonly load: Unsent }>,
  effort: Effort
): Promise<ReadonlyArray<Row>> => {
  const other = await startProduct(filled.databaseUrl, settings)
  try {
    const judged: Array<Row> = []
    for (const { goal, load, row, what } of rows)
      judged.push(
        judge(row, what, "throughput", goal, await alternate({ ours: load, floor: load }, other, ours, effort))
      )
    return judged
  } finally {
    await other.stop()
  }
}

/** Rows 21: workers that share a port against one process; four only where there are as many cores. */
export const workerRows = async (
  filled: FilledDatabase,
  ours: Running,
  effort: Effort
): Promise<ReadonlyArray<Row>> => {
  const [read, write] = [await reading(filled, ours), await writing(filled, ours)]
  const rows: Array<Row> = []
  for (const [at, workers] of [2, 4].filter((count) => count <= availableParallelism()).entries()) {
    const row = (n: number, what: string, load: Unsent) => ({
      row: `21.${2 * at + n}`,
      what: `LAT_WORKERS=${workers} against 1: ${what}`,
      goal: 1,
      load
    })
    const both = [row(1, "GET /things/{id}, 32 connections", read), row(2, "POST /things, 32 accounts", write)]
    rows.push(...(await against(filled, { LAT_WORKERS: String(workers) }, ours, both, effort)))
  }
  return rows
}

/** Row 22: row 1 with metrics on against off. */
export const metricsRow = async (
  filled: FilledDatabase,
  ours: Running,
  effort: Effort
): Promise<ReadonlyArray<Row>> => {
  const what = "metrics on against off: GET /things/{id}, 32 connections"
  const settings = { LAT_METRICS_PORT: String(await freePort()) }
  return against(filled, settings, ours, [{ row: "22", what, goal: 0.98, load: await reading(filled, ours) }], effort)
}
