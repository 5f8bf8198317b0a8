// Plain JavaScript without dependencies: runs before anything is installed, on Node 18 or newer.
import { accessSync, constants, existsSync, mkdirSync, statSync } from "node:fs"
import * as nodeModule from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { install, pinnedNode, runsTypeScript } from "./install.mjs"
import { areBundlesCurrent, root } from "./programs.mjs"

/** Older ones run TypeScript too, but say on every start that they may not do so for ever. */
const runsItQuietly = runsTypeScript && Number(process.versions.node.split(".")[0]) >= 24

const forwarded = ["SIGTERM", "SIGINT", "SIGHUP"]

/** Nobody else owns it or may write to it. */
const isOurs = (path) => {
  const { mode, uid } = statSync(path)
  return process.geteuid === undefined || (uid === process.geteuid() && (mode & 0o022) === 0)
}

/** A folder in a folder of ours, made when it is missing; nothing where that cannot be. */
const privateFolder = (base, ...names) => {
  let path = base
  try {
    for (const name of names) {
      if (!isOurs(path)) return undefined
      path = join(path, name)
      mkdirSync(path, { recursive: true, mode: 0o700 })
    }
    accessSync(path, constants.W_OK)
    return isOurs(path) ? path : undefined
  } catch {
    return undefined
  }
}

/**
 * Where Node keeps compiled modules between starts, which saves a third of a start: beside the programs or, where that
 * is not ours to write to, with what other programs of the user keep. Node takes from it what is of the same version
 * and of a module with the same content, and runs it: so nobody else may write to it.
 */
const compileCache = () => {
  const { HOME, LOCALAPPDATA, NODE_COMPILE_CACHE, XDG_CACHE_HOME } = process.env
  if (NODE_COMPILE_CACHE) return NODE_COMPILE_CACHE
  const beside = privateFolder(root, "node_modules", ".cache", "compiled")
  if (beside !== undefined) return beside
  const caches = XDG_CACHE_HOME || LOCALAPPDATA
  if (caches) return privateFolder(caches, "lists-and-things", "compiled")
  return HOME ? privateFolder(HOME, ".cache", "lists-and-things", "compiled") : undefined
}

/**
 * For programs that run for long. V8 watches which objects live long while a program starts, and then makes those of
 * requests beside old ones from the start, where only a full collection frees them: 3 KB to 7 KB of each request. The
 * young generation is from the start, and stays, what the garbage of a hundred requests needs; and what was only needed
 * for starting can be collected (docs/performance.md). Who gives them to Node, as `npm start` does, saves a second start
 * of Node.
 */
export const forServers = [
  "--no-allocation-site-pretenuring",
  "--min-semi-space-size=16",
  "--max-semi-space-size=16",
  "--expose-gc"
]

/** The code with which a process ends whose libraries are not all there. */
const libraryMissing = 127

/**
 * Stands in for the program until it ends: signals go in, the exit code comes out. Returns where the pinned Node does not
 * start on this machine.
 */
const standInFor = async (args) => {
  const { spawn } = await import("node:child_process")
  const child = spawn(pinnedNode, args, { stdio: "inherit" })
  // A terminal sends Ctrl-C to the program as well.
  for (const signal of forwarded)
    process.on(signal, () => (signal === "SIGINT" && process.stdin.isTTY ? undefined : child.kill(signal)))
  const code = await new Promise((resolve) => {
    child.once("error", (error) => {
      process.stderr.write(`${pinnedNode} cannot be run: ${error.message}\n`)
      resolve(libraryMissing)
    })
    child.once("exit", (code, signal) => {
      if (signal === null) return resolve(code)
      for (const each of forwarded) process.removeAllListeners(each)
      process.kill(process.pid, signal)
    })
  })
  if (code !== libraryMissing) process.exit(code)
  for (const each of forwarded) process.removeAllListeners(each)
}

/** The bundle of the program, or its source where that has changed since; installs what is missing for that. */
const entryOf = async (name) => {
  const bundled = join(root, "dist", name.replace(/ts$/, "mjs"))
  if (areBundlesCurrent() && existsSync(bundled)) return bundled
  await install()
  return areBundlesCurrent() && existsSync(bundled) ? bundled : join(root, "bin", name)
}

const refuse = () => {
  process.stderr.write(
    `Lists and Things needs Node.js 22.18 or newer, and this is ${process.versions.node}. It brings one of its own, ` +
      (existsSync(pinnedNode)
        ? "which does not start on this machine: install what it lacks, or a newer Node.js.\n"
        : "which npm has left out: install again without --omit=optional, or with a newer Node.js.\n")
  )
  process.exit(1)
}

/** Runs a program of this folder on a Node that can, after installing what is missing. `flags` are of Node. */
export const launch = async (name, flags = []) => {
  const entry = await entryOf(name)
  const missing = flags.filter((flag) => !process.execArgv.includes(flag))
  const args = [...process.execArgv, ...missing, entry, ...process.argv.slice(2)]
  const cache = compileCache()
  if (cache !== undefined) process.env.NODE_COMPILE_CACHE = cache
  if (!runsItQuietly && existsSync(pinnedNode)) await standInFor(args)
  if (!runsTypeScript) return refuse()
  // The same process goes on as the program, where the system can do that; else it does without the flags.
  if (missing.length > 0 && process.execve !== undefined && process.platform !== "win32")
    process.execve(process.execPath, [process.execPath, ...args], process.env)
  process.argv[1] = entry
  if (cache !== undefined) nodeModule.enableCompileCache?.(cache)
  await import(pathToFileURL(entry).href)
}
