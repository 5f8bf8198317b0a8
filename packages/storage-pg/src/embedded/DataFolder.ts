import { Effect } from "effect"
import { chown, mkdir, readdir, rm, stat, symlink, mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import type { Scope } from "effect"
import { attempt, type EmbeddedError } from "./EmbeddedError.ts"
import { serverUser, type ServerUser } from "./ServerUser.ts"

/** Where everything of the embedded server is. Only `home` and what is in it belongs to the server's user. */
export interface DataFolder {
  /** `LAT_DATA_DIR`. */
  readonly root: string
  readonly home: string
  /** The cluster (PGDATA). */
  readonly cluster: string
  /** Holds the socket. */
  readonly sockets: string
  /** What the server says before its own log begins. */
  readonly startLog: string
  /** There while an operator wants the server to stay stopped. */
  readonly stopped: string
  readonly user: ServerUser | undefined
}

/** The longest socket path that every system takes, with `/.s.PGSQL.5432` and a final NUL. */
const longestFolder = 104 - "/.s.PGSQL.5432".length - 1

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

const ownFolder = async (path: string, user: ServerUser | undefined): Promise<void> => {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error
  })
  if (user !== undefined && (await stat(path)).uid !== user.uid) await chown(path, user.uid, user.gid)
}

/** A folder that was there with something in it keeps its owner: it might be anything. */
const rootFolder = async (path: string, user: ServerUser | undefined): Promise<void> => {
  await mkdir(dirname(path), { recursive: true })
  const there = await readdir(path).catch(() => [])
  if (there.length === 0) await ownFolder(path, user)
}

export const openDataFolder = Effect.fnUntraced(function* (
  dataDir: string
): Effect.fn.Return<DataFolder, EmbeddedError> {
  const paths = layout(dataDir)
  const user = yield* serverUser(paths.cluster)
  return { ...paths, user }
})

/** Makes the folders that are missing. */
export const prepareDataFolder = Effect.fnUntraced(function* (
  dataDir: string
): Effect.fn.Return<DataFolder, EmbeddedError> {
  const folder = yield* openDataFolder(dataDir)
  yield* attempt(`The data folder ${folder.root} cannot be made`, async () => {
    await rootFolder(folder.root, folder.user)
    for (const path of [folder.home, folder.sockets]) await ownFolder(path, folder.user)
  })
  return folder
})

/**
 * A path of the socket folder that is short enough for a socket's address: the folder itself, or while the
 * scope is open a link to it.
 */
export const socketFolder = (folder: DataFolder): Effect.Effect<string, EmbeddedError, Scope.Scope> =>
  Buffer.byteLength(folder.sockets) <= longestFolder
    ? Effect.succeed(folder.sockets)
    : Effect.acquireRelease(
        attempt("A short way to the socket cannot be made", async () => {
          const link = join(await mkdtemp(join(tmpdir(), "lat-")), "run")
          await symlink(folder.sockets, link)
          return link
        }),
        (link) => Effect.promise(() => rm(join(link, ".."), { recursive: true, force: true }))
      )
