import { startTestPostgres } from "@lists-and-things/storage-pg/testing/TestServer"
import { afterAll, expect, it } from "@effect/vitest"
import { Redacted } from "effect"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "./Release.ts"

const folder = mkdtempSync(join(tmpdir(), "lat-backup-"))
const other = await startTestPostgres({ version: 15 })
afterAll(async () => {
  await other.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** The blocks of the page that are to be run, in their order. */
const steps = [
  ...readFileSync(join(root, "docs/backup-and-upgrade.md"), "utf8").matchAll(/^```sh\n((?:(?!```).*\n)*)```$/gm)
].map((match) => match[1]!)

/** `npx lat`, as it is in a checkout. */
const npx = `#!/bin/sh
shift
exec '${process.execPath}' '${join(root, "bin/lat.ts")}' "$@"
`

it("docs/backup-and-upgrade.md can be followed step by step", async () => {
  mkdirSync(join(folder, "bin"))
  writeFileSync(join(folder, "bin/npx"), npx, { mode: 0o755 })
  await other.createDatabase("lists")
  expect(steps.length).toBeGreaterThanOrEqual(6)
  const { PATH = "" } = process.env
  const said = execFileSync("bash", ["-euo", "pipefail"], {
    cwd: folder,
    input: `trap 'npx lat db stop --yes --quiet || true; LAT_DATA_DIR=$PWD/rehearsal npx lat db stop --yes --quiet || true' EXIT\n${steps.join("\n")}`,
    env: {
      PATH: `${join(folder, "bin")}:${PATH}`,
      HOME: folder,
      OTHER_DATABASE: Redacted.value(other.url("lists"))
    },
    encoding: "utf8",
    stdio: ["pipe", "pipe", "inherit"]
  })
  expect(said).toContain("Wrote 1 account, 1 list and 1 thing to backup/lists.dump.")
  expect(said.match(/Loaded 1 account, 1 list and 1 thing from backup\/\w+\.dump\./g)).toHaveLength(3)
  expect(said.match(/book the flight/g)!.length).toBeGreaterThanOrEqual(3)
})
