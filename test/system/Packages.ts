import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { globSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, delimiter, join } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { root } from "./Release.ts"

const runs = promisify(execFile)

/** The PATH without this checkout's binaries, so that only those of an installed package are found. */
const path = (process.env["PATH"] ?? "")
  .split(delimiter)
  .filter((folder) => !folder.startsWith(join(root, "node_modules")))
  .join(delimiter)

/**
 * The environment, with the certificates that npm needs if its registry is behind a proxy. A registry may be out of reach
 * for a while: npm asks it only for what is not in its cache, and again after a minute without an answer, not five.
 */
const base = {
  PATH: path,
  HOME: process.env["HOME"] ?? "",
  NODE_EXTRA_CA_CERTS: process.env["NODE_EXTRA_CA_CERTS"] ?? "",
  npm_config_prefer_offline: "true",
  npm_config_fetch_timeout: "60000",
  npm_config_fetch_retries: "4"
}

/** Runs a program in a folder with only these variables in its environment; returns its standard output. */
export const runIn = async (
  cwd: string,
  program: string,
  args: ReadonlyArray<string>,
  variables: Readonly<Record<string, string>> = {}
): Promise<string> => {
  const env = { ...base, ...variables }
  return (await runs(program, args, { cwd, env, maxBuffer: 1 << 26 })).stdout
}

const quiet = ["--no-audit", "--no-fund", "--loglevel=error"]

export const npm = (cwd: string, ...args: ReadonlyArray<string>): Promise<string> =>
  runIn(cwd, "npm", [...args, ...quiet])

/** The programs and packages of `npm run build` and `npm pack`, as files for npm, and folders to use them in. */
export class Packed {
  readonly folder = mkdtempSync(join(tmpdir(), "lat-packed-"))

  static async make(): Promise<Packed> {
    const packed = new Packed()
    await runIn(root, process.execPath, [join(root, "scripts/build.ts")])
    const folders = [root, ...readdirSync(join(root, "build")).map((name) => join(root, "build", name))]
    await npm(packed.empty("files"), "pack", ...folders, "--ignore-scripts")
    return packed
  }

  empty(name: string): string {
    const folder = join(this.folder, name)
    mkdirSync(folder)
    return folder
  }

  get program(): string {
    return globSync(join(this.folder, "files/lists-and-things-[0-9]*.tgz"))[0]!
  }

  get libraries(): ReadonlyArray<string> {
    return globSync(join(this.folder, "files/*.tgz")).filter((file) => basename(file) !== basename(this.program))
  }

  /** Creates a project of an external program, with all libraries and the given packages installed. */
  async project(packages: ReadonlyArray<string>): Promise<string> {
    const folder = this.empty("project")
    writeFileSync(join(folder, "package.json"), '{ "name": "theirs", "private": true, "type": "module" }')
    await npm(folder, "install", "--save-exact", ...this.libraries, ...packages)
    return folder
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Starts a program that runs until it is stopped; resolves when it prints a line that matches `says`. */
export const started = async (
  cwd: string,
  program: string,
  variables: Readonly<Record<string, string>>,
  says: RegExp
): Promise<{ readonly said: string; readonly stop: () => Promise<void> }> => {
  const child = spawn(program, [], {
    cwd,
    env: { ...base, ...variables },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = once(child, "exit")
  for await (const line of createInterface(child.stdout)) {
    const said = says.exec(line)?.[1]
    if (said === undefined) continue
    child.stdout.resume()
    const stop = async () => {
      child.kill("SIGTERM")
      await ended
    }
    return { said, stop }
  }
  throw new Error(`${program} ended without saying ${says}`)
}
