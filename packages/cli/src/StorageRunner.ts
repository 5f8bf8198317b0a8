import { Cause, Effect, Exit, Fiber, Layer, Logger, References, type LogLevel } from "effect"
import type { CliServices } from "./CliServices.ts"
import type { StorageRun } from "./Command.ts"
import { exitCodes } from "./ExitCodes.ts"
import type { Input } from "./Input.ts"
import type { Installation } from "./Installation.ts"
import type { Answer } from "./Output.ts"

/**
 * Runs a command over the storage and lets go of it again. An interruption (Ctrl-C, SIGTERM) rolls back what is
 * under way before the process ends.
 */
export const runWithStorage = (run: StorageRun, input: Input, installation: Installation): Promise<Answer> =>
  runOver(
    installation,
    Effect.suspend(() => run(input))
  )

/** The same for an effect that is no command of its own. */
export const runOver = async <A>(
  installation: Installation,
  effect: Effect.Effect<A, Error, CliServices>
): Promise<A> => {
  const services = await installation.services()
  const logger = logging(installation.environment["LAT_LOG"])
  const fiber = Effect.runFork(effect.pipe(Effect.provide(services), Effect.provide(logger)))
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

/** On stderr, since stdout belongs to the answer; only errors unless `LAT_LOG` says otherwise. */
const logging = (level: string | undefined) =>
  Layer.mergeAll(
    Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]),
    Layer.succeed(References.MinimumLogLevel, levels[(level ?? "").toLowerCase()] ?? "Error")
  )
