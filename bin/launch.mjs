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

/** Stands in for the program until it ends: signals go in, the exit code comes out. */
const standInFor = (entry) => {
  const child = spawn(pinnedNode, [entry, ...process.argv.slice(2)], {
    stdio: "inherit",
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache }
  })
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

/** Runs a program of this folder on a Node that can, after installing what is missing. */
export const launch = async (name) => {
  await install()
  const entry = join(root, "bin", name)
  if (runsItQuietly || (runsTypeScript && !existsSync(pinnedNode))) {
    process.argv[1] = entry
    nodeModule.enableCompileCache?.(compileCache)
    await import(pathToFileURL(entry).href)
  } else standInFor(entry)
}
