import { Effect } from "effect"
import { constants } from "node:fs"
import { lstat, mkdir, mkdtemp, open, readdir, rm, stat, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, dirname, join, resolve } from "node:path"
import type { Scope } from "effect"
import type { PlatformBinaries } from "./Binaries.ts"
import { attempt, type EmbeddedError } from "./EmbeddedError.ts"
import { type Home, inHome, openFolder } from "./Home.ts"
import { serverUser, type ServerUser, userName } from "./ServerUser.ts"

/**
 * Paths of the embedded server. Only `home` and its contents belong to the server's user, and they are changed as that
 * user.
 */
export interface DataFolder extends Home {
  /** The cluster (PGDATA). */
  readonly cluster: string
  /** Holds the socket. */
  readonly sockets: string
  /** Output of the server before its own log begins. */
  readonly startLog: string
  /** Exists while an operator wants the server to stay stopped. */
  readonly stopped: string
  /** The binaries that its server runs with, where they are not those of this release. */
  readonly native?: PlatformBinaries | undefined
}

/** The longest folder whose socket path every system accepts, with `/.s.PGSQL.5432` and a final NUL. */
const maxFolderLength = 104 - "/.s.PGSQL.5432".length - 1

const layout = (dataDir: string) => {
  const root = resolve(dataDir)
  const home = join(root, "postgres")
  return {
    root,
    home,
    cluster: join(home, "data"),
    sockets: join(home, "run"),
    startLog: join(home, "start.log"),
    stopped: join(home, "stopped")
  }
}

/** Names that this product creates in `LAT_DATA_DIR`. */
const ours = new Set(["postgres", "binaries", "upgrade", "first-key", "lost+found"])

/** Characters that the shell interprets within the quotes in which PostgreSQL's own programs put the path. */
const expanded = /["$`]/

const modeOf = (mode: number): string => (mode & 0o7777).toString(8).padStart(4, "0")

/**
 * Whether a folder has the owner and mode that a command run by root gives the folder of a user who runs the server, so
 * that nobody else can replace `postgres` in it.
 */
const isKeptByRoot = async (path: string): Promise<boolean> => {
  const { mode, uid } = await stat(path)
  return uid === 0 && (mode & 0o022) === 0
}

/**
 * Makes a folder and those above it; returns whether it made the folder itself. `mkdir` with `recursive` never ends where
 * nothing can be made in a folder that is there and the system says ENOENT, as in /proc.
 */
const makeFolders = async (path: string, mode?: number): Promise<boolean> => {
  if ((await stat(path).catch(() => undefined)) !== undefined) return false
  await makeFolders(dirname(path))
  return mkdir(path, { mode }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error
      return false
    }
  )
}

/**
 * Makes or checks `LAT_DATA_DIR` and its permissions; returns warnings. When run as root, the folder stays root's or
 * becomes root's again: the server's user must not be able to replace `postgres`. A folder with other contents is left
 * as it is; fails when every user of the machine could replace its contents.
 */
const prepareRoot = async (path: string, user: ServerUser | undefined): Promise<ReadonlyArray<string>> => {
  if (expanded.test(path))
    throw new Error('PostgreSQL starts in no folder whose path has a ", $ or `: set LAT_DATA_DIR to another one')
  if (await makeFolders(path, user === undefined ? 0o700 : 0o711)) return []
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY).catch(async (error) => {
    if (await isKeptByRoot(path)) return undefined
    throw error
  })
  if (handle === undefined) return []
  try {
    const found = await handle.stat()
    const alone = (await readdir(path)).every((name) => ours.has(name))
    if (user !== undefined && alone && found.uid === user.uid) {
      await handle.chown(0, 0)
      await handle.chmod(0o711)
      return []
    }
    // With the sticky bit, as in /tmp, no user can replace another user's files.
    const exchangeable = (found.mode & 0o1002) === 0o002
    if (!exchangeable) return []
    const mode = modeOf(found.mode)
    const euid = process.geteuid?.() ?? found.uid
    if (euid !== 0 && euid !== found.uid) {
      return [`Other users can write to ${path} (mode ${mode}) and so remove the data: run chmod go-w ${path}`]
    }
    if (!alone) throw new Error(`other users can exchange what is in it (mode ${mode}): run chmod go-w ${path}`)
    await handle.chmod(found.mode & 0o755)
    return [`${path} could be written to by other users (mode ${mode}): it is closed to them now`]
  } finally {
    await handle.close()
  }
}

/** A folder that must belong to the server's user and does not. */
class AnothersFolder extends Error {
  readonly path: string
  constructor(path: string) {
    super(`${path} belongs to another user`)
    this.path = path
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof AnothersFolder ||
  (error instanceof Error && "code" in error && (error.code === "EACCES" || error.code === "EPERM"))

/** The path itself, or the folder above it, which this user can see. */
const nearest = async (path: string): Promise<{ readonly path: string; readonly uid: number }> => {
  const found = await lstat(path).catch(() => undefined)
  return found === undefined && dirname(path) !== path ? nearest(dirname(path)) : { path, uid: found?.uid ?? 0 }
}

/** The message about a folder that this user may not use: who owns it, and what to do. */
const explained = async (cause: unknown, { cluster, home, root, user }: DataFolder): Promise<unknown> => {
  const own = process.geteuid?.()
  if (!isRefusal(cause) || own === undefined) return cause
  const name = user?.name ?? (await userName(own))
  // A user without an entry is known to commands by the number alone.
  const wanted = name === `user ${own}` ? String(own) : name
  const first = await nearest(cause instanceof AnothersFolder ? cause.path : home)
  const found = [first, await nearest(root)].find(({ uid }) => uid !== (user?.uid ?? own))
  if (found === undefined)
    return new Error(`${first.path} is closed to ${wanted}, to whom it belongs: run 'chmod u+rwx ${first.path}'`)
  const whose = `${found.path} belongs to ${await userName(found.uid)}`
  const elsewhere = "set LAT_DATA_DIR to a folder of your own"
  return new Error(
    [root, home, cluster].includes(found.path)
      ? `${whose}. Start it as that user, or as root give it away with 'chown -R ${wanted} ${root}', or ${elsewhere}`
      : `${whose}, and ${wanted} may make nothing in it. As root run 'install -d -o ${wanted} ${root}', or ${elsewhere}`
  )
}

/**
 * Makes the folder of the server's user, closed to everyone else. Changed by its open descriptor, so never through a
 * link.
 */
const prepareHome = async (folder: DataFolder): Promise<ReadonlyArray<string>> => {
  const { home, root, user } = folder
  await mkdir(home, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error
  })
  if ((await lstat(home)).isSymbolicLink()) throw new Error(`${home} is a symbolic link, which is not followed`)
  const handle = await openFolder(home)
  try {
    const found = await handle.stat()
    const wanted = user?.uid ?? process.geteuid?.() ?? found.uid
    if (found.uid !== wanted) {
      const safe = (await readdir(home)).length === 0 || (await stat(root)).uid === 0
      if (user === undefined || found.uid !== 0 || !safe) {
        throw new AnothersFolder(home)
      }
      await handle.chown(user.uid, user.gid)
    }
    const cluster = await lstat(folder.cluster).catch(() => undefined)
    if (cluster !== undefined && cluster.uid !== wanted) throw new AnothersFolder(folder.cluster)
    if ((found.mode & 0o077) === 0) return []
    await handle.chmod(0o700)
    return [`${home} was open to other users of this machine (mode ${modeOf(found.mode)}): it is closed to them now`]
  } finally {
    await handle.close()
  }
}

/** Whether an operator wants the server to stay stopped. */
export const isMarkedStopped = (folder: DataFolder): Effect.Effect<boolean> =>
  Effect.promise(() =>
    lstat(folder.stopped).then(
      () => true,
      () => false
    )
  )

/** Whether the folder of the socket is as `inside` leaves it. */
const hasSockets = ({ sockets, user }: DataFolder): Effect.Effect<boolean> =>
  Effect.promise(() =>
    lstat(sockets).then(
      (found) =>
        found.isDirectory() && (found.mode & 0o777) === 0o700 && found.uid === (user?.uid ?? process.geteuid?.()),
      () => false
    )
  )

const inside = `
if [ -L run ]; then echo "run in $(pwd -P) is a symbolic link, which is not followed: remove it"; exit 1; fi
[ -d run ] || mkdir run 2>/dev/null || [ -d run ]
chmod 700 run
rm -rf stopped
`

export const openDataFolder = Effect.fnUntraced(function* (
  dataDir: string
): Effect.fn.Return<DataFolder, EmbeddedError> {
  const paths = layout(dataDir)
  const user = yield* serverUser(paths)
  return { ...paths, user }
})

/** Makes missing folders, and closes those that are open to other users of the machine. */
export const prepareDataFolder = Effect.fnUntraced(function* (
  dataDir: string
): Effect.fn.Return<DataFolder, EmbeddedError> {
  const folder = yield* openDataFolder(dataDir)
  const tightened = yield* attempt(`The data folder ${folder.root} cannot be made`, () =>
    prepareRoot(folder.root, folder.user)
      .then(async (lines) => [...lines, ...(await prepareHome(folder))])
      .catch(async (error) => Promise.reject(await explained(error, folder)))
  )
  for (const line of tightened) yield* Effect.logWarning(line)
  if ((yield* hasSockets(folder)) && !(yield* isMarkedStopped(folder))) return folder
  yield* inHome(folder, `${folder.home} cannot be used`, inside)
  return folder
})

/** A socket's address is short, and a comma separates two of them. */
const isAddress = (path: string): boolean => Buffer.byteLength(path) <= maxFolderLength && !path.includes(",")

/** A link in the folder for temporary files. */
const linkTo = (sockets: string) =>
  Effect.acquireRelease(
    attempt("A short path to the socket cannot be made", async () => {
      const link = join(await mkdtemp(join(tmpdir(), "lat-")), "run")
      await symlink(sockets, link)
      return link
    }),
    (link) => Effect.promise(() => rm(join(link, ".."), { recursive: true, force: true }))
  )

/**
 * The way through an open folder: only this process has it, and nobody can remove or exchange it, as could be done with
 * a link by whoever empties the folder for temporary files.
 */
const throughDescriptor = ({ home, sockets }: DataFolder) =>
  Effect.map(
    Effect.acquireRelease(
      attempt(`${home} cannot be opened`, () => openFolder(home)),
      (handle) => Effect.promise(() => handle.close())
    ),
    ({ fd }) => join("/proc/self/fd", String(fd), basename(sockets))
  )

/** The socket folder itself where its path can be an address, or a way to it that lasts until the scope closes. */
export const socketFolder = (folder: DataFolder): Effect.Effect<string, EmbeddedError, Scope.Scope> => {
  if (isAddress(folder.sockets)) return Effect.succeed(folder.sockets)
  return process.platform === "linux" ? throughDescriptor(folder) : linkTo(folder.sockets)
}
