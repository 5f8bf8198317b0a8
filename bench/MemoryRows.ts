import { measure } from "./Load.ts"
import { call } from "./PairRows.ts"
import { residentBytes, type Running, startProduct } from "./Processes.ts"
import { type Effort, median, type Row } from "./Rows.ts"
import type { FilledDatabase } from "./FilledDatabase.ts"

const absolute = (row: string, what: string, goal: string, met: boolean, ours: string): Row => ({
  row,
  what,
  by: "absolute",
  goal,
  ratio: Number.NaN,
  met,
  ours,
  floor: ""
})

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`

/** Row 12: start on existing data, memory when idle, and memory after row 1's load. */
export const memoryAndStartRows = async (
  filled: FilledDatabase,
  ours: Running,
  effort: Effort
): Promise<ReadonlyArray<Row>> => {
  const starts: Array<number> = []
  for (let round = 0; round < effort.rounds; round++) {
    const another = await startProduct(filled.databaseUrl)
    starts.push(another.startMillis)
    await another.stop()
  }
  const start = median(starts) / 1000
  const resting = residentBytes(ours.pid)
  const { value } = await call(ours, filled.big, "/things?page=0")
  await measure({
    url: ours.url,
    method: "GET",
    path: `/api/v1/things/${value.things[0].id}`,
    connections: 32,
    seconds: effort.seconds * 2,
    requests: [{ headers: { authorization: `Bearer ${filled.big.key}` } }]
  })
  const loaded = residentBytes(ours.pid)
  return [
    absolute("12.1", "start to ready on existing data", "<= 1.5 s", start <= 1.5, `${start.toFixed(2)} s`),
    absolute("12.2", "memory at rest", "< 150 MB", resting < 150e6, megabytes(resting)),
    absolute("12.3", "memory after row 1", "< 250 MB", loaded < 250e6, megabytes(loaded))
  ]
}
