import { layer as metricsRoute } from "@lists-and-things/http/routes/MetricsHttp"
import * as Settings from "@lists-and-things/settings/Settings"
import { countRequest, countTool } from "@lists-and-things/telemetry/Metrics"
import { contentType, makePage, mergePages } from "@lists-and-things/telemetry/MetricsPage"
import { serveMetrics } from "@lists-and-things/telemetry/MetricsServer"
import { makeRequestLog } from "@lists-and-things/telemetry/RequestLog"
import { Observer } from "@lists-and-things/web/Observer"
import { Effect, Layer, Schedule } from "effect"
import { isCollected } from "./Run.ts"
import { exchangePages, pagesOfWorkers } from "./WorkerMetrics.ts"
import { isWorker } from "./Workers.ts"

const isMeasured = Effect.gen(function* () {
  const port = yield* Settings.metricsPort.config
  const token = yield* Settings.metricsToken.config
  return { port, token, isOn: port !== undefined || token !== undefined || isCollected }
})

/** Records requests and tool calls in the log and the metrics, according to the settings. */
export const observer = Layer.effect(
  Observer,
  Effect.gen(function* () {
    const { isOn } = yield* isMeasured
    const context = yield* Effect.context<never>()
    const log = makeRequestLog(context, yield* Settings.slowMillis.config)
    if (!isOn) return { request: log }
    return {
      request: (end) => {
        countRequest(context, end)
        log?.(end)
      },
      tool: (end) => countTool(context, end)
    }
  })
)

/** Serves `/metrics` on a separate port, for this process or for all of its workers. */
const ownPort = (page: () => Promise<string>) =>
  Effect.gen(function* () {
    const { port } = yield* isMeasured
    if (port === undefined) return
    const host = yield* Settings.host.config
    const taken = yield* serveMetrics({ host, port, page })
    yield* Effect.logInfo(`Metrics are at http://${host.includes(":") ? `[${host}]` : host}:${taken}/metrics`)
  })

/** The metrics of all workers, for the process that starts them. */
export const allPages = async (): Promise<string> => mergePages(await pagesOfWorkers())
export const metricsOfWorkers = ownPort(allPages)

/**
 * Collects the metrics of this process, and serves them (in a worker, those of all workers) on the main port if a token
 * is set. Outside workers, also serves them on a separate port.
 */
export const metrics = Layer.unwrap(
  Effect.gen(function* () {
    const { isOn, token } = yield* isMeasured
    if (!isOn) return Layer.empty
    const { page, refresh } = yield* makePage
    if (isCollected) yield* Effect.forkScoped(Effect.repeat(refresh, Schedule.spaced("10 seconds")))
    const run = Effect.runPromiseWith(yield* Effect.context<never>())
    const own = () => run(page)
    const all = isWorker ? exchangePages(own) : own
    if (!isWorker) yield* ownPort(own)
    return token === undefined ? Layer.empty : metricsRoute({ token, contentType, page: Effect.promise(all) })
  })
)
