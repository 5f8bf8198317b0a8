import { spawn } from "node:child_process"
import { once } from "node:events"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"

/**
 * Runs the test tiers repeatedly while other processes occupy every processor: `npm run test:busy -- --unit=20
 * --all=5`. Exits with 1 when a run fails.
 */
const { values } = parseArgs({
  options: { unit: { type: "string", default: "20" }, all: { type: "string", default: "5" } }
})
const root = join(import.meta.dirname, "..")

const isGreen = async (script: string): Promise<boolean> => {
  const vitest = spawn("npm", ["run", "--silent", script], { cwd: root, stdio: "inherit" })
  const [code] = (await once(vitest, "exit")) as [number | null]
  return code === 0
}

const others = Array.from({ length: availableParallelism() }, () =>
  spawn(process.execPath, ["-e", "while (true);"], { stdio: "ignore" })
)
const red: Array<string> = []
try {
  for (const [script, times] of [
    ["test:unit", Number(values.unit)],
    ["test", Number(values.all)]
  ] as const) {
    for (let run = 1; run <= times; run++) {
      const from = performance.now()
      const green = await isGreen(script)
      if (!green) red.push(`${script}, run ${run}`)
      const seconds = Math.round((performance.now() - from) / 1_000)
      console.info(`busy: ${script} ${run} of ${times} ${green ? "green" : "RED"} after ${seconds} s`)
    }
  }
} finally {
  for (const other of others) other.kill("SIGKILL")
}
console.info(red.length === 0 ? "busy: every run was green" : `busy: red were ${red.join("; ")}`)
process.exit(red.length === 0 ? 0 : 1)
