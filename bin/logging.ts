import { Effect, Layer, Logger, References } from "effect"
import { logLevel } from "./Settings.ts"

/**
 * Always to standard error, since standard output belongs to the protocol or to the answer of a command: pretty on a
 * terminal, one JSON value a line elsewhere.
 */
const logger = process.stderr.isTTY
  ? Layer.merge(Logger.layer([Logger.consolePretty()]), Layer.succeed(Logger.LogToStderr, true))
  : Logger.layer([Logger.withConsoleError(Logger.formatJson)])

/** Messages below `LAT_LOG` are dropped. */
export const logging = Layer.merge(
  logger,
  Layer.unwrap(Effect.map(logLevel, (level) => Layer.succeed(References.MinimumLogLevel, level)))
)
