import { CurrentOperation, type OperationCall, Operator } from "@lists-and-things/domain/model/CurrentOperation"
import { logLevel } from "@lists-and-things/settings/Settings"
import { Cause, ConfigProvider, Effect, Exit, Fiber, Layer, Logger, Option, References } from "effect"
import type { CliServices } from "./CliServices.ts"
import type { StorageRun } from "./Command.ts"
import { dryRun } from "./DryRun.ts"
import { endingSignals, exitCodes } from "./Failure.ts"
import type { Input } from "./Input.ts"
import type { Installation, OlderSchema } from "./Installation.ts"
import type { Progress } from "./Progress.ts"
import type { Answer } from "./Output.ts"

interface Running {
  readonly input: Input
  readonly installation: Installation
  readonly olderSchema: OlderSchema
  /** Its name in the history. */
  readonly operation: string | undefined
}

/**
 * Runs a command with the storage and releases it afterwards. A signal that ends it rolls back open
 * transactions before the process ends.
 */
export const runWithStorage = (
  run: StorageRun,
  { input, installation, olderSchema, operation = "write" }: Running
): Promise<Answer> =>
  runOver(
    installation,
    Effect.flatMap(Operator, (by) => {
      const call: OperationCall = { name: operation, surface: "cli", by, requestId: null }
      return Effect.suspend(() => (input.switch("dry-run") ? dryRun(run) : run)(input)).pipe(
        Effect.provideService(CurrentOperation, call),
        Effect.map((answer) => withNotice(answer, call))
      )
    }),
    olderSchema,
    input.progress
  )

const withNotice = (answer: Answer, call: OperationCall): Answer =>
  call.notice === undefined
    ? answer
    : { ...answer, remark: answer.remark === undefined ? call.notice : `${answer.remark}\n${call.notice}` }

/**
 * `runWithStorage` for an effect that is not a command; `progress` shows that the database is being opened until the
 * effect begins.
 */
export const runOver = async <A>(
  installation: Installation,
  effect: Effect.Effect<A, Error, CliServices>,
  olderSchema: OlderSchema = "refuse",
  progress?: Progress
): Promise<A> => {
  const logger = await logging(installation.environment)
  const services = await installation.services(olderSchema)
  progress?.begin("Opening the database")
  const opened = Effect.sync(() => progress?.end())
  const fiber = Effect.runFork(Effect.andThen(opened, effect).pipe(Effect.provide(services), Effect.provide(logger)))
  let stopped: (typeof endingSignals)[number] = "SIGINT"
  const interrupt = (signal: typeof stopped) => {
    stopped = signal
    fiber.interruptUnsafe()
  }
  for (const signal of endingSignals) process.once(signal, interrupt)
  const exit = await Effect.runPromise(Fiber.await(fiber))
  for (const signal of endingSignals) process.off(signal, interrupt)
  progress?.end()
  if (Exit.isSuccess(exit)) return exit.value
  if (Cause.hasInterruptsOnly(exit.cause)) process.exit(exitCodes[stopped])
  throw Cause.squash(exit.cause)
}

/** Logs to stderr, since stdout carries the result; errors only unless `LAT_LOG` sets another level. */
const logging = async (environment: Installation["environment"]) => {
  const given = await Effect.runPromise(logLevel.given.parse(ConfigProvider.fromEnvRecord(environment)))
  return Layer.mergeAll(
    Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]),
    Layer.succeed(
      References.MinimumLogLevel,
      Option.getOrElse(given, () => "Error" as const)
    )
  )
}
