import type { RequestEnd, ToolEnd } from "@lists-and-things/web/Observer"
import { Context, Metric } from "effect"

/** Upper bounds of the buckets in seconds, from reading one thing to waiting for changes. */
const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60]

const requests = Metric.histogram("lat_http_request_duration_seconds", {
  description: "Time from a request's headers to the end of its answer",
  boundaries: seconds
})
const tools = Metric.histogram("lat_tool_duration_seconds", { description: "Time of a tool call", boundaries: seconds })
export const refusals = Metric.counter("lat_rate_limit_refusals_total", {
  description: "Requests answered 429: over the hourly limit of their key, or of sign-in, the calendar feed or waits",
  incremental: true
})

const gauge = (name: string, description: string) => Metric.gauge(name, { description })

/** Values that are read when the page is requested. */
export const gauges = {
  databaseConnections: gauge("lat_database_connections", "Open connections to the database"),
  databaseBusy: gauge("lat_database_connections_busy", "Connections that have a statement or a transaction"),
  databaseWaiting: gauge("lat_database_waiting", "Statements and transactions that wait for a connection"),
  feedWaiters: gauge("lat_feed_waiters", "Requests that wait for changes"),
  webhookBacklog: gauge("lat_webhook_backlog", "Deliveries of webhooks that are due or will be tried again"),
  webhookOldest: gauge(
    "lat_webhook_backlog_age_seconds",
    "Age of the oldest delivery of a webhook that is due or will be tried again"
  ),
  historyBytes: gauge("lat_history_bytes", "Size of the history in the database"),
  historyAge: gauge("lat_history_age_seconds", "Age of the oldest operation in the history"),
  memory: gauge("process_resident_memory_bytes", "Memory of the process"),
  started: gauge("process_start_time_seconds", "Start of the process, in seconds since 1970"),
  loopMedian: gauge("lat_event_loop_delay_p50_seconds", "Delay of the event loop since the last scrape, median"),
  loopHigh: gauge("lat_event_loop_delay_p99_seconds", "Delay of the event loop since the last scrape, 99th percentile"),
  loopMost: gauge("lat_event_loop_delay_max_seconds", "Delay of the event loop since the last scrape, longest")
}

export type GaugeName = keyof typeof gauges

const counter = (name: string, description: string) => Metric.counter(name, { description, incremental: true })

/** Totals since the start of the process, which are kept elsewhere and read when the page is requested. */
export const totals = {
  databaseRefused: counter(
    "lat_database_refused_total",
    "Statements and transactions refused after waiting too long for a connection"
  ),
  cpu: counter("process_cpu_seconds_total", "Processor time of the process, user and system")
}

export type TotalName = keyof typeof totals

/**
 * Creates the metric for a set of labels once. The number of sets is bounded: routes, methods and tools are those of
 * the program.
 */
const byLabels = <Input, State>(metric: Metric.Metric<Input, State>) => {
  const made = new Map<string, Metric.Metric<Input, State>>()
  return (labels: Readonly<Record<string, string>>): Metric.Metric<Input, State> => {
    const key = Object.values(labels).join(" ")
    const known = made.get(key)
    if (known !== undefined) return known
    const labelled = Metric.withAttributes(metric, labels)
    made.set(key, labelled)
    return labelled
  }
}

const requestsBy = byLabels(requests)
const toolsBy = byLabels(tools)

/** Known methods; others share one series, since clients can invent any number. */
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

/** Records a finished request in the registry of `context`. Every 429 counts as a refusal, whatever its cause. */
export const countRequest = (context: Context.Context<never>, { method, millis, route, status }: RequestEnd): void => {
  const labels = {
    method: methods.has(method) ? method : "other",
    route: route ?? "unmatched",
    status: `${Math.floor(status / 100)}xx`
  }
  requestsBy(labels).updateUnsafe(millis / 1000, context)
  if (status === 429) refusals.updateUnsafe(1, context)
}

/** Records a finished tool call in the registry of `context`. */
export const countTool = (context: Context.Context<never>, { millis, outcome, tool }: ToolEnd): void =>
  toolsBy({ tool, outcome }).updateUnsafe(millis / 1000, context)
