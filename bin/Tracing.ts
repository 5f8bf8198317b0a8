import { randomUUID } from "node:crypto"
import * as CollectorClient from "@lists-and-things/telemetry/CollectorClient"
import { Cause, Config, ConfigProvider, Effect, Exit, Layer, Predicate, Schema, Tracer } from "effect"
import { FetchHttpClient } from "effect/http"
import { OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability"
import { workerNumber } from "./Workers.ts"

const unset = Config.withDefault(undefined)

/**
 * What describes this process to a collector. The instance is unique to a process, since a collector cannot tell apart
 * the totals of two processes that have the same one.
 */
const resource = Effect.gen(function* () {
  const text = Schema.StringFromUriComponent
  const given = yield* unset(Config.Record(text, text, "OTEL_RESOURCE_ATTRIBUTES"))
  const serviceName = (yield* unset(Config.String("OTEL_SERVICE_NAME"))) || given?.["service.name"]
  const server = given?.["service.instance.id"] || randomUUID()
  const instance = workerNumber === undefined ? server : `${server}.${workerNumber}`
  return { serviceName: serviceName || "lists-and-things", attributes: { "service.instance.id": instance } }
}).pipe(Effect.orDie)

/** Replaces an error by its name, since its message may quote what users wrote. */
const withoutTexts = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return exit
  const error = Cause.squash(exit.cause)
  const name = Predicate.hasProperty(error, "_tag") ? String(error._tag) : error instanceof Error ? error.name : "Error"
  return Exit.fail(Object.assign(new Error(name), { name, stack: name }))
}

const discreet = Layer.effect(
  Tracer.Tracer,
  Effect.map(Tracer.Tracer, (tracer) =>
    Tracer.make({
      span: (options) => {
        const span = tracer.span(options)
        const end = span.end.bind(span)
        span.end = (time, exit) => end(time, withoutTexts(exit))
        return span
      }
    })
  )
)

/** The defaults of OpenTelemetry; the library exports nothing unless these are set. */
const exporters = ConfigProvider.layerAdd(
  ConfigProvider.fromEnvRecord({ OTEL_TRACES_EXPORTER: "otlp", OTEL_METRICS_EXPORTER: "otlp" })
)

const client = Layer.provide(CollectorClient.layer, FetchHttpClient.layer)

const units: Readonly<Record<string, string>> = { seconds: "s", bytes: "By" }

/**
 * Gives each metric the unit that its name ends with, or none. The library sends "1", the unit of a ratio, and
 * Prometheus then appends `_ratio` to the names of gauges.
 */
const withUnits = ({ resourceMetrics }: OtlpMetrics.MetricsData): OtlpMetrics.MetricsData => ({
  resourceMetrics: resourceMetrics.map(({ scopeMetrics, ...each }) => ({
    ...each,
    scopeMetrics: scopeMetrics.map(({ metrics, ...scope }) => ({
      ...scope,
      metrics: metrics.map((metric) => ({
        ...metric,
        unit: units[/_(seconds|bytes)(?:_total)?$/.exec(metric.name)?.[1] ?? ""] ?? ""
      }))
    }))
  }))
})

const serialization = Layer.effect(
  OtlpSerialization.OtlpSerialization,
  Effect.map(OtlpSerialization.OtlpSerialization, (json) => ({
    ...json,
    metrics: (data) => json.metrics(withUnits(data))
  }))
).pipe(Layer.provide(OtlpSerialization.layerJson))

/** Sends traces and metrics by OTLP, configured by the variables of OpenTelemetry (`OTEL_…`). */
export const layer = Layer.unwrap(
  Effect.map(resource, (resource) =>
    discreet.pipe(
      Layer.provide(OtlpTracer.layerFromConfig({ resource })),
      Layer.merge(OtlpMetrics.layerFromConfig({ resource }))
    )
  )
).pipe(Layer.provide([serialization, client, exporters]))
