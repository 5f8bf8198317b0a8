import { once } from "node:events"
import { request as send } from "node:http"
import { type Load, measure } from "./Load.ts"
import { call, items, makeList } from "./PairRows.ts"
import { residentBytes, type Running, startProduct } from "./Processes.ts"
import { alternate, type Effort, judge, median, type Row } from "./Rows.ts"
import type { Owner, FilledDatabase } from "./FilledDatabase.ts"

type Unsent = Omit<Load, "url" | "seconds">

/** Waiting requests per key: the most that a key may have. */
const perKey = 20

/** Seconds that a request waits: longer than the rounds take, so that few begin again within them. */
const wait = 55

const headersOf = ({ key }: Owner) => ({ authorization: `Bearer ${key}` })

/** Row 15: the same writes with the history; in place of the floor, the product with `LAT_HISTORY_DAYS=0`. */
export const historyRows = async (
  filled: FilledDatabase,
  ours: Running,
  effort: Effort
): Promise<ReadonlyArray<Row>> => {
  const without = await startProduct(filled.databaseUrl, { LAT_HISTORY_DAYS: "0" })
  try {
    const lists = await Promise.all(filled.writers.map((owner) => makeList(ours, owner, 1)))
    const single: Unsent = {
      method: "POST",
      path: "/api/v1/things",
      connections: 32,
      requests: filled.writers.map((owner, n) => ({
        headers: headersOf(owner),
        bodies: [JSON.stringify({ list_id: lists[n], text: "Water the plants" })]
      }))
    }
    const bulk: Unsent = {
      method: "POST",
      path: "/api/v1/things/bulk",
      connections: 1,
      requests: [
        {
          headers: headersOf(filled.writers[0]!),
          bodies: [JSON.stringify({ list_id: lists[0], items: items(500) })]
        }
      ]
    }
    const row = async (number: string, what: string, goal: number, load: Unsent) =>
      judge(number, what, "throughput", goal, await alternate({ ours: load, floor: load }, ours, without, effort))
    return [
      await row("15.1", "history against none: POST /things, 32 accounts", 0.92, single),
      await row("15.2", "history against none: POST /things/bulk, 500 items", 0.9, bulk)
    ]
  } finally {
    await without.stop()
  }
}

/** Row 16: the cost of waiting requests of the feed: memory, and the latency of other requests. */
export const waiterRows = async (
  filled: FilledDatabase,
  ours: Running,
  effort: Effort
): Promise<ReadonlyArray<Row>> => {
  const awaited = await startProduct(filled.databaseUrl)
  const closed = new AbortController()
  try {
    const { value } = await call(awaited, filled.big, "/things?page=0")
    const load: Unsent = {
      method: "GET",
      path: `/api/v1/things/${value.things[0].id}`,
      connections: 32,
      requests: [{ headers: headersOf(filled.big) }]
    }
    // As long as the load below, since a process without waiters grows under load as well.
    await measure({ ...load, url: awaited.url, seconds: effort.seconds * (effort.rounds + 1) })
    const before = residentBytes(awaited.pid)
    const count = await followAll(awaited, filled.waiters, closed.signal)
    const sides = await alternate({ ours: load, floor: load }, awaited, ours, effort)
    // Read after the same load as `before`, by when the garbage of beginning to wait is collected.
    const added = residentBytes(awaited.pid) - before
    const [slow, quick] = [median(sides.ours.map(({ p99 }) => p99)), median(sides.floor.map(({ p99 }) => p99))]
    return [
      {
        row: "16.1",
        what: `memory of ${count} requests that wait for changes`,
        by: "absolute",
        goal: "< 100 MB",
        ratio: Number.NaN,
        met: added < 100e6,
        ours: `${(added / 1e6).toFixed(0)} MB more`,
        floor: ""
      },
      {
        row: "16.2",
        what: `GET /things/{id} beside ${count} waiting requests, p99`,
        by: "time",
        goal: "<= 1.2",
        ratio: slow / quick,
        met: slow / quick <= 1.2,
        ours: `p99 ${slow} ms (they wait)`,
        floor: `p99 ${quick} ms (none waits)`
      }
    ]
  } finally {
    closed.abort()
    await awaited.stop()
  }
}

/** Keeps `perKey` requests of each owner waiting until `closed`; returns how many that are. */
const followAll = async (server: Running, owners: ReadonlyArray<Owner>, closed: AbortSignal): Promise<number> => {
  for (const owner of owners) {
    const { value } = await call(server, owner, "/changes?cursor=now")
    await Promise.all(Array.from({ length: perKey }, () => follow(server, owner, value.cursor, closed)))
  }
  return owners.length * perKey
}

/** Sends a waiting request, and another each time it is answered, until `closed`. Resolves when the first is sent. */
const follow = async (server: Running, owner: Owner, cursor: string, closed: AbortSignal): Promise<void> => {
  const path = `/api/v1/changes?wait=${wait}&cursor=${encodeURIComponent(cursor)}`
  const request = send(`${server.url}${path}`, { headers: headersOf(owner), agent: false, signal: closed })
  request.once("response", (answer) => {
    if (answer.statusCode !== 200) throw new Error(`A waiting request was answered ${answer.statusCode}`)
    answer.resume().once("end", () => void follow(server, owner, cursor, closed))
  })
  request.on("error", (error) => {
    if (!closed.aborted) throw error
  })
  request.end()
  if (!closed.aborted) await once(request, "finish")
}
