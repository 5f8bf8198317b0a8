import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { rootReason } from "@lists-and-things/domain/model/RootCause"
import { logLevel, otlpEndpoint } from "@lists-and-things/settings/Settings"
import { Cause, Config, Effect, Exit, Layer, Logger, References } from "effect"

/** The one line that an operator reads when a program fails. */
const lineOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  if (error instanceof Config.ConfigError) return error.cause.message
  if (error instanceof StorageUnavailable) return `The database cannot be reached: ${rootReason(error)}`
  if (!(error instanceof Error)) return String(error)
  if ("_tag" in error && error._tag === "SqlError") return `The database refused a statement: ${rootReason(error)}`
  return error.message === "" ? String(error) : error.message
}

const oneLine = (text: string): string => text.trim().replace(/(?<!\s)\s*\n\s*/g, " ")

/**
 * Logs to standard error, since standard output carries the protocol or a command's answer: formatted for reading on a
 * terminal, otherwise one JSON value per line.
 */
const logger = process.stderr.isTTY
  ? Layer.merge(Logger.layer([Logger.consolePretty()]), Layer.succeed(Logger.LogToStderr, true))
  : Logger.layer([Logger.withConsoleError(Logger.formatJson)])

/** Drops messages below `LAT_LOG`. */
const logging = Layer.merge(
  logger,
  Layer.unwrap(Effect.map(logLevel.config, (level) => Layer.succeed(References.MinimumLogLevel, level)))
)

/**
 * Keeps the program running when the log cannot be written, on a full disk or after its reader has gone; lines are
 * lost.
 */
const ignoreLogFailures = (): void => void process.stderr.on("error", () => {})

/** Whether traces and metrics are sent by OTLP. */
export const isCollected = (process.env[otlpEndpoint.name] ?? "").trim() !== ""

/** Loaded only if needed. */
const tracing = isCollected
  ? Layer.unwrap(
      Effect.andThen(
        otlpEndpoint.given,
        Effect.map(
          Effect.promise(() => import("./Tracing.ts")),
          ({ layer }) => layer
        )
      )
    )
  : Layer.empty

/**
 * Runs a host until SIGTERM, SIGINT or SIGHUP (its terminal is closed), then exits with 0; if it fails, prints the
 * reason in one line and exits with 1. Closes all scopes first. Creates spans only if they are sent by OTLP.
 */
export const runHost = <A, E>(program: Effect.Effect<A, E>): void => {
  ignoreLogFailures()
  process.on("SIGHUP", () => process.emit("SIGTERM", "SIGTERM"))
  const traced = Effect.withTracerEnabled(Effect.provide(program, tracing), isCollected)
  NodeRuntime.runMain(Effect.provide(traced, logging), {
    disableErrorReporting: true,
    teardown: (exit, onExit) => {
      const failed = Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
      if (failed) process.stderr.write(`${oneLine(lineOf(exit.cause))}\n`)
      onExit(failed ? 1 : 0)
    }
  })
}
