import { bundlePrograms } from "@lists-and-things/bundle/Programs"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { processorSeconds, serverOptions, startProduct } from "./Processes.ts"
import { type Effort, median, type Row } from "./Rows.ts"
import type { FilledDatabase } from "./FilledDatabase.ts"

const root = join(import.meta.dirname, "..")
const program = (name: string): string => join(root, "bin", name)

/** Both sides keep compiled modules between starts. */
const cached = { NODE_COMPILE_CACHE: join(root, "node_modules/.cache/compiled") }

/** Bundles the programs if the bundles are outdated, as `npm start` does. */
export const bundleWhatIsStale = async (): Promise<void> => {
  const { areBundlesCurrent } = (await import(pathToFileURL(program("programs.mjs")).href)) as {
    readonly areBundlesCurrent: () => boolean
  }
  if (!areBundlesCurrent()) await bundlePrograms(root)
}

/** Seconds of processor time of the whole process, from its start to its end. */
const processorSecondsOf = (entry: string, filled: FilledDatabase): number => {
  const line = `TIMEFORMAT='%U %S'; time "$0" "$@" >/dev/null`
  const words = [entry, "thing", "add", "Bread", "--account", filled.steady.id]
  const { status, stderr } = spawnSync("bash", ["-c", line, process.execPath, ...words], {
    env: { ...process.env, ...cached, DATABASE_URL: filled.databaseUrl },
    encoding: "utf8"
  })
  if (status !== 0) throw new Error(stderr)
  const [user, system] = stderr.trim().split("\n").at(-1)!.split(" ")
  return Number(user) + Number(system)
}

const startOf = async (filled: FilledDatabase, words?: ReadonlyArray<string>): Promise<number> => {
  const server = await startProduct(filled.databaseUrl, cached, words)
  const seconds = processorSeconds(server.pid)
  await server.stop()
  return seconds
}

const row = (row: string, what: string, goal: number, ours: Array<number>, sources: Array<number>): Row => {
  const [bundled, plain] = [median(ours), median(sources)]
  const ratio = bundled / plain
  return {
    row,
    what: `${what}, processor time; other side: its sources`,
    by: "time",
    goal: `<= ${goal}`,
    ratio,
    met: ratio <= goal,
    ours: `${bundled.toFixed(2)} s`,
    floor: `${plain.toFixed(2)} s`
  }
}

/**
 * Rows 12.4 and 12.5: bundled programs against their sources, alternately. The first round is not counted, since it
 * fills the compile cache.
 */
export const startRows = async (filled: FilledDatabase, { rounds }: Effort): Promise<ReadonlyArray<Row>> => {
  const command = { bundled: [] as Array<number>, sources: [] as Array<number> }
  const server = { bundled: [] as Array<number>, sources: [] as Array<number> }
  for (let round = 0; round <= rounds; round++) {
    command.bundled.push(processorSecondsOf(program("lat.mjs"), filled))
    command.sources.push(processorSecondsOf(program("lat.ts"), filled))
    server.bundled.push(await startOf(filled))
    server.sources.push(await startOf(filled, [...serverOptions, program("lat-http.ts")]))
  }
  for (const each of [...Object.values(command), ...Object.values(server)]) each.shift()
  return [
    row("12.4", "lat thing add, the whole process", 0.6, command.bundled, command.sources),
    row("12.5", "start to ready on existing data", 0.34, server.bundled, server.sources)
  ]
}
