import { Cause, Effect, Exit, Fiber, Layer, Logger, References } from "effect"
import { logLevelNamed, logLevelNames } from "@lists-and-things/domain/text/LogLevelName"
import type { CliServices } from "./CliServices.ts"
import type { StorageRun } from "./Command.ts"
import { exitCodes } from "./ExitCodes.ts"
import { Failure } from "./Failure.ts"
import type { Input } from "./Input.ts"
import type { Installation, OlderSchema } from "./Installation.ts"
import type { Answer } from "./Output.ts"

/**
 * Runs a command with the storage and releases it afterwards. An interruption (Ctrl-C, SIGTERM) rolls back open
 * transactions before the process ends.
 */
export const runWithStorage = (
  run: StorageRun,
  input: Input,
  installation: Installation,
  olderSchema: OlderSchema
): Promise<Answer> =>
  runOver(
    installation,
    Effect.suspend(() => run(input)),
    olderSchema
  )

/** The same for an effect that is not a command. */
export const runOver = async <A>(
  installation: Installation,
  effect: Effect.Effect<A, Error, CliServices>,
  olderSchema: OlderSchema = "refuse"
): Promise<A> => {
  const logger = logging(installation.environment["LAT_LOG"])
  const services = await installation.services(olderSchema)
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

/** Logs to stderr, since stdout carries the result; errors only unless `LAT_LOG` sets another level. */
const logging = (name: string | undefined) => {
  const level = name === undefined || name.trim() === "" ? "Error" : logLevelNamed(name)
  if (level === undefined) {
    throw new Failure(`LAT_LOG: expected ${logLevelNames}`, "Correct the variable, or unset it for its default.")
  }
  return Layer.mergeAll(
    Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]),
    Layer.succeed(References.MinimumLogLevel, level)
  )
}
