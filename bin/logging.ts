import { Effect, Layer, Logger, References } from "effect"
import { logLevel } from "@lists-and-things/settings/Settings"

/**
 * Logs to standard error, since standard output carries the protocol or a command's answer: formatted for reading on a
 * terminal, otherwise one JSON value per line.
 */
const logger = process.stderr.isTTY
  ? Layer.merge(Logger.layer([Logger.consolePretty()]), Layer.succeed(Logger.LogToStderr, true))
  : Logger.layer([Logger.withConsoleError(Logger.formatJson)])

/** Drops messages below `LAT_LOG`. */
export const logging = Layer.merge(
  logger,
  Layer.unwrap(Effect.map(logLevel.config, (level) => Layer.succeed(References.MinimumLogLevel, level)))
)
