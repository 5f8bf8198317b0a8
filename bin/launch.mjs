// Plain JavaScript without dependencies: runs before anything is installed, on Node 18 or newer.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import * as nodeModule from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { install, pinnedNode, root, runsTypeScript } from "./install.mjs"

/** Older ones run TypeScript too, but say on every start that they may not do so for ever. */
const runsItQuietly = runsTypeScript && Number(process.versions.node.split(".")[0]) >= 24

const forwarded = ["SIGTERM", "SIGINT", "SIGHUP"]

/** Compiled modules are kept between starts, which halves the time of a start. */
const compileCache = process.env.NODE_COMPILE_CACHE ?? join(root, "node_modules", ".cache", "compiled")

/**
 * For programs that run for long. V8 watches which objects live long while a program starts, and then makes those of
 * requests beside old ones from the start, where only a full collection frees them: 3 KB to 7 KB of each request. The
 * young generation stays at what the garbage of a hundred requests needs; and what was only needed for starting can be
 * collected (docs/performance.md).
 */
export const forServers = ["--no-allocation-site-pretenuring", "--max-semi-space-size=16", "--expose-gc"]

/** Stands in for the program until it ends: signals go in, the exit code comes out. */
const standInFor = (args, env) => {
  const child = spawn(pinnedNode, args, { stdio: "inherit", env })
  // A terminal sends Ctrl-C to the program as well.
  for (const signal of forwarded)
    process.on(signal, () => (signal === "SIGINT" && process.stdin.isTTY ? undefined : child.kill(signal)))
  child.once("error", (error) => {
    process.stderr.write(`${pinnedNode} cannot be run: ${error.message}\n`)
    process.exit(1)
  })
  child.once("exit", (code, signal) => {
    if (signal === null) process.exit(code)
    for (const each of forwarded) process.removeAllListeners(each)
    process.kill(process.pid, signal)
  })
}

/** Runs a program of this folder on a Node that can, after installing what is missing. `flags` are of Node. */
export const launch = async (name, flags = []) => {
  await install()
  const entry = join(root, "bin", name)
  const args = [...process.execArgv, ...flags, entry, ...process.argv.slice(2)]
  const env = { ...process.env, NODE_COMPILE_CACHE: compileCache }
  if (!runsItQuietly && (!runsTypeScript || existsSync(pinnedNode))) return standInFor(args, env)
  // The same process goes on as the program, where the system can do that; else it does without the flags.
  if (flags.length > 0 && process.execve !== undefined && process.platform !== "win32")
    process.execve(process.execPath, [process.execPath, ...args], env)
  process.argv[1] = entry
  nodeModule.enableCompileCache?.(compileCache)
  await import(pathToFileURL(entry).href)
}
