import { execFileSync, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"

export const root = join(import.meta.dirname, "../..")

export const hasHistory = (commit: string): boolean => {
  try {
    execFileSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: root, stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

/** Links installed modules into the `node_modules` of a folder, with the workspace packages of the release itself. */
const linkModules = (folder: string): void => {
  const [from, to] = [join(root, "node_modules"), join(folder, "node_modules")]
  mkdirSync(join(to, "@lists-and-things"), { recursive: true })
  for (const name of readdirSync(from)) {
    if (name !== "@lists-and-things") symlinkSync(join(from, name), join(to, name))
  }
  for (const name of readdirSync(join(folder, "packages"))) {
    symlinkSync(join(folder, "packages", name), join(to, "@lists-and-things", name))
  }
}

/** Extracts the sources of a commit, which run with the packages that are installed here. */
export const checkOut = (commit: string): { readonly folder: string; readonly remove: () => void } => {
  const folder = mkdtempSync(join(tmpdir(), "lat-release-"))
  const archive = execFileSync("git", ["archive", commit, "bin", "packages", "package.json"], {
    cwd: root,
    maxBuffer: 256 * 1024 * 1024
  })
  execFileSync("tar", ["-x", "-C", folder], { input: archive })
  linkModules(folder)
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

type Variables = Readonly<Record<string, string>>

const environment = (variables: Variables) => {
  const { PATH = "", HOME = "" } = process.env
  return { PATH, HOME, ...variables }
}

/** A program of a folder: bundled in this checkout, as for users, and from the sources of an earlier commit. */
const program = (folder: string, name: string): string =>
  join(folder, "bin", folder === root ? `${name}.mjs` : `${name}.ts`)

/** Runs `lat` of a folder and returns its JSON; fails with its standard error. */
export const lat = (folder: string, variables: Variables, args: ReadonlyArray<string>): unknown =>
  JSON.parse(
    execFileSync(process.execPath, [program(folder, "lat"), ...args, "--json"], {
      env: environment(variables),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"]
    })
  )

/** Creates a key of an account; `options` are those of `lat key create`. */
export const newKey = (
  folder: string,
  variables: Variables,
  email: string,
  options: ReadonlyArray<string> = []
): string => (lat(folder, variables, ["key", "create", "--account", email, ...options]) as { readonly key: string }).key

export interface Serving {
  readonly url: string
  /** The standard error so far. */
  readonly said: () => string
  readonly stop: () => Promise<void>
}

/** Starts the HTTP host of a folder; resolves when it answers. */
export const serve = async (folder: string, variables: Variables): Promise<Serving> => {
  const child = spawn(process.execPath, [program(folder, "lat-http")], {
    env: environment({ PORT: "0", ...variables }),
    stdio: ["ignore", "pipe", "pipe"]
  })
  let said = ""
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()))
  const ended = once(child, "exit")
  const answers = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const port = /localhost:(\d+)\/mcp/.exec(line)?.[1]
      if (port !== undefined) resolve(`http://localhost:${port}`)
    })
  })
  const url = await Promise.race([answers, ended.then(() => Promise.reject(new Error(`It ended: ${said}`)))])
  const stop = async () => {
    child.kill("SIGTERM")
    await ended
  }
  return { url, said: () => said, stop }
}
