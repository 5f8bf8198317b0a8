import { Effect } from "effect"
import { lstat, readFile, realpath, stat } from "node:fs/promises"
import { dirname } from "node:path"
import { attempt, EmbeddedError } from "./EmbeddedError.ts"

/** The user that PostgreSQL runs as when this process is root; PostgreSQL refuses to run as root. */
export interface ServerUser {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

const userOf = (line: string): ServerUser | undefined => {
  const [name, , uid, gid] = line.split(":")
  if (name === undefined || uid === undefined || gid === undefined) return undefined
  // Some systems print ids above 2^31 as negative numbers; the kernel's are the same 32 bits, unsigned.
  return { name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }
}

const users = async (): Promise<ReadonlyArray<ServerUser>> =>
  (await readFile("/etc/passwd", "utf8")).split("\n").flatMap((line) => userOf(line) ?? [])

/** The name of a user, or what a system without a table of users knows of them. */
export const userName = async (uid: number): Promise<string> =>
  (await users().catch(() => [])).find((user) => user.uid === uid)?.name ?? `user ${uid}`

/** The owner of an existing folder. Fails on a symbolic link. */
const ownerOf = async (path: string): Promise<{ readonly uid: number; readonly gid: number } | undefined> => {
  const found = await lstat(path).catch(() => undefined)
  if (found !== undefined && !found.isDirectory()) {
    throw new Error(found.isSymbolicLink() ? "it is a symbolic link, which root does not follow" : "it is no folder")
  }
  return found
}

/**
 * Undefined when this process is not root. Otherwise the owner of the existing cluster's home (a `postgres` user that
 * was added later must not lose access to it), or `postgres`, or `nobody`.
 */
export const serverUser = Effect.fnUntraced(function* (paths: {
  readonly home: string
  readonly cluster: string
}): Effect.fn.Return<ServerUser | undefined, EmbeddedError> {
  if (process.geteuid?.() !== 0) return undefined
  const known = yield* attempt("The users of this machine cannot be read", users)
  const home = yield* attempt(`${paths.home} cannot be used`, () => ownerOf(paths.home))
  const cluster = yield* attempt(`${paths.cluster} cannot be used`, () => ownerOf(paths.cluster))
  const found = home?.uid === 0 ? cluster : home
  if (found !== undefined && found.uid !== 0) {
    const name = known.find(({ uid }) => uid === found.uid)?.name ?? String(found.uid)
    if (cluster !== undefined && cluster.uid !== found.uid) {
      return yield* new EmbeddedError({
        message: `${paths.cluster} must belong to ${name}, as ${paths.home} does: run chown -R ${name} ${paths.home}`
      })
    }
    return { name, uid: found.uid, gid: found.gid }
  }
  const user = defaultUser(known)
  if (user !== undefined && cluster !== undefined) {
    return yield* new EmbeddedError({
      message: `${paths.cluster} belongs to root, as whom PostgreSQL does not run: run chown -R ${user.name} ${paths.home}`
    })
  }
  if (user !== undefined) return user
  return yield* new EmbeddedError({
    message: "PostgreSQL does not run as root, and there is neither a user postgres nor a user nobody: add one of them"
  })
})

const defaultUser = (users: ReadonlyArray<ServerUser>): ServerUser | undefined =>
  users.find((each) => each.name === "postgres") ?? users.find((each) => each.name === "nobody")

type Right = 0o1 | 0o4 | 0o5

const grants = (found: { uid: number; gid: number; mode: number }, user: ServerUser, right: Right): boolean => {
  const shift = found.uid === user.uid ? 6 : found.gid === user.gid ? 3 : 0
  return ((found.mode >> shift) & right) === right
}

/** Whether the user can traverse to the path and has the right to it: 4 read, 1 execute or enter, 5 both. */
export const reaches = (user: ServerUser, path: string, right: Right): Effect.Effect<boolean> =>
  Effect.promise(async () => {
    try {
      let at = await realpath(path)
      if (!grants(await stat(at), user, right)) return false
      while (dirname(at) !== at) {
        at = dirname(at)
        if (!grants(await stat(at), user, 0o1)) return false
      }
      return true
    } catch {
      return false
    }
  })
