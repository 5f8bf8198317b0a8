import pg from "pg"
import { measure, type Load } from "./Load.ts"
import { call, makeList } from "./PairRows.ts"
import { type Running, startProduct } from "./Processes.ts"
import { type Effort, median, type Row } from "./Rows.ts"
import type { Owner, FilledDatabase } from "./FilledDatabase.ts"

interface Case {
  readonly what: string
  readonly load: (server: Running, filled: FilledDatabase) => Promise<Omit<Load, "url" | "seconds">>
}

const reading = (path: string) => ({ method: "GET" as const, path: `/api/v1${path}`, connections: 1 })

const by = ({ key }: Owner) => ({ headers: { authorization: `Bearer ${key}` } })

const cases: ReadonlyArray<Case> = [
  {
    what: "GET /things/{id}",
    load: async (server, { steady }) => {
      const { value } = await call(server, steady, "/things?page=0")
      return { ...reading(`/things/${value.things[0].id}`), requests: [by(steady)] }
    }
  },
  {
    what: "GET /things?page=0",
    load: async (_, { steady }) => ({ ...reading("/things?page=0"), requests: [by(steady)] })
  },
  {
    what: "POST /things",
    load: async (server, { writers }) => {
      const owner = writers[1]!
      const body = JSON.stringify({ list_id: await makeList(server, owner, 1), text: "Water the plants" })
      return { method: "POST", path: "/api/v1/things", connections: 1, requests: [{ ...by(owner), bodies: [body] }] }
    }
  },
  {
    what: "GET /search",
    load: async (server, { steady }) => {
      const { value } = await call(server, steady, "/things?page=1")
      const word = value.things[0].text.split(" ").at(-2)
      return { ...reading(`/search?query=${word}`), requests: [by(steady)] }
    }
  }
]

/**
 * Merges pending index entries, which every search reads in addition to the index, up to a megabyte: their number
 * varies by chance, not by growth.
 */
const settle = async ({ databaseUrl }: FilledDatabase): Promise<void> => {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  await client.query("select gin_clean_pending_list('things_search'), gin_clean_pending_list('lists_search')")
  await client.end()
}

/**
 * Row 11: the same requests on the large and on the small database, by mean time on one connection. The account that
 * reads has the same things in both, so that only the data of others grows.
 */
export const growthRows = async (
  small: FilledDatabase,
  large: FilledDatabase,
  onLarge: Running,
  effort: Effort
): Promise<ReadonlyArray<Row>> => {
  const onSmall = await startProduct(small.databaseUrl)
  try {
    const rows: Array<Row> = []
    for (const [index, { what, load }] of cases.entries()) {
      if (!effort.wants(`11.${index + 1}`)) continue
      for (const filled of [large, small]) await settle(filled)
      const loads = [await load(onLarge, large), await load(onSmall, small)] as const
      const millis: readonly [Array<number>, Array<number>] = [[], []]
      for (let round = effort.warmUp ? 0 : 1; round <= effort.rounds; round++)
        for (const [side, server] of [onLarge, onSmall].entries()) {
          const { perSecond } = await measure({ ...loads[side]!, url: server.url, seconds: effort.seconds })
          if (round > 0) millis[side]!.push(1000 / perSecond)
        }
      const ratio = median(millis[0]) / median(millis[1])
      rows.push({
        row: `11.${index + 1}`,
        what: `growth: ${what}`,
        by: "time",
        goal: "<= 1.2",
        ratio,
        met: ratio <= 1.2,
        ours: `${median(millis[0]).toFixed(2)} ms (large)`,
        floor: `${median(millis[1]).toFixed(2)} ms (small)`
      })
    }
    return rows
  } finally {
    await onSmall.stop()
  }
}
