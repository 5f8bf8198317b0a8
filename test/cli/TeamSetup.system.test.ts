import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { root } from "./Lat.ts"

it("the script docs/team-setup.sh creates the same team in two installations", () => {
  const script = join(root, "docs", "team-setup.sh")
  const path = `${join(process.execPath, "..")}:${process.env["PATH"]}`
  const { status, stderr, stdout } = spawnSync("bash", [script], { env: { ...process.env, PATH: path } })
  expect(status, `${stdout}\n${stderr}`).toBe(0)
  expect(stdout.toString("utf8")).toContain("The team is the same in both installations.")
})
