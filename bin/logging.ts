import { Config, Effect, Layer, Logger, References, Schema } from "effect"

const levels = { trace: "Trace", debug: "Debug", info: "Info", warn: "Warn", error: "Error", off: "None" } as const

/**
 * `LAT_LOG`: how much is logged. Always to standard error, since standard output belongs to the protocol or to the
 * answer of a command: pretty on a terminal, one JSON value a line elsewhere.
 */
export const logging = Layer.unwrap(
  Effect.gen(function* () {
    const level = yield* Config.schema(Schema.Literals(["trace", "debug", "info", "warn", "error", "off"]), "LAT_LOG").pipe(
      Config.withDefault("info" as const)
    )
    const logger = process.stderr.isTTY ? Logger.consolePretty() : Logger.consoleJson
    return Layer.mergeAll(
      Logger.layer([logger]),
      Layer.succeed(References.MinimumLogLevel, levels[level]),
      Layer.succeed(Logger.LogToStderr, true)
    )
  })
)
