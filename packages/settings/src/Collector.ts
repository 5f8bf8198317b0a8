import { Config, Effect, Redacted } from "effect"
import * as Kinds from "./Kinds.ts"
import { type AnySetting, type Program, setting } from "./Setting.ts"

/*
 * The variables of OpenTelemetry besides OTEL_EXPORTER_OTLP_ENDPOINT. The exporter reads them itself, but exports without
 * a pause if an interval is 0, and quotes in the log a header that it cannot send.
 */
const programs: ReadonlyArray<Program> = ["lat-http", "lat-mcp"]
const read = { programs, default: Config.succeed(undefined), otherwise: "unset" }

const positive = Kinds.wholeNumber(1, 2_147_483_647)

/** Digits alone: the exporter, which reads the text itself, removes no blanks around them. */
const digits: Kinds.Kind<number> = {
  ...positive,
  read: (text) => (text === text.trim() ? positive.read(text) : undefined)
}

const number = (name: string, meaning: string, example: string): AnySetting =>
  setting({ ...read, name, meaning, kind: digits, example })

const ofEachSignal = (name: string): ReadonlyArray<string> =>
  ["", "TRACES_", "METRICS_"].map((signal) => `OTEL_EXPORTER_OTLP_${signal}${name}`)

/** Whether `name=value` is a header that can be sent; the value is percent-encoded. */
const isHeader = (entry: string): boolean => {
  const [name = "", ...value] = entry.split("=")
  try {
    return (
      /^[!#$%&'*+.^`|~\w-]+$/.test(name.trim()) &&
      /^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(decodeURIComponent(value.join("=")).trim())
    )
  } catch {
    return false
  }
}

const headers: Kinds.Kind<Redacted.Redacted> = {
  ...Kinds.secret,
  wanted: "headers as name=value, separated by commas, with %20 for a blank, %2C for a comma and so on in their values",
  read: (text) =>
    text.split(",").every((entry) => entry.trim() === "" || (entry.includes("=") && isHeader(entry)))
      ? Redacted.make(text)
      : undefined
}

const settings: ReadonlyArray<AnySetting> = [
  number("OTEL_METRIC_EXPORT_INTERVAL", "Milliseconds between two exports of metrics", "60000"),
  number("OTEL_BSP_SCHEDULE_DELAY", "Milliseconds between two exports of traces", "5000"),
  number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "Spans that are exported at once", "512"),
  number("OTEL_BSP_EXPORT_TIMEOUT", "Milliseconds that the last export of traces may take", "30000"),
  number("OTEL_METRIC_EXPORT_TIMEOUT", "Milliseconds that the last export of metrics may take", "30000"),
  ...ofEachSignal("TIMEOUT").map((name) => number(name, "Milliseconds that a collector has for an answer", "10000")),
  ...ofEachSignal("ENDPOINT")
    .slice(1)
    .map((name) =>
      setting({
        ...read,
        name,
        meaning: "Where one kind of telemetry is sent",
        kind: Kinds.webUrl,
        example: "http://127.0.0.1:4318/v1/traces"
      })
    ),
  ...ofEachSignal("HEADERS").map((name) =>
    setting({
      ...read,
      name,
      meaning: "Headers that are sent to a collector",
      kind: headers,
      example: "authorization=Bearer%20KEY"
    })
  )
]

/** Fails with the first variable whose value the exporter could not work with. */
export const checkCollector: Effect.Effect<void, Config.ConfigError> = Effect.forEach(
  settings,
  ({ inForce }) => inForce,
  { discard: true }
)

/** Further variables that the exporter reads; it refuses malformed values itself. */
const others = [
  ...["OTEL_SDK_DISABLED", "OTEL_RESOURCE_ATTRIBUTES", "OTEL_SERVICE_NAME", "OTEL_SERVICE_VERSION"],
  ...ofEachSignal("COMPRESSION"),
  "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE",
  "OTEL_EXPORTER_OTLP_ENDPOINT"
]
const exporters = ["OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER"]
const protocols = ofEachSignal("PROTOCOL")
const known = new Set([...settings.map(({ name }) => name), ...others])

const remarkOn = (name: string, text: string): string | undefined => {
  if (protocols.includes(name))
    return text === "http/json" ? undefined : `${name}=${text} has no effect: what is sent is http/json`
  if (exporters.includes(name)) {
    const unknown = text.split(",").find((each) => !["otlp", "none"].includes(each.trim().toLowerCase()))
    return unknown === undefined ? undefined : `${name}: ${unknown.trim()} has no effect, only otlp and none have one`
  }
  if (name === "OTEL_LOGS_EXPORTER")
    return text === "none" ? undefined : `${name} has no effect: the log is not sent, it goes to standard error`
  return known.has(name) ? undefined : `${name} has no effect`
}

/**
 * One line for each variable of OpenTelemetry that is set but has no effect. Without an endpoint, only for those of a
 * single signal's endpoint.
 */
export const unusedOfCollector = (environment: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> => {
  const given = (name: string): string => (environment[name] ?? "").trim()
  if (given("OTEL_EXPORTER_OTLP_ENDPOINT") === "")
    return ofEachSignal("ENDPOINT")
      .filter((name) => given(name) !== "")
      .map((name) => `${name} has no effect without OTEL_EXPORTER_OTLP_ENDPOINT`)
  return Object.keys(environment)
    .filter((name) => name.startsWith("OTEL_") && given(name) !== "")
    .flatMap((name) => remarkOn(name, given(name)) ?? [])
}
