import { Effect } from "effect"
import { spawn } from "node:child_process"
import { attempt, type EmbeddedError } from "./EmbeddedError.ts"
import type { ServerUser } from "./ServerUser.ts"

interface Finished {
  readonly code: number
  /** Standard output and error together. */
  readonly output: string
}

interface CommandOptions {
  /** Whom to run as; the current user when left out. */
  readonly user?: ServerUser | undefined
  /** A folder that the command finds as file descriptor 3, whether or not its user may walk there. */
  readonly folder?: number | undefined
}

/** Only what the server's programs need: no `PG*` variable of the operator's shell may change them. */
const environment = (): Record<string, string> => ({ LC_ALL: "C", PATH: process.env["PATH"] ?? "/usr/bin:/bin" })

/**
 * Runs a program of PostgreSQL to its end, outside our process group, so that Ctrl-C ends us and not the
 * server that we were about to start.
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
