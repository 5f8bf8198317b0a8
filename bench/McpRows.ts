import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { fileURLToPath } from "node:url"
import { call } from "./PairRows.ts"
import type { Running } from "./Processes.ts"
import { median, type Row } from "./Rows.ts"
import type { FilledDatabase } from "./FilledDatabase.ts"

const timed = async (times: number, work: () => Promise<unknown>): Promise<number> => {
  const millis: Array<number> = []
  for (let n = 0; n < times + 10; n++) {
    const from = performance.now()
    await work()
    if (n >= 10) millis.push(performance.now() - from)
  }
  return median(millis)
}

/** Row 10: sequential calls of `get_today` through the SDK's client, against the same call over REST. */
export const mcpRows = async (filled: FilledDatabase, ours: Running, times: number): Promise<ReadonlyArray<Row>> => {
  const { big } = filled
  const getToday = (client: Client) => () => client.callTool({ name: "get_today", arguments: {} })

  const overHttp = new Client({ name: "bench", version: "1.0.0" })
  await overHttp.connect(
    new StreamableHTTPClientTransport(new URL(`${ours.url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${big.key}` } }
    })
  )
  const from = performance.now()
  const overStdio = new Client({ name: "bench", version: "1.0.0" })
  await overStdio.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [fileURLToPath(new URL("../bin/lat-mcp.mjs", import.meta.url))],
      env: {
        ...(process.env as Record<string, string>),
        DATABASE_URL: filled.databaseUrl,
        LAT_API_KEY: big.key
      }
    })
  )
  await getToday(overStdio)()
  const firstAnswer = (performance.now() - from) / 1000

  const rest = await timed(times, () => call(ours, big, "/today"))
  const http = await timed(times, getToday(overHttp))
  const stdio = await timed(times, getToday(overStdio))
  await overHttp.close()
  await overStdio.close()
  const row = (row: string, what: string, millis: number): Row => ({
    row,
    what,
    by: "time",
    goal: "<= 2",
    ratio: millis / rest,
    met: millis / rest <= 2,
    ours: `p50 ${millis.toFixed(2)} ms`,
    floor: `REST p50 ${rest.toFixed(2)} ms`
  })
  return [
    row("10.1", "MCP get_today over HTTP", http),
    row("10.2", "MCP get_today over stdio", stdio),
    {
      ...row("10.3", "start of lat-mcp to its first answer", firstAnswer),
      by: "absolute",
      goal: "<= 2 s",
      met: firstAnswer <= 2,
      ours: `${firstAnswer.toFixed(2)} s`,
      floor: ""
    }
  ]
}
