import { Cause, Effect, Exit, Fiber, Layer, Logger, References, type LogLevel } from "effect"
import type { StorageRun } from "./Command.ts"
import { exitCodes } from "./ExitCodes.ts"
import type { Input } from "./Input.ts"
import type { Installation } from "./Installation.ts"
import type { Answer } from "./Output.ts"

/**
 * Runs a command over the storage and lets go of it again. An interruption (Ctrl-C, SIGTERM) rolls back what is
 * under way before the process ends.
 */
export const runWithStorage = async (run: StorageRun, input: Input, installation: Installation): Promise<Answer> => {
  const services = await installation.services()
  const effect = Effect.suspend(() => run(input)).pipe(
    Effect.provide(services),
    Effect.provide(logging(installation.environment["LAT_LOG"]))
  )
  const fiber = Effect.runFork(effect)
  const interrupt = () => fiber.interruptUnsafe()
  process.once("SIGINT", interrupt)
  process.once("SIGTERM", interrupt)
  const exit = await Effect.runPromise(Fiber.await(fiber))
  process.off("SIGINT", interrupt)
  process.off("SIGTERM", interrupt)
  if (Exit.isSuccess(exit)) return exit.value
  if (Cause.hasInterruptsOnly(exit.cause)) process.exit(exitCodes.interrupted)
  throw Cause.squash(exit.cause)
}

const levels: Readonly<Record<string, LogLevel.LogLevel>> = {
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error",
  none: "None"
}

/** On stderr, since stdout belongs to the answer; only warnings unless `LAT_LOG` says otherwise. */
const logging = (level: string | undefined) =>
  Layer.mergeAll(
    Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]),
    Layer.succeed(References.MinimumLogLevel, levels[(level ?? "").toLowerCase()] ?? "Warn")
  )
