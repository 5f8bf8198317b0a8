import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Exit } from "effect"
import { logging } from "./logging.ts"

/** The one line that an operator reads when a program cannot go on. */
const lineOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  const message = error instanceof Error && error.message !== "" ? error.message : String(error)
  return message.replace(/\s*\n\s*/g, " ")
}

/**
 * Runs a host until SIGTERM or SIGINT, which is a success, or until it fails: then it says why in one line and
 * ends with 1. Whatever is scoped is let go of first.
 */
export const runHost = <A, E>(program: Effect.Effect<A, E>): void =>
  NodeRuntime.runMain(Effect.provide(program, logging), {
    disableErrorReporting: true,
    teardown: (exit, onExit) => {
      const failed = Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
      if (failed) process.stderr.write(`${lineOf(exit.cause)}\n`)
      onExit(failed ? 1 : 0)
    }
  })
