import * as CollectorClient from "@lists-and-things/telemetry/CollectorClient"
import { Cause, ConfigProvider, Effect, Exit, Layer, Predicate, Tracer } from "effect"
import { FetchHttpClient } from "effect/http"
import { OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability"

const resource = { serviceName: "lists-and-things" }

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

/** Sends traces and metrics by OTLP, configured by the variables of OpenTelemetry (`OTEL_…`). */
export const layer = discreet.pipe(
  Layer.provide(OtlpTracer.layerFromConfig({ resource })),
  Layer.merge(OtlpMetrics.layerFromConfig({ resource })),
  Layer.provide([OtlpSerialization.layerJson, client, exporters])
)
