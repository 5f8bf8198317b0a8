import { ConfigProvider, Effect, Exit } from "effect"
import { describe, expect, it } from "@effect/vitest"
import { checkSettings, unknownSettings } from "../src/Settings.ts"
import type { Program } from "../src/Setting.ts"

const OTEL_EXPORTER_OTLP_ENDPOINT = "http://127.0.0.1:4318"

const refusal = (environment: Readonly<Record<string, string>>, program: Program = "lat-http"): string | undefined => {
  const provider = ConfigProvider.fromEnvRecord(environment)
  const checked = Effect.provideService(checkSettings(program), ConfigProvider.ConfigProvider, provider)
  const exit = Effect.runSyncExit(Effect.flip(checked))
  return Exit.isSuccess(exit) ? exit.value.cause.message : undefined
}

describe("an OpenTelemetry variable", () => {
  it.each([
    ["OTEL_METRIC_EXPORT_INTERVAL", "0", /: expected a whole number from 1 to 2147483647, not "0", for instance OTEL_/],
    ["OTEL_BSP_SCHEDULE_DELAY", "-5", /: expected a whole number from 1 to 2147483647, not "-5", for instance OTEL_/],
    ["OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "0", /: expected a whole number from 1/],
    ["OTEL_EXPORTER_OTLP_TIMEOUT", "10s", /: expected a whole number from 1 to 2147483647, not "10s"/],
    ["OTEL_BSP_EXPORT_TIMEOUT", "5000\r", /: expected a whole number from 1 to 2147483647, not "5000\\r"/],
    [
      "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
      "collector:4318",
      /: expected an http or https URL without a user, not "coll/
    ],
    [
      "OTEL_EXPORTER_OTLP_HEADERS",
      "authorization=Bearer hush%0Ax",
      /: expected headers as name=value, .*, for instance/
    ],
    ["OTEL_EXPORTER_OTLP_HEADERS", "authorization=hush%zz", /: expected headers as name=value/],
    ["OTEL_EXPORTER_OTLP_HEADERS", "two words=hush", /: expected headers as name=value/],
    ["OTEL_EXPORTER_OTLP_HEADERS", "hush", /: expected headers as name=value/]
  ])("%s=%s is refused if a collector is configured, without quoting secrets", (name, text, message) => {
    const said = refusal({ OTEL_EXPORTER_OTLP_ENDPOINT, [name]: text })
    expect(said).toMatch(message)
    expect(said?.split(":")[0]).toBe(name)
    expect(said).not.toContain("hush")
    expect(refusal({ [name]: text })).toBeUndefined()
    expect(refusal({ OTEL_EXPORTER_OTLP_ENDPOINT, [name]: text }, "lat")).toBeUndefined()
    expect(refusal({ OTEL_EXPORTER_OTLP_ENDPOINT, [name]: " " })).toBeUndefined()
  })

  it.each([
    ["OTEL_METRIC_EXPORT_INTERVAL", "60000"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20a%3D, x-scope = b,"],
    ["OTEL_EXPORTER_OTLP_METRICS_HEADERS", "x-key=a=b"]
  ])("%s=%s is accepted", (name, text) => {
    expect(refusal({ OTEL_EXPORTER_OTLP_ENDPOINT, [name]: text })).toBeUndefined()
  })

  it("is reported if it has no effect", () => {
    const unused = (environment: Readonly<Record<string, string>>) =>
      unknownSettings({ OTEL_EXPORTER_OTLP_ENDPOINT, ...environment })
    expect(unused({ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc", OTEL_TRACES_EXPORTER: "zipkin" })).toStrictEqual([
      "OTEL_EXPORTER_OTLP_PROTOCOL=grpc has no effect: what is sent is http/json",
      "OTEL_TRACES_EXPORTER: zipkin has no effect, only otlp and none have one"
    ])
    expect(unused({ OTEL_METRICS_EXPORTER: "otlp, console", OTEL_TRACES_SAMPLER: "always_off" })).toStrictEqual([
      "OTEL_METRICS_EXPORTER: console has no effect, only otlp and none have one",
      "OTEL_TRACES_SAMPLER has no effect"
    ])
    expect(unused({ OTEL_LOGS_EXPORTER: "otlp" })).toStrictEqual([
      "OTEL_LOGS_EXPORTER has no effect: the log is not sent, it goes to standard error"
    ])
  })

  it("is not reported if it has an effect or is blank, or without a collector", () => {
    const works = {
      OTEL_EXPORTER_OTLP_ENDPOINT,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_TRACES_EXPORTER: "otlp",
      OTEL_METRICS_EXPORTER: "none",
      OTEL_LOGS_EXPORTER: "none",
      OTEL_SERVICE_NAME: "lists",
      OTEL_RESOURCE_ATTRIBUTES: "a=b",
      OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
      OTEL_PROPAGATORS: " "
    }
    expect(unknownSettings(works)).toStrictEqual([])
    expect(unknownSettings({ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc", OTEL_TRACES_SAMPLER: "x" })).toStrictEqual([])
    expect(unknownSettings({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:4318" })).toStrictEqual([
      "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT has no effect without OTEL_EXPORTER_OTLP_ENDPOINT"
    ])
  })
})
