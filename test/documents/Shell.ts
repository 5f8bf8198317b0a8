import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { until } from "@lists-and-things/testing/Until"

const ended = "-- end of the block --"

/** One shell for all blocks of a document, which share variables. A command that fails ends it. */
export class Shell {
  readonly #child: ChildProcess
  readonly #folder: string
  #said = ""
  #closed = false

  constructor(folder: string, env: Readonly<Record<string, string>>) {
    this.#folder = folder
    // A process group of its own, so that background processes end with it.
    this.#child = spawn("bash", ["--norc", "-euo", "pipefail"], { cwd: folder, env, stdio: "pipe", detached: true })
    this.#child.stdout!.on("data", (chunk: Buffer) => (this.#said += chunk.toString()))
    this.#child.stderr!.on("data", (chunk: Buffer) => (this.#said += chunk.toString()))
    this.#child.on("exit", () => this.#endBackground())
    this.#child.on("close", () => (this.#closed = true))
    this.#child.stdin!.write("exec 2>&1\n")
  }

  /** Returns what the commands write on both outputs; throws if one fails or a variable is not set. */
  async run(commands: string): Promise<string> {
    this.#said = ""
    writeFileSync(join(this.#folder, ".block"), commands)
    this.#child.stdin!.write(`. ./.block < /dev/null; printf '%s\\n' '${ended}'\n`)
    await until("the end of a block", () => this.#closed || this.#said.includes(ended))
    if (!this.#said.includes(ended)) throw new Error(`This fails:\n${commands}\n${this.#said}`)
    return this.#said.slice(0, this.#said.indexOf(ended)).replaceAll("\r", "")
  }

  async close(): Promise<void> {
    this.#child.stdin!.end()
    if (!this.#closed) await once(this.#child, "close")
  }

  #endBackground(): void {
    try {
      process.kill(-this.#child.pid!, "SIGTERM")
    } catch {
      // The process group has ended already.
    }
  }
}
