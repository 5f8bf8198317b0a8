import { afterAll, describe, expect, it } from "@effect/vitest"
import { lat, latOnPage, runLatAs, withCommands } from "@lists-and-things/domain/text/CommandLine"
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { catalog } from "../src/Catalog.ts"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { program } from "../src/Program.ts"
import { processTerminal } from "../src/Terminal.ts"
import { foundAs, latCommand, launcherText, type Programs } from "../src/commands/setup/Programs.ts"

const root = join(import.meta.dirname, "../../..")

describe("messages", () => {
  const commands = [...new Set(catalog.map(({ path }) => path[0]))].join("|")
  const spelled = new RegExp(`\\blat (?:${commands})\\b`)
  /** Files that may name it: help, which is adapted when it is shown, shell scripts, and a comment in a script. */
  const exempt = /(?:Commands|Topics|completion|setup\/Programs)\.ts$/

  const sources = ["packages", "bin"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => /^(?:[\w-]+\/src\/.*|[\w-]+)\.ts$/.test(path) && !exempt.test(path))
      .map((path) => join(folder, path))
  )

  it("never spell out a lat command, but use lat(), which adapts it to how the reader runs lat", () => {
    expect(sources.length).toBeGreaterThan(100)
    const found = sources.flatMap((path) =>
      readFileSync(join(root, path), "utf8")
        .split("\n")
        .filter((line) => spelled.test(line) && !/^\s*(?:\/\*\*|\*|\/\/)|\/\*\* /.test(line))
        .map((line) => `${path}: ${line.trim()}`)
    )
    expect(found).toEqual([])
  })

  it("name lat commands as the reader runs them", () => {
    runLatAs(() => "npx lat")
    try {
      expect([lat("db upgrade"), latOnPage("setup")]).toEqual(["npx lat db upgrade", "npx lat setup"])
      runLatAs(() => "node '/home/ann/lists and things/bin/lat.mjs'")
      expect(latOnPage("setup")).toBe("lat setup")
      runLatAs(() => "npx lat")
      expect(
        withCommands("pass show lists/ann | lat account set; see 'lat help keys', ~/.local/bin/lat and lat.")
      ).toBe("pass show lists/ann | npx lat account set; see 'npx lat help keys', ~/.local/bin/lat and lat.")
    } finally {
      runLatAs(() => "lat")
    }
  })

  it("of help name commands as the reader runs them, in the usage line and in the text", async () => {
    const said: Array<string> = []
    const terminal = { ...processTerminal({}), out: (text: string) => void said.push(text) }
    const help = async (...words: ReadonlyArray<string>): Promise<string> => {
      said.length = 0
      await expect(
        program(words, terminal, async () => {}).parseAsync([...words, "--help"], { from: "user" })
      ).rejects.toThrow()
      return said.join("").replaceAll(/\s+/g, " ")
    }
    runLatAs(() => "npx lat")
    try {
      for (const path of [[], ...catalog.map((spec) => spec.path)]) {
        const text = await help(...path)
        expect(text).toMatch(new RegExp(`^Usage: ${["npx lat", ...path].join(" ")} `))
        expect(text).not.toMatch(new RegExp(`(?<!npx )${spelled.source}`))
      }
      expect(await help("webhook", "delete")).toMatch(/ as 'npx lat webhook list' shows it /)
    } finally {
      runLatAs(() => "lat")
    }
  })
})

describe("the command by which a reader runs lat", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "lat-command-")))
  afterAll(() => rmSync(folder, { recursive: true }))

  const made = (...path: ReadonlyArray<string>): string => {
    const made = join(folder, ...path)
    mkdirSync(made, { recursive: true })
    return made
  }
  const checkout = made("check out")
  writeFileSync(join(made("check out", "bin"), "lat.mjs"), "")
  writeFileSync(join(checkout, "package.json"), "{}")
  writeFileSync(join(made("check out", "packages", "cli"), "package.json"), "{}")
  const programs: Programs = { root: checkout, node: "/usr/bin/node", isCheckout: true }
  const byPath = `node '${join(checkout, "bin/lat.mjs")}'`

  const owner = statSync(checkout).uid

  const command = (where: string, path: ReadonlyArray<string> = [], of = programs, user: number | undefined = owner) =>
    latCommand({ programs: of, environment: { PATH: path.join(delimiter) }, folder: where, user })

  it("is npx lat in the checkout outside its nested packages, and the path elsewhere", () => {
    expect(command(checkout)).toBe("npx lat")
    expect(command(made("check out", "docs"))).toBe("npx lat")
    expect(command(join(checkout, "packages", "cli"))).toBe(byPath)
    expect(command(folder)).toBe(byPath)
    expect(command(checkout, [], { ...programs, isCheckout: false })).toBe(byPath)
  })

  it("is the path in another user's checkout, whose programs npx may not run, unless the user is root", () => {
    expect(command(checkout, [], programs, owner + 1)).toBe(byPath)
    expect(command(checkout, [], programs, 0)).toBe("npx lat")
  })

  it("is lat if the first lat on PATH is a launcher of or a link to this installation", () => {
    const [launched, linked, other] = [made("launched"), made("linked"), made("other")]
    writeFileSync(join(launched, "lat"), launcherText(programs))
    chmodSync(join(launched, "lat"), 0o755)
    symlinkSync(join(checkout, "bin/lat.mjs"), join(linked, "lat"))
    writeFileSync(join(other, "lat"), "#!/bin/sh\nexec latex\n")
    expect(command(folder, [made("empty"), launched])).toBe("lat")
    expect(command(folder, [linked])).toBe("lat")
    expect(command(folder, [other, linked])).toBe(byPath)
    expect(command(folder, [linked, other])).toBe("lat")
    const of = { programs: { ...programs, root: made("second") }, folder, environment: { PATH: launched } }
    expect(foundAs("lat", of)).toBe("another")
  })

  it("ignores the links that npm puts on PATH during a run", () => {
    const bin = made("node_modules", ".bin")
    symlinkSync(join(checkout, "bin/lat.mjs"), join(bin, "lat"))
    expect(command(folder, [bin])).toBe(byPath)
  })
})
