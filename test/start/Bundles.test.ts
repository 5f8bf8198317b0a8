import { execFile, spawnSync } from "node:child_process"
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { readFileSync, utimesSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { until } from "@lists-and-things/testing/Until"
import { afterEach, beforeEach, describe, expect, it } from "@effect/vitest"

const bin = join(import.meta.dirname, "../../bin")
const runs = promisify(execFile)

interface Launched {
  readonly uid?: number
  readonly options?: ReadonlyArray<string>
}

/** A program, started by the launchers of this repository, whose source and bundle print which of them runs. */
describe("the launchers, if bundles exist", () => {
  let root: string
  let home: string

  const write = (path: string, text: string) => writeFileSync(join(root, path), text)

  const launch = async ({ options = [], ...as }: Launched = {}) => {
    const env = { PATH: process.env["PATH"] ?? "", HOME: home }
    return (await runs(process.execPath, [...options, join(root, "bin/say.mjs")], { cwd: tmpdir(), env, ...as })).stdout
  }

  /** Marks the bundle as built from the present sources. */
  const stamp = async () => {
    const { stampsOf } = (await import(pathToFileURL(join(root, "bin/programs.mjs")).href)) as {
      readonly stampsOf: (paths: ReadonlyArray<string>) => unknown
    }
    write("dist/inputs.json", JSON.stringify(stampsOf(["bin/say.ts", "package-lock.json"])))
  }

  const compiledIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : [])

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), "lat bundles-"))
    home = mkdtempSync(join(tmpdir(), "lat-home-"))
    chmodSync(root, 0o755)
    for (const folder of ["bin", "dist", "node_modules"]) mkdirSync(join(root, folder), { mode: 0o755 })
    for (const name of ["install.mjs", "launch.mjs", "node-version.mjs", "programs.mjs"])
      cpSync(join(bin, name), join(root, "bin", name))
    write("package.json", '{ "name": "small", "version": "1.0.0", "type": "module" }')
    write("package-lock.json", '{ "lockfileVersion": 3, "packages": {} }')
    write("bin/say.mjs", 'import { launch } from "./launch.mjs"\n\nawait launch("say.ts")\n')
    write("bin/say.ts", 'console.log("source" as string)\n')
    write("dist/say.mjs", 'console.log("bundle")\n')
    await stamp()
  })

  afterEach(() => {
    for (const folder of [root, home]) rmSync(folder, { recursive: true, force: true })
  })

  it("run the bundle if the sources are unchanged", async () => {
    expect(await launch()).toBe("bundle\n")
  })

  it("run changed sources, even with the same length and time", async () => {
    const path = join(root, "bin/say.ts")
    const { atime, ctimeMs, mtime } = statSync(path)
    // File times have a limited resolution.
    await until("a time of change of its own", () => {
      write("bin/say.ts", 'console.log("edited" as string)\n')
      utimesSync(path, atime, mtime)
      return statSync(path).ctimeMs !== ctimeMs
    })
    expect(await launch()).toBe("edited\n")
    await stamp()
    expect(await launch()).toBe("bundle\n")
  })

  it("run the sources if one is missing, the packages changed, or the bundle's inputs are unknown", async () => {
    write("package-lock.json", '{ "lockfileVersion": 3, "packages": {}, "requires": true }')
    expect(await launch()).toBe("source\n")
    await stamp()
    write("dist/inputs.json", "{}")
    expect(await launch()).toBe("source\n")
    write("dist/inputs.json", '{ "bin/gone.ts": [1, 2, 3] }')
    expect(await launch()).toBe("source\n")
    rmSync(join(root, "dist"), { recursive: true })
    expect(await launch()).toBe("source\n")
  })

  it("run the bundle of an installed package, which has no sources", async () => {
    for (const path of ["bin/say.ts", "package-lock.json", "dist/inputs.json"]) rmSync(join(root, path))
    expect(await launch()).toBe("bundle\n")
  })

  it.runIf(process.platform === "linux")("use the current Node if the bundled one does not start", () => {
    const runtime = `node_modules/node-linux-${process.arch}/bin`
    mkdirSync(join(root, runtime), { recursive: true })
    write(`${runtime}/node`, '#!/bin/sh\necho "node: libatomic.so.1: cannot open shared object file" >&2\nexit 127\n')
    chmodSync(join(root, runtime, "node"), 0o755)
    const run = (nodeThatIsHere: string) => {
      const args = ["--import", `data:text/javascript,${encodeURIComponent(nodeThatIsHere)}`, join(root, "bin/say.mjs")]
      return spawnSync(process.execPath, args, { encoding: "utf8" })
    }
    const node22 = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "22.19.0" } })'
    expect(run(node22)).toMatchObject({ status: 0, stdout: "bundle\n" })
    const tooOld = `${node22}\nObject.defineProperty(process.features, "typescript", { value: false })`
    const refused = run(tooOld)
    expect(refused).toMatchObject({ status: 1, stdout: "" })
    expect(refused.stderr).toContain("one of its own, which does not start on this machine: install what it lacks, or")
  })

  it.skipIf(process.execve === undefined)("restart Node for options that it was not started with", async () => {
    write(
      "bin/say.mjs",
      `import { launch } from "./launch.mjs"

globalThis.isSameNode = true
await launch("say.ts", ["--expose-gc"])
`
    )
    write("dist/say.mjs", "console.log(globalThis.isSameNode, process.execArgv, 'NODE_COMPILE_CACHE' in process.env)\n")
    expect(await launch()).toBe("undefined [ '--expose-gc' ] true\n")
    expect(await launch({ options: ["--expose-gc"] })).toBe("true [ '--expose-gc' ] true\n")
  })

  it("keep compiled code in a folder that only its owner can read", async () => {
    await launch()
    const cache = join(root, "node_modules/.cache/compiled")
    expect(compiledIn(cache)).not.toEqual([])
    expect(statSync(cache).mode & 0o777).toBe(0o700)
  })

  it("keep compiled code in the user's cache folder, or nowhere, if others may write to the usual one", async () => {
    const cache = join(root, "node_modules/.cache/compiled")
    mkdirSync(cache, { recursive: true })
    chmodSync(cache, 0o777)
    expect(await launch()).toBe("bundle\n")
    expect(compiledIn(cache)).toEqual([])
    const own = join(home, ".cache/lists-and-things/compiled")
    expect(compiledIn(own)).not.toEqual([])
    rmSync(own, { recursive: true })
    chmodSync(join(home, ".cache"), 0o777)
    expect(await launch()).toBe("bundle\n")
    expect(compiledIn(own)).toEqual([])
  })

  it.skipIf(process.geteuid?.() !== 0)("run newer sources if the user may not write a bundle", async () => {
    mkdirSync(join(root, "scripts"))
    write("scripts/build.ts", "")
    write("bin/say.ts", 'console.log("edited" as string)\n')
    const prepared = spawnSync(process.execPath, [join(root, "bin/install.mjs"), "--bundle"], {
      cwd: tmpdir(),
      uid: 65_534,
      encoding: "utf8"
    })
    expect(prepared.stderr).toBe(
      `The programs start from their sources, more slowly, since this user may not write to ${root}. As a user who may, run: node '${root}/bin/install.mjs' --bundle\n`
    )
    expect(prepared.status).toBe(0)
    expect(await launch({ uid: 65_534 })).toBe("edited\n")
  })

  it.skipIf(process.geteuid?.() !== 0)("run for a user who may only read the installation", async () => {
    const uid = 65_534
    chownSync(home, uid, uid)
    expect(await launch({ uid })).toBe("bundle\n")
    expect(existsSync(join(root, "node_modules/.cache"))).toBe(false)
    expect(compiledIn(join(home, ".cache/lists-and-things/compiled"))).not.toEqual([])
    chownSync(home, 0, 0)
    rmSync(join(home, ".cache"), { recursive: true })
    expect(await launch({ uid })).toBe("bundle\n")
    expect(compiledIn(home)).toEqual([])
  })
})

describe("a server", () => {
  it("gets its launcher's options from npm start and the systemd unit, so that Node starts only once", async () => {
    const { forServers } = (await import(pathToFileURL(join(bin, "launch.mjs")).href)) as {
      readonly forServers: ReadonlyArray<string>
    }
    for (const path of ["package.json", "deploy/lists-and-things.service"])
      expect(readFileSync(join(bin, "..", path), "utf8"), path).toMatch(
        new RegExp(` node ${forServers.join(" ")} \\S*bin/lat-http\\.mjs`)
      )
  })
})
