import { type Load, measure } from "./Load.ts"
import { call, makeList } from "./PairRows.ts"
import { type Running, startProduct } from "./Processes.ts"
import { type Effort, median, type Row } from "./Rows.ts"
import type { FilledDatabase } from "./FilledDatabase.ts"

/** Row 13: concurrent reads and writes, on one process and on two that share the database. */
export const scalingRow = async (filled: FilledDatabase, first: Running, effort: Effort): Promise<Row> => {
  const second = await startProduct(filled.databaseUrl)
  try {
    const { value } = await call(first, filled.big, "/things?page=0")
    const reads: Omit<Load, "url" | "seconds"> = {
      method: "GET",
      path: `/api/v1/things/${value.things[0].id}`,
      connections: 16,
      requests: [{ headers: { authorization: `Bearer ${filled.big.key}` } }]
    }
    const owners = filled.writers.slice(0, 16)
    const lists = await Promise.all(owners.map((owner) => makeList(first, owner, 1)))
    const writes: Omit<Load, "url" | "seconds"> = {
      method: "POST",
      path: "/api/v1/things",
      connections: 16,
      requests: owners.map((owner, n) => ({
        headers: { authorization: `Bearer ${owner.key}` },
        bodies: [JSON.stringify({ list_id: lists[n], text: "Water the plants" })]
      }))
    }
    const together = async (readers: Running, writers: Running) => {
      const [read, wrote] = await Promise.all([
        measure({ ...reads, url: readers.url, seconds: effort.seconds }),
        measure({ ...writes, url: writers.url, seconds: effort.seconds })
      ])
      return read.perSecond + wrote.perSecond
    }
    const [one, two]: [Array<number>, Array<number>] = [[], []]
    for (let round = effort.warmUp ? 0 : 1; round <= effort.rounds; round++) {
      const [alone, shared] = [await together(first, first), await together(first, second)]
      if (round > 0) {
        one.push(alone)
        two.push(shared)
      }
    }
    const ratio = median(two) / median(one)
    return {
      row: "13",
      what: "two processes against one, rows 1 and 5 together",
      by: "throughput",
      goal: ">= 1.0 on 2 cores, 1.5 where cores allow",
      ratio,
      met: ratio >= 1,
      ours: `${median(two).toFixed(0)}/s (two)`,
      floor: `${median(one).toFixed(0)}/s (one)`
    }
  } finally {
    await second.stop()
  }
}
