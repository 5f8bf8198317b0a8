/**
 * The load generator, as a separate process: reads one `Load` as JSON from standard input, prints one `Measured`.
 */
import autocannon from "autocannon"
import { text } from "node:stream/consumers"
import type { Load, Measured } from "./Load.ts"

const load = JSON.parse(await text(process.stdin)) as Load

let next = 0
const result = await autocannon({
  url: load.url,
  connections: load.connections,
  duration: load.seconds,
  timeout: 30,
  setupClient: (client) => {
    const request = load.requests[next++ % load.requests.length]!
    client.setRequests(
      (request.bodies ?? [undefined]).map((body) => ({
        method: load.method,
        path: request.path ?? load.path,
        headers: { "content-type": "application/json", ...request.headers },
        ...(body === undefined ? {} : { body })
      }))
    )
  },
  requests: [{ method: load.method, path: load.path }]
})

const measured: Measured = {
  perSecond: result.requests.total / result.duration,
  p50: result.latency.p50,
  p99: result.latency.p99,
  failed: result.errors + result.non2xx
}
process.stdout.write(JSON.stringify(measured))
