import { afterAll, describe, expect, it } from "@effect/vitest"
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { openInstallation } from "../reliability/Installation.ts"
import { root } from "./Release.ts"

const installation = await openInstallation(["fsync=off"])
afterAll(() => installation.close())

const health = (env: Readonly<Record<string, string>>): number | null =>
  spawnSync(process.execPath, [join(root, "bin/health.mjs")], { env: { PATH: process.env["PATH"] ?? "", ...env } })
    .status

const analyzer = "/usr/bin/systemd-analyze"
const withSystemd = existsSync(analyzer) ? it : it.skip
if (!existsSync(analyzer))
  process.stderr.write("NOT SHOWN: the score of the systemd unit, there is no systemd-analyze here\n")

describe("deploy/", () => {
  it("has a health check that succeeds only while the server runs", async () => {
    const host = await installation.serve()
    expect(health({ PORT: String(host.port) })).toBe(0)
    expect(health({ PORT: String(host.port), HOST: "0.0.0.0" })).toBe(0)
    expect(health({ PORT: ` ${host.port} `, HOST: " 127.0.0.1\r" })).toBe(0)
    const proxied = { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: "http://127.0.0.1:9" }
    expect(health({ PORT: String(host.port), ...proxied })).toBe(0)
    host.child.kill("SIGTERM")
    await host.ended
    expect(health({ PORT: String(host.port) })).toBe(1)
  })

  it("copies files that exist and are packed", () => {
    const file = readFileSync(join(root, "deploy/Containerfile"), "utf8")
    const packed = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      readonly files: ReadonlyArray<string>
    }
    expect(file).toContain("lists-and-things/bin/health.mjs")
    expect(packed.files).toContain("bin/*.mjs")
    expect(existsSync(join(root, "bin/health.mjs"))).toBe(true)
  })

  withSystemd("has a unit whose exposure level in systemd-analyze is at most 4.0", () => {
    const unit = join(root, "deploy/lists-and-things.service")
    const said = execFileSync(analyzer, ["security", "--offline=true", unit], { encoding: "utf8" })
    const [, score] = /exposure level for lists-and-things\.service: ([\d.]+)/.exec(said)!
    expect(Number(score)).toBeLessThanOrEqual(4)
    expect(readFileSync(unit, "utf8")).not.toMatch(/^MemoryDenyWriteExecute/m)
  })
})
