/**
 * The load generator, as a separate process: reads one `Load` as JSON from standard input, prints one `Measured`.
 */
import autocannon, { type Request } from "autocannon"
import { text } from "node:stream/consumers"
import type { Load, Measured, Sent } from "./Load.ts"

const load = JSON.parse(await text(process.stdin)) as Load

let next = 0
let sent = 0

const numbered = (request: Request): Request => {
  const n = `${process.pid}-${sent++}`
  const { body, headers = {}, path } = request
  return {
    ...request,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        typeof value === "string" ? value.replaceAll("{n}", n) : value
      ])
    ),
    ...(path === undefined ? {} : { path: path.replaceAll("{n}", n) }),
    ...(typeof body === "string" ? { body: body.replaceAll("{n}", n) } : {})
  }
}

const byAutocannon = async (): Promise<Measured> => {
  const result = await autocannon({
    url: load.url,
    connections: load.connections,
    duration: load.seconds,
    // autocannon ends at a sample, which it takes once a second by default.
    sampleInt: Math.min(1, load.seconds) * 1_000,
    timeout: 30,
    setupClient: (client) => {
      const request = load.requests[next++ % load.requests.length]!
      client.setRequests(
        (request.bodies ?? [undefined]).map((body) => ({
          method: load.method,
          path: request.path ?? load.path,
          headers: { "content-type": "application/json", ...request.headers },
          ...(body === undefined ? {} : { body }),
          ...(JSON.stringify([request, load.path]).includes("{n}") ? { setupRequest: numbered } : {})
        }))
      )
    },
    requests: [{ method: load.method, path: load.path }]
  })
  return {
    perSecond: result.requests.total / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    failed: result.errors + result.non2xx
  }
}

/** For methods that autocannon does not know: each connection sends its next request after the answer. */
const byFetch = async (): Promise<Measured> => {
  const { connections, method, path, requests, seconds, url } = load
  const end = performance.now() + seconds * 1_000
  const millis: Array<number> = []
  let failed = 0
  const ask = async ({ bodies, headers, path: own = path }: Sent) => {
    for (let from = performance.now(); from < end; from = performance.now()) {
      const answer = await fetch(`${url}${own}`, { method, headers, body: bodies?.[0] ?? null })
      await answer.arrayBuffer()
      if (!answer.ok) failed++
      millis.push(performance.now() - from)
    }
  }
  const from = performance.now()
  await Promise.all(Array.from({ length: connections }, (_, n) => ask(requests[n % requests.length]!)))
  const sorted = millis.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  return { perSecond: (millis.length / (performance.now() - from)) * 1_000, p50: at(0.5), p99: at(0.99), failed }
}

process.stdout.write(JSON.stringify(await (load.method === "REPORT" ? byFetch() : byAutocannon())))
