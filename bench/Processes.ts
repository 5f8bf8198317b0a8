import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"

/** A server in a process of its own. */
export interface Running {
  readonly url: string
  readonly pid: number
  /** Milliseconds from the start of the process to its first successful answer. */
  readonly startMillis: number
  readonly stop: () => Promise<void>
}

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

/** Whether a process has exited or was ended by a signal. */
export const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

export const stopping = (child: ChildProcess) => async () => {
  if (hasEnded(child)) return
  const ended = new Promise((resolve) => child.once("exit", resolve))
  child.kill("SIGTERM")
  await ended
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    (response) => response.ok,
    () => false
  )

/** `BENCH_PROFILE=folder` writes CPU profiles of the product to that folder. */
const profiling = (): Record<string, string> => {
  const folder = process.env["BENCH_PROFILE"]
  return folder === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` }
}

/** Rows that add things fill one list over all rounds, and must not reach its cap. */
const uncapped = { LAT_MAX_LIST_THINGS: "100000000", LAT_MAX_LIST_BYTES: "100000000000" }

/** What `npm start` passes to Node: options, and the program. */
const { scripts } = JSON.parse(readFileSync(fileOf("../package.json"), "utf8")) as { scripts: { start: string } }
const words = scripts.start.split(" exec node ")[1]!.split(" ")
export const serverOptions: ReadonlyArray<string> = words.slice(0, -1)

/**
 * Starts the product as `npm start` does, on the given database, with further settings; `program` holds the arguments
 * of Node.
 */
export const startProduct = async (
  databaseUrl: string,
  settings: Readonly<Record<string, string>> = {},
  program: ReadonlyArray<string> = [...serverOptions, fileOf(`../${words.at(-1)}`)]
): Promise<Running> => {
  const port = await freePort()
  const from = performance.now()
  const child = spawn(process.execPath, program, {
    env: {
      ...process.env,
      ...profiling(),
      ...uncapped,
      ...settings,
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      LAT_LOG: "error"
    },
    stdio: ["ignore", "ignore", "inherit"]
  })
  const url = `http://127.0.0.1:${port}`
  while (!(await answers(`${url}/readyz`))) {
    if (hasEnded(child)) throw new Error("The server ended before it was ready")
    await wait(10)
  }
  return { url, pid: child.pid!, startMillis: performance.now() - from, stop: stopping(child) }
}

export const startFloor = async (databaseUrl: string): Promise<Running> => {
  const from = performance.now()
  const child = spawn(process.execPath, [fileOf("./floor/Server.ts")], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const { port } = await new Promise<{ readonly port: number }>((resolve) => {
    child.stdout.once("data", (chunk: Buffer) => resolve(JSON.parse(chunk.toString("utf8"))))
  })
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid!,
    startMillis: performance.now() - from,
    stop: stopping(child)
  }
}

const statusField = (pid: number, field: string): number =>
  Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? Number.NaN) *
  1024

/** Processor time of a process so far, in seconds; NaN on systems without /proc. */
export const processorSeconds = (pid: number): number => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    const [user, system] = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11)
    return (Number(user) + Number(system)) / 100
  } catch {
    return Number.NaN
  }
}

/** Resident memory of a process in bytes; NaN on systems without /proc. */
export const residentBytes = (pid: number): number => {
  try {
    return statusField(pid, "VmRSS")
  } catch {
    return Number.NaN
  }
}

/** Peak resident memory of a process while `work` ran, in bytes. */
export const peakBytes = async (pid: number, work: () => Promise<unknown>): Promise<number> => {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, "5")
    await work()
    return statusField(pid, "VmHWM")
  } catch {
    return Number.NaN
  }
}
