import { spawn } from "node:child_process"
import { once } from "node:events"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { type Load, measure } from "./Load.ts"
import { call, makeList } from "./PairRows.ts"
import { type Running, startProduct, stopping } from "./Processes.ts"
import { type Effort, median, type Row } from "./Rows.ts"
import type { Owner, FilledDatabase } from "./FilledDatabase.ts"

/** Things per list, and concurrent requests while the reminders are set. */
const [perList, together] = [500, 16]

/** Reminders, and the seconds within which all of them are due. */
interface Due {
  readonly count: number
  readonly seconds: number
}

const startEndpoint = async () => {
  const child = spawn(process.execPath, [fileURLToPath(new URL("./Endpoint.ts", import.meta.url))], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const [port] = (await once(child.stdout, "data")) as [Buffer]
  const url = `http://127.0.0.1:${Number(port.toString())}/`
  return {
    url,
    /** For each reminder that arrived, how many milliseconds after its moment. */
    late: async () => (await (await fetch(url)).json()) as ReadonlyArray<number>,
    stop: stopping(child)
  }
}

const makeThings = async (server: Running, owner: Owner, count: number): Promise<ReadonlyArray<string>> => {
  const ids: Array<string> = []
  while (ids.length < count) {
    const list = await makeList(server, owner, perList)
    const { value } = await call(server, owner, `/lists/${list}`)
    ids.push(...(value.things as ReadonlyArray<{ readonly id: string }>).map(({ id }) => id))
  }
  return ids.slice(0, count)
}

/** Sets reminders that are due one after the other from `first` on, one every `step` milliseconds. */
const remind = async (server: Running, owner: Owner, things: ReadonlyArray<string>, first: number, step: number) => {
  for (let from = 0; from < things.length; from += together)
    await Promise.all(
      things.slice(from, from + together).map((id, n) => {
        const at = new Date(first + Math.floor((from + n) * step)).toISOString()
        return call(server, owner, `/things/${id}/reminder`, { at }, "PUT")
      })
    )
}

/**
 * Row 20: many reminders due at once for an endpoint that takes 50 ms, and the latency of reads by another account
 * meanwhile.
 */
export const webhookRows = async (
  filled: FilledDatabase,
  { count, seconds }: Due,
  effort: Effort
): Promise<ReadonlyArray<Row>> => {
  const endpoint = await startEndpoint()
  const server = await startProduct(filled.databaseUrl, { LAT_WEBHOOK_ALLOW: "127.0.0.1" })
  try {
    const owner = filled.waiters[0]!
    const things = await makeThings(server, owner, count)
    await call(server, owner, "/webhooks", { url: endpoint.url, events: ["reminder.due"] })
    const { value } = await call(server, filled.steady, "/things?page=0")
    const load: Load = {
      ...{ url: server.url, method: "GET", path: `/api/v1/things/${value.things[0].id}`, connections: 4 },
      ...{ seconds: effort.seconds, requests: [{ headers: { authorization: `Bearer ${filled.steady.key}` } }] }
    }
    const rounds = async (goesOn: () => Promise<boolean> | boolean) => {
      const seen: Array<number> = []
      do {
        const { failed, p99 } = await measure(load)
        if (failed > 0) throw new Error(`${failed} reads failed`)
        seen.push(p99)
      } while (await goesOn())
      return seen
    }
    const times = (max: number) => {
      let left = max
      return () => --left > 0
    }
    const before = Date.now()
    await remind(server, owner, things.slice(0, 200), before + 86_400_000, 1)
    const first = Date.now() + 1.5 * ((Date.now() - before) / 200) * count + seconds * 250
    await remind(server, owner, things, first, (seconds * 1_000) / count)
    if (Date.now() > first) throw new Error("The reminders were due before all of them were set")
    await measure(load)
    const usual = await rounds(times(effort.rounds))
    await wait(Math.max(0, first - Date.now()))
    const busy = await rounds(async () => (await endpoint.late()).length < count && Date.now() < first + 600_000)
    usual.push(...(await rounds(times(effort.rounds))))
    const late = (await endpoint.late()).toSorted((a, b) => a - b)
    const last = late.at(-1) ?? Number.NaN
    const ratio = median(busy) / median(usual)
    return [
      {
        row: "20.1",
        what: `${count} reminders due within ${seconds} s, one endpoint of 50 ms: the last one`,
        by: "absolute",
        goal: "<= 180 s",
        ratio: Number.NaN,
        met: late.length === count && last <= 180_000,
        floor: "",
        ours: `${late.length} arrived, the last ${(last / 1000).toFixed(1)} s and half of them ${(median(late) / 1000).toFixed(1)} s after their moment`
      },
      {
        row: "20.2",
        what: "GET /things/{id} meanwhile, p99",
        by: "time",
        goal: "<= 1.5",
        ratio,
        met: ratio <= 1.5,
        ours: `p99 ${median(busy)} ms (${busy.length} rounds)`,
        floor: `p99 ${median(usual)} ms (nothing is due)`
      }
    ]
  } finally {
    await server.stop()
    await endpoint.stop()
  }
}
