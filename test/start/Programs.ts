import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { until as eventually } from "@lists-and-things/testing/Until"
import { isAlive } from "@lists-and-things/storage-pg/embedded/ProcessState"
import { copyDataFolder } from "../setup/DataFolder.ts"

const root = join(import.meta.dirname, "../..")

export interface Program {
  readonly child: ChildProcess
  readonly out: () => string
  readonly err: () => string
  readonly ended: Promise<number | null>
}

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs `lat-http` by its launcher, with only these variables in its environment; `as` is the id of a user. */
export const latHttp = (
  variables: Readonly<Record<string, string>>,
  { as, options = [] }: { readonly as?: number; readonly options?: ReadonlyArray<string> } = {}
): Program => {
  const { PATH = "", HOME = "" } = process.env
  const child = spawn(process.execPath, [join(root, "bin/lat-http.mjs"), ...options], {
    env: { PATH, HOME, PORT: "0", ...variables },
    stdio: ["ignore", "pipe", "pipe"],
    ...(as !== undefined && { uid: as, gid: as })
  })
  let [out, err] = ["", ""]
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()))
  const ended = once(child, "close").then(([code]) => code as number | null)
  return { child, out: () => out, err: () => err, ended }
}

/** Programs that share one embedded PostgreSQL in a folder of its own; `remove` ends all of them. */
export class Installation {
  readonly #folder = mkdtempSync(join(tmpdir(), "lat-start-"))
  readonly dataDir = join(this.#folder, "data")
  /** A path outside of the installation. */
  readonly beside = join(this.#folder, "beside")
  readonly #programs: Array<Program> = []

  /** With `cluster`, the folder of the data has one already. */
  constructor({ cluster = false } = {}) {
    if (cluster) copyDataFolder(this.dataDir)
    else mkdirSync(this.dataDir)
  }

  /** Starts the server, and resolves when it has printed its address. */
  async start(
    variables: Readonly<Record<string, string>> = {},
    options: ReadonlyArray<string> = []
  ): Promise<Program & { readonly url: string; readonly token: string | undefined }> {
    const program = latHttp({ ...variables, LAT_DATA_DIR: this.dataDir }, { options })
    this.#programs.push(program)
    const port = await until(program, () => /localhost:(\d+)\/mcp/.exec(program.out())?.[1])
    // The text of a first start arrives in the same chunk.
    const path = /^ +API key +in (.*) \(readable by you alone\)$/m.exec(program.out())?.[1]
    const token = path === undefined ? undefined : readFileSync(path, "utf8").trim()
    return { ...program, url: `http://localhost:${port}`, token }
  }

  /** Runs `lat` on the same data. */
  lat(...words: ReadonlyArray<string>): Promise<Ended> {
    return this.latWith({}, ...words)
  }

  async latWith(variables: Readonly<Record<string, string>>, ...words: ReadonlyArray<string>): Promise<Ended> {
    const { PATH = "", HOME = "" } = process.env
    const child = spawn(process.execPath, [join(root, "bin/lat.mjs"), ...words], {
      env: { PATH, HOME, LAT_DATA_DIR: this.dataDir, ...variables },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let [out, err] = ["", ""]
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()))
    const [code] = (await once(child, "close")) as [number | null]
    return { code, out, err }
  }

  serverPid(): number | undefined {
    try {
      return Number.parseInt(readFileSync(join(this.dataDir, "postgres/data/postmaster.pid"), "utf8"), 10)
    } catch {
      return undefined
    }
  }

  async remove(): Promise<void> {
    for (const { child } of this.#programs) child.kill("SIGKILL")
    const pid = this.serverPid()
    if (pid !== undefined && isAlive(pid)) {
      process.kill(pid, "SIGQUIT")
      await eventually("the end of the server", () => !isAlive(pid))
    }
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

const until = async <A>(program: Program, found: () => A | undefined): Promise<A> => {
  let value: A | undefined
  await eventually("what the program says", () => {
    value = found()
    if (value === undefined && program.child.exitCode !== null) throw new Error(`It ended early: ${program.err()}`)
    return value !== undefined
  })
  return value!
}
