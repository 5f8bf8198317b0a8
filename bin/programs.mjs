// Plain JavaScript without dependencies: runs before anything is installed, on Node 18 or newer.
import { existsSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
/** Whether this is a checkout; a package from npm has the bundled programs alone. */
export const hasSources = existsSync(join(root, "package-lock.json"))
/** The inputs of the bundles as they were; its folder has the bundles. */
export const inputsFile = join(root, "dist", "inputs.json")
/** What changes when another version of a package is installed. */
export const installedFiles = ["package.json", "package-lock.json", "node_modules/.package-lock.json"]

/** Size, time of writing and time of change of a file; the last (ctime) is set by no program. */
const stampOf = (path) => {
  const { ctimeMs, mtimeMs, size } = statSync(`${root}/${path}`)
  return [size, mtimeMs, ctimeMs]
}

/** When a file of that stamp was last written to or replaced, in milliseconds of its file system's clock. */
export const changeOf = ([, , changed]) => changed

/** Paths are relative to the root. */
export const stampsOf = (paths) => Object.fromEntries(paths.map((path) => [path, stampOf(path)]))

const isUnchanged = (path, [size, written, changed]) => {
  const [sizeNow, writtenNow, changedNow] = stampOf(path)
  return sizeNow === size && writtenNow === written && changedNow === changed
}

/** Whether the bundles are of these very sources and packages. */
export const areBundlesCurrent = () => {
  if (!hasSources) return true
  try {
    const inputs = Object.entries(JSON.parse(readFileSync(inputsFile, "utf8")))
    return inputs.length > 0 && inputs.every(([path, stamp]) => isUnchanged(path, stamp))
  } catch {
    return false
  }
}
