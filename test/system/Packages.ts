import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { globSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, delimiter, join } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { root } from "./Release.ts"

const runs = promisify(execFile)

/** Without what this checkout has installed: only what a package brings is found. */
const path = (process.env["PATH"] ?? "")
  .split(delimiter)
  .filter((folder) => !folder.startsWith(join(root, "node_modules")))
  .join(delimiter)

/** With the certificates that npm needs where its registry is behind a proxy. */
const base = {
  PATH: path,
  HOME: process.env["HOME"] ?? "",
  NODE_EXTRA_CA_CERTS: process.env["NODE_EXTRA_CA_CERTS"] ?? ""
}

/** Runs a program in a folder, in an environment where nothing else is set; what it wrote to standard output. */
export const runIn = async (
  cwd: string,
  program: string,
  args: ReadonlyArray<string>,
  variables: Readonly<Record<string, string>> = {}
): Promise<string> => {
  const env = { ...base, ...variables }
  return (await runs(program, args, { cwd, env, maxBuffer: 1 << 26 })).stdout
}

const quiet = ["--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"]
/** Milliseconds; npm waits five minutes for an answer that does not come before it asks again. */
const patience = "--fetch-timeout=60000"

export const npm = (cwd: string, ...args: ReadonlyArray<string>): Promise<string> =>
  runIn(cwd, "npm", [...args, ...quiet, patience])

/** What `npm run build` and `npm pack` make, each program and package as a file for npm; and folders to use them in. */
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

  /** A program of somebody else, which has all libraries and these other packages installed. */
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

/** A program that runs until it is stopped. */
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
