// Plain JavaScript without dependencies: runs before anything is installed, on Node 18 or newer.
import { existsSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
/** Whether this is a checkout; a package from npm has the bundled programs alone. */
export const hasSources = existsSync(join(root, "package-lock.json"))
/** Stamps of the inputs of the bundles, which are in the same folder. */
export const inputsFile = join(root, "dist", "inputs.json")
/** Files that change when another version of a package is installed. */
export const installedFiles = ["package.json", "package-lock.json", "node_modules/.package-lock.json"]

/** Size, mtime and ctime of a file; no program can set ctime. */
const stampOf = (path) => {
  const { ctimeMs, mtimeMs, size } = statSync(`${root}/${path}`)
  return [size, mtimeMs, ctimeMs]
}

/** The ctime of a stamp: when the file was last written or replaced, in milliseconds of its file system's clock. */
export const changeOf = ([, , changed]) => changed

/** Stamps by path; paths are relative to the root. */
export const stampsOf = (paths) => Object.fromEntries(paths.map((path) => [path, stampOf(path)]))

const isUnchanged = (path, [size, written, changed]) => {
  const [sizeNow, writtenNow, changedNow] = stampOf(path)
  return sizeNow === size && writtenNow === written && changedNow === changed
}

/**
 * Whether the bundles were made from the present sources and packages. True for an npm package, which has no sources.
 */
export const areBundlesCurrent = () => {
  if (!hasSources) return true
  try {
    const inputs = Object.entries(JSON.parse(readFileSync(inputsFile, "utf8")))
    return inputs.length > 0 && inputs.every(([path, stamp]) => isUnchanged(path, stamp))
  } catch {
    return false
  }
}
