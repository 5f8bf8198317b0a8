import { Effect } from "effect"
import { readFile, realpath, stat } from "node:fs/promises"
import { dirname } from "node:path"
import { attempt, EmbeddedError } from "./EmbeddedError.ts"

/** The user that PostgreSQL runs as when we are root, which it refuses to be. */
export interface ServerUser {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

const userOf = (line: string): ServerUser | undefined => {
  const [name, , uid, gid] = line.split(":")
  if (name === undefined || uid === undefined || gid === undefined) return undefined
  // Negative on some systems, where the kernel's ids are the same 32 bits without a sign.
  return { name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }
}

/**
 * Undefined when we are not root. Otherwise the owner of the cluster that is there already (a `postgres` user
 * that was added later must not lock us out of it), or `postgres`, or `nobody`.
 */
export const serverUser = Effect.fnUntraced(function* (
  cluster: string
): Effect.fn.Return<ServerUser | undefined, EmbeddedError> {
  if (process.geteuid?.() !== 0) return undefined
  const passwd = yield* attempt("The users of this machine cannot be read", () => readFile("/etc/passwd", "utf8"))
  const users = passwd.split("\n").flatMap((line) => userOf(line) ?? [])
  const found = yield* Effect.promise(() => stat(cluster).catch(() => undefined))
  if (found !== undefined && found.uid !== 0) {
    const owner = users.find((user) => user.uid === found.uid)
    return { name: owner?.name ?? String(found.uid), uid: found.uid, gid: found.gid }
  }
  const user = users.find((each) => each.name === "postgres") ?? users.find((each) => each.name === "nobody")
  if (user !== undefined) return user
  return yield* new EmbeddedError({
    message: "PostgreSQL does not run as root, and there is neither a user postgres nor a user nobody: add one of them"
  })
})

type Right = 0o1 | 0o4 | 0o5

const grants = (found: { uid: number; gid: number; mode: number }, user: ServerUser, right: Right): boolean => {
  const shift = found.uid === user.uid ? 6 : found.gid === user.gid ? 3 : 0
  return ((found.mode >> shift) & right) === right
}

/** Whether the user can walk to the path and has the right (4 read, 1 execute or enter, 5 both) to it. */
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
