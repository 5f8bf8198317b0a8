import { Effect } from "effect"
import { spawn } from "node:child_process"
import { attempt, type EmbeddedError } from "./EmbeddedError.ts"
import type { ServerUser } from "./ServerUser.ts"

interface Finished {
  readonly code: number
  /** Standard output and standard error, interleaved. */
  readonly output: string
}

interface CommandOptions {
  /** The user to run as; the current one when left out. */
  readonly user?: ServerUser | undefined
  /** A folder that the command gets as file descriptor 3, even if its user cannot traverse the path to it. */
  readonly folder?: number | undefined
}

/** Only what the server's programs need: `PG*` variables of the operator's shell must not affect them. */
const environment = (): Record<string, string> => ({ LC_ALL: "C", PATH: process.env["PATH"] ?? "/usr/bin:/bin" })

/**
 * Runs a program of PostgreSQL to its end, in a process group of its own: Ctrl-C ends this process and not the server
 * that it is starting.
 */
export const run = (
  program: string,
  args: ReadonlyArray<string>,
  options: CommandOptions
): Effect.Effect<Finished, EmbeddedError> =>
  Effect.uninterruptible(
    attempt(
      `${program} cannot be run`,
      () =>
        new Promise<Finished>((resolve, reject) => {
          const child = spawn(program, args, {
            cwd: "/",
            env: environment(),
            detached: true,
            stdio: ["ignore", "pipe", "pipe", options.folder ?? "ignore"],
            ...(options.user === undefined ? {} : { uid: options.user.uid, gid: options.user.gid })
          })
          const chunks: Array<Buffer> = []
          child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk))
          child.stderr?.on("data", (chunk: Buffer) => chunks.push(chunk))
          child.once("error", reject)
          child.once("close", (code) => resolve({ code: code ?? -1, output: Buffer.concat(chunks).toString("utf8") }))
        })
    )
  )
