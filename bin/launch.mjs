// Plain JavaScript without dependencies: runs before anything is installed, on Node 18 or newer.
import { accessSync, constants, existsSync, mkdirSync, statSync } from "node:fs"
import * as nodeModule from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { install, pinnedNode, runsTypeScript } from "./install.mjs"
import { areBundlesCurrent, root } from "./programs.mjs"

/** Versions before 24 run TypeScript too, but print a warning that it is experimental at every start. */
const runsItQuietly = runsTypeScript && Number(process.versions.node.split(".")[0]) >= 24

const forwarded = ["SIGTERM", "SIGINT", "SIGHUP"]

/** Whether a path belongs to this user, and nobody else may write to it. */
const isOurs = (path) => {
  const { mode, uid } = statSync(path)
  return process.geteuid === undefined || (uid === process.geteuid() && (mode & 0o022) === 0)
}

/** Creates nested folders in `base` as needed; undefined unless all of them are ours and the last one is writable. */
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
 * The folder in which Node caches compiled modules, which saves a third of a start: beside the programs or, if that is
 * not ours to write to, in the user's cache folder. Node runs the code that it finds there for a module of the same
 * content, so nobody else may write to it.
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
 * Options of Node for long-running programs. During the start, V8 learns which objects live long, and would then
 * allocate those of requests in the old generation, where only a full collection frees them: 3 KB to 7 KB per request.
 * The young generation gets a fixed size that holds the garbage of a hundred requests. `--expose-gc` lets the server
 * collect what only its start needed (docs/performance.md). Passing these options to Node, as `npm start` does, saves a
 * second start of Node.
 */
export const forServers = [
  "--no-allocation-site-pretenuring",
  "--min-semi-space-size=16",
  "--max-semi-space-size=16",
  "--expose-gc"
]

/** Exit code of a process whose shared libraries are missing. */
const libraryMissing = 127

/**
 * Runs the program in a child on the pinned Node: forwards signals, and exits as the child does. Returns only if the
 * pinned Node does not start on this machine.
 */
const standInFor = async (args) => {
  const { spawn } = await import("node:child_process")
  const child = spawn(pinnedNode, args, { stdio: "inherit" })
  // Ctrl-C on a terminal reaches the child as well.
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

/**
 * The bundle of the program, or its source if the bundle is outdated. Installs missing packages unless the bundle is
 * current.
 */
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

/** Runs a program of this folder on a suitable Node, after installing what is missing. `flags` are options of Node. */
export const launch = async (name, flags = []) => {
  const entry = await entryOf(name)
  const missing = flags.filter((flag) => !process.execArgv.includes(flag))
  const args = [...process.execArgv, ...missing, entry, ...process.argv.slice(2)]
  const cache = compileCache()
  if (cache !== undefined) process.env.NODE_COMPILE_CACHE = cache
  if (!runsItQuietly && existsSync(pinnedNode)) await standInFor(args)
  if (!runsTypeScript) return refuse()
  // Replaces this process by Node with the flags where the system supports that; otherwise does without the flags.
  if (missing.length > 0 && process.execve !== undefined && process.platform !== "win32")
    process.execve(process.execPath, [process.execPath, ...args], process.env)
  process.argv[1] = entry
  if (cache !== undefined) nodeModule.enableCompileCache?.(cache)
  await import(pathToFileURL(entry).href)
}
