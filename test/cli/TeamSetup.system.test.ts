import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { assert, it } from "vitest"
import { root } from "./Lat.ts"

it("the script that sets up a team ends with the same team in two installations", { timeout: 300_000 }, () => {
  const script = join(root, "docs", "team-setup.sh")
  const path = `${join(process.execPath, "..")}:${process.env["PATH"]}`
  const { status, stderr, stdout } = spawnSync("bash", [script], { env: { ...process.env, PATH: path } })
  assert.strictEqual(status, 0, `${stdout}\n${stderr}`)
  assert.include(stdout.toString("utf8"), "The team is the same in both installations.")
})
