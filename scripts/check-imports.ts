/**
 * Checks the directions of imports, and that the check itself works: it must find the fixture's violations, and a run
 * that saw fewer than 20 modules fails, since it did not read the project.
 */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

interface Report {
  readonly summary: {
    readonly error: number
    readonly totalCruised: number
    readonly violations: ReadonlyArray<{
      readonly from: string
      readonly to: string
      readonly rule: { readonly name: string }
    }>
  }
}

const root = fileURLToPath(new URL("..", import.meta.url))
const cruiser = fileURLToPath(new URL("../node_modules/dependency-cruiser/bin/dependency-cruiser.mjs", import.meta.url))

const cruise = (cwd: string, folders: ReadonlyArray<string>): Report => {
  const args = [cruiser, ...folders, "--config", `${root}.dependency-cruiser.cjs`, "--output-type", "json"]
  const run = spawnSync(process.execPath, args, { cwd, encoding: "utf8", maxBuffer: 1 << 28 })
  if (run.stdout === "") throw new Error(run.stderr)
  return JSON.parse(run.stdout) as Report
}

const fail = (message: string): never => {
  console.error(message)
  process.exit(1)
}

const { summary } = cruise(root, ["packages", "bin"])
for (const { from, to, rule } of summary.violations) console.error(`${rule.name}: ${from} -> ${to}`)
if (summary.error > 0) fail(`${summary.error} imports go where they must not.`)
if (summary.totalCruised < 20) fail(`Only ${summary.totalCruised} modules were looked at.`)

const caught = cruise(`${root}test/fixtures/imports`, ["packages"]).summary.violations.map(({ rule }) => rule.name)
for (const rule of [
  "domain-stands-alone",
  "domain-layers",
  "hosts-know-the-domain-alone",
  "web-knows-the-domain-alone"
])
  if (!caught.includes(rule)) fail(`The fixture breaks ${rule}, and the check did not notice.`)

console.log(`Import directions hold in ${summary.totalCruised} modules; the fixture's violations were caught.`)
