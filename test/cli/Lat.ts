import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { copyDataFolder } from "../setup/DataFolder.ts"

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
export const entry = join(root, "bin", "lat.mjs")

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

interface RunOptions {
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Runs `lat` as a real process with a data folder of its own. */
export interface Lat {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly run: (words: ReadonlyArray<string>, options?: RunOptions) => Promise<Ended>
  /** Runs a command that succeeds and writes nothing else; returns its JSON value. */
  readonly json: <A>(words: ReadonlyArray<string>, options?: RunOptions) => Promise<A>
  /** Starts a command without waiting for it. */
  readonly start: (words: ReadonlyArray<string>, env?: Readonly<Record<string, string>>) => ReturnType<typeof spawn>
  readonly close: () => Promise<void>
}

/** The environment of every command, without settings of this machine. */
const cleanEnvironment = (folder: string): Record<string, string> => {
  const kept = ["PATH", "HOME", "LANG", "TMPDIR", "TZ"]
  const own = kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))
  return { ...Object.fromEntries(own), LAT_DATA_DIR: join(folder, "data") }
}

/** Ways to run a command that succeeds without a warning: for its output, or for its JSON value. */
export const succeeding = <Options>(run: (words: ReadonlyArray<string>, options?: Options) => Promise<Ended>) => {
  const output = async (words: ReadonlyArray<string>, options?: Options): Promise<string> => {
    const { code, err, out } = await run(words, options)
    if (code !== 0 || err !== "") throw new Error(`lat ${words.join(" ")}: ${code}\n${out}\n${err}`)
    return out.trimEnd()
  }
  return {
    output,
    json: async <A>(words: ReadonlyArray<string>, options?: Options): Promise<A> =>
      JSON.parse(await output([...words, "--json"], options)) as A
  }
}

export const openLat = async (): Promise<Lat> => {
  const folder = await mkdtemp(join(tmpdir(), "lat-cli-"))
  const env = cleanEnvironment(folder)
  const start = (words: ReadonlyArray<string>, extra: Readonly<Record<string, string>> = {}) =>
    spawn(process.execPath, [entry, ...words], { env: { ...env, ...extra }, stdio: "pipe", cwd: folder })
  const run = async (words: ReadonlyArray<string>, { env: extra, input }: RunOptions = {}): Promise<Ended> => {
    const child = start(words, extra)
    const [out, err]: [Array<Buffer>, Array<Buffer>] = [[], []]
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk))
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk))
    child.stdin.on("error", () => {})
    child.stdin.end(input ?? "")
    const [code] = (await once(child, "close")) as [number | null]
    return { code, out: Buffer.concat(out).toString("utf8"), err: Buffer.concat(err).toString("utf8") }
  }
  return {
    folder,
    env,
    run,
    start,
    json: succeeding(run).json,
    close: async () => {
      await run(["db", "stop", "--stay-down", "--yes"])
      await rm(folder, { recursive: true, force: true })
    }
  }
}

/** As `openLat`, with an embedded server that keeps running, so that commands need not start it each time. */
export const openServedLat = async (): Promise<Lat> => {
  const lat = await openLat()
  copyDataFolder(lat.env["LAT_DATA_DIR"]!)
  const release = await keepServer(lat)
  return {
    ...lat,
    close: async () => {
      await release()
      await lat.close()
    }
  }
}

const keepServer = async (lat: Lat): Promise<() => Promise<void>> => {
  const holder = join(root, "test", "cli", "HoldServer.ts")
  const child = spawn(process.execPath, [holder], { env: lat.env, stdio: ["pipe", "pipe", "inherit"] })
  const first = await Promise.race([once(child.stdout, "data"), once(child, "exit").then(() => undefined)])
  if (first === undefined) throw new Error("The embedded server did not start")
  return async () => {
    child.stdin.end()
    await once(child, "exit")
  }
}
