import { ChangeWaiters } from "@lists-and-things/domain/history/ChangeWaiters"
import { currentTime, monotonicMillis } from "@lists-and-things/domain/model/EpochMillis"
import { StorageAdmin } from "@lists-and-things/domain/ports/StorageAdmin"
import { WebhookStore } from "@lists-and-things/domain/ports/WebhookStore"
import { Effect, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { type GaugeName, gauges, refusals, type TotalName, totals } from "./Metrics.ts"

/** Milliseconds for which the size and age of the history are cached, since reading them is expensive. */
const historyValidFor = 60_000

/** The content type of `page`. */
export const contentType = "text/plain; version=0.0.4; charset=utf-8"

/**
 * All metrics in the text format of Prometheus; gauges are read at each request. If the database cannot be reached, its
 * gauges keep their last values.
 */
export const makePage = Effect.gen(function* () {
  const admin = yield* StorageAdmin
  const waiters = yield* ChangeWaiters
  const webhooks = yield* WebhookStore
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  yield* Effect.addFinalizer(() => Effect.sync(() => delay.disable()))
  let asked = Number.NEGATIVE_INFINITY
  const set = (name: GaugeName, value: number) => Metric.update(gauges[name], value)
  const reach = (name: TotalName, total: number) =>
    Effect.flatMap(Metric.value(totals[name]), ({ count }) => Metric.update(totals[name], total - count))
  yield* Metric.update(refusals, 0)

  const history = Effect.gen(function* () {
    const asking = yield* monotonicMillis
    if (asking - asked < historyValidFor) return
    const { bytes, oldest } = yield* admin.history
    asked = asking
    const now = yield* currentTime
    yield* set("historyBytes", bytes ?? 0)
    yield* set("historyAge", oldest === null ? 0 : Math.max(0, now - oldest) / 1000)
  }).pipe(Effect.ignore)

  const deliveries = Effect.gen(function* () {
    const now = yield* currentTime
    const { count, oldest } = yield* webhooks.backlog(now)
    yield* set("webhookBacklog", count)
    yield* set("webhookOldest", oldest === null ? 0 : Math.max(0, now - oldest) / 1000)
  }).pipe(Effect.ignore)

  const database = Effect.gen(function* () {
    const { busy, open, refused, waiting } = yield* admin.connections
    yield* set("databaseConnections", open)
    yield* set("databaseBusy", busy)
    yield* set("databaseWaiting", waiting)
    yield* reach("databaseRefused", refused)
  })

  const machine = Effect.gen(function* () {
    const { system, user } = process.cpuUsage()
    yield* set("memory", process.memoryUsage.rss())
    yield* reach("cpu", (user + system) / 1_000_000)
    yield* set("started", Math.round(performance.timeOrigin) / 1000)
    const percentile = (share: number) => Math.max(0, (delay.count === 0 ? 0 : delay.percentile(share)) / 1e9)
    yield* set("loopMedian", percentile(50))
    yield* set("loopHigh", percentile(99))
    yield* set("loopMost", delay.count === 0 ? 0 : delay.max / 1e9)
    delay.reset()
  })

  const feed = Effect.suspend(() => set("feedWaiters", waiters.count()))

  const refresh = Effect.all([history, deliveries, database, machine, feed], { discard: true })
  return { refresh, page: Effect.andThen(refresh, PrometheusMetrics.format()) }
})

const typeLine = /^# (?:HELP|TYPE) (\S+) /

/** Merges the pages of several processes; every series gets the label `worker`. */
export const mergePages = (pages: ReadonlyMap<string, string>): string => {
  const families = new Map<string, { readonly comments: Array<string>; readonly samples: Array<string> }>()
  for (const [worker, page] of pages) {
    let family: { readonly comments: Array<string>; readonly samples: Array<string> } | undefined
    for (const line of page.split("\n")) {
      const name = typeLine.exec(line)?.[1]
      if (name !== undefined) {
        family = families.get(name) ?? { comments: [], samples: [] }
        families.set(name, family)
        if (!family.comments.includes(line)) family.comments.push(line)
      } else if (line !== "") family?.samples.push(labelled(line, worker))
    }
  }
  return [...families.values()].map(({ comments, samples }) => [...comments, ...samples, ""].join("\n")).join("")
}

/** Adds the label `worker` to a sample such as `name 1` or `name{a="b"} 1`. */
const labelled = (sample: string, worker: string): string => {
  const [, name, labels, value] = /^([\w:]+)(?:\{(.*)\})? (\S+)$/.exec(sample) ?? []
  if (name === undefined) return sample
  return `${name}{worker="${worker}"${labels === undefined ? "" : `,${labels}`}} ${value}`
}
