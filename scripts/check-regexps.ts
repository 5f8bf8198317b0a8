/**
 * Checks that the linter rejects regular expressions that can take more than linear time: it must report each of those
 * in the fixture, by its rule, with the project's own settings.
 */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

interface Report {
  readonly diagnostics: ReadonlyArray<{ readonly code: string }>
}

const fixture = fileURLToPath(new URL("../test/fixtures/regexp", import.meta.url))
const linter = fileURLToPath(new URL("../node_modules/oxlint/bin/oxlint", import.meta.url))

const args = [linter, "--config", "oxlint.json", "--format", "json", "."]
const run = spawnSync(process.execPath, args, { cwd: fixture, encoding: "utf8" })
if (run.stdout === "") throw new Error(run.stderr)
const caught = new Set((JSON.parse(run.stdout) as Report).diagnostics.map(({ code }) => code))

for (const rule of ["no-super-linear-backtracking", "no-super-linear-move"]) {
  if (caught.has(`regexp(${rule})`)) continue
  console.error(`The fixture breaks ${rule}, and the linter did not notice.`)
  process.exit(1)
}
console.log("Regular expressions that are slow are refused; the fixture's were caught.")
