import { afterAll, describe, expect, it } from "@effect/vitest"
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { foundAs, latCommand, launcherText, type Programs } from "../src/commands/setup/Programs.ts"

describe("how a reader runs lat", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "lat-command-")))
  afterAll(() => rmSync(folder, { recursive: true }))

  const made = (...path: ReadonlyArray<string>): string => {
    const made = join(folder, ...path)
    mkdirSync(made, { recursive: true })
    return made
  }
  const root = made("check out")
  writeFileSync(join(made("check out", "bin"), "lat.mjs"), "")
  writeFileSync(join(root, "package.json"), "{}")
  writeFileSync(join(made("check out", "packages", "cli"), "package.json"), "{}")
  const programs: Programs = { root, node: "/usr/bin/node", isCheckout: true }
  const byPath = `node '${join(root, "bin/lat.mjs")}'`

  const command = (where: string, path: ReadonlyArray<string> = [], of = programs) =>
    latCommand({ programs: of, environment: { PATH: path.join(delimiter) }, folder: where })

  it("is npx in the checkout, and the path elsewhere", () => {
    expect(command(root)).toBe("npx lat")
    expect(command(made("check out", "docs"))).toBe("npx lat")
    expect(command(join(root, "packages", "cli"))).toBe(byPath)
    expect(command(folder)).toBe(byPath)
    expect(command(root, [], { ...programs, isCheckout: false })).toBe(byPath)
  })

  it("is lat where the shell finds a launcher or a link of this one first", () => {
    const [launched, linked, other] = [made("launched"), made("linked"), made("other")]
    writeFileSync(join(launched, "lat"), launcherText(programs))
    chmodSync(join(launched, "lat"), 0o755)
    symlinkSync(join(root, "bin/lat.mjs"), join(linked, "lat"))
    writeFileSync(join(other, "lat"), "#!/bin/sh\nexec latex\n")
    expect(command(folder, [made("empty"), launched])).toBe("lat")
    expect(command(folder, [linked])).toBe("lat")
    expect(command(folder, [other, linked])).toBe(byPath)
    expect(command(folder, [linked, other])).toBe("lat")
    const of = { programs: { ...programs, root: made("second") }, folder, environment: { PATH: launched } }
    expect(foundAs("lat", of)).toBe("another")
  })

  it("is not what npm puts on the path for the time of a run", () => {
    const bin = made("node_modules", ".bin")
    symlinkSync(join(root, "bin/lat.mjs"), join(bin, "lat"))
    expect(command(folder, [bin])).toBe(byPath)
  })
})
