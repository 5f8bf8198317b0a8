import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { Cause, Config, Effect, Exit } from "effect"
import { logging } from "./logging.ts"

/** The innermost cause, which is the most specific, such as a refused connection. */
const rootOf = (error: Error): Error => (error.cause instanceof Error ? rootOf(error.cause) : error)

/** The one line that an operator reads when a program fails. */
const lineOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  if (error instanceof Config.ConfigError) return error.cause.message
  if (error instanceof StorageUnavailable) return `The database cannot be reached: ${rootOf(error).message}`
  if (!(error instanceof Error)) return String(error)
  return error.message === "" ? String(error) : error.message
}

const oneLine = (text: string): string => text.trim().replace(/(?<!\s)\s*\n\s*/g, " ")

/**
 * Runs a host until SIGTERM or SIGINT, which is a success, or until it fails: then prints the reason in one line and
 * exits with 1. Closes all scopes first. Creates no spans, since nothing collects them.
 */
export const runHost = <A, E>(program: Effect.Effect<A, E>): void =>
  NodeRuntime.runMain(Effect.withTracerEnabled(Effect.provide(program, logging), false), {
    disableErrorReporting: true,
    teardown: (exit, onExit) => {
      const failed = Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
      if (failed) process.stderr.write(`${oneLine(lineOf(exit.cause))}\n`)
      onExit(failed ? 1 : 0)
    }
  })
