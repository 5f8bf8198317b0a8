import { Effect } from "effect"
import { constants } from "node:fs"
import { open } from "node:fs/promises"
import { run } from "./Command.ts"
import { attempt, EmbeddedError } from "./EmbeddedError.ts"
import { reaches, type ServerUser } from "./ServerUser.ts"

/** The folder of the user who runs the server. */
export interface Home {
  /** `LAT_DATA_DIR`. */
  readonly root: string
  readonly home: string
  /** Undefined when it is the current one. */
  readonly user: ServerUser | undefined
}

/** Opens the folder itself; fails on a symbolic link of that name. */
export const openFolder = (path: string) =>
  open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)

/**
 * Passes `use` a path of `home` that the server's user can traverse. If a folder above is closed to that user (a home
 * directory that only root enters), the path is that of an open descriptor, which needs no traversal.
 */
export const withHome = <A>(
  folder: Home,
  use: (home: string, descriptor: number | undefined) => Effect.Effect<A, EmbeddedError>
): Effect.Effect<A, EmbeddedError> =>
  Effect.gen(function* () {
    const { user } = folder
    if (user === undefined || (yield* reaches(user, folder.home, 0o1))) return yield* use(folder.home, undefined)
    if (process.platform !== "linux") {
      return yield* new EmbeddedError({
        message: `PostgreSQL runs as ${user.name}, who cannot enter ${folder.root}: set LAT_DATA_DIR to a folder elsewhere`
      })
    }
    return yield* Effect.acquireUseRelease(
      attempt(`${folder.home} cannot be opened`, async () => {
        const handle = await openFolder(folder.home)
        if ((await handle.stat()).uid === user.uid) return handle
        await handle.close()
        throw new Error(`it does not belong to ${user.name}`)
      }),
      (handle) => use("/proc/self/fd/3", handle.fd),
      (handle) => Effect.promise(() => handle.close())
    )
  })

/**
 * Runs a shell script in `home` as the server's user and returns its output. Changes in that user's folders are made
 * with that user's rights only, so a symbolic link to elsewhere gains nothing from root.
 */
export const inHome = (
  folder: Home,
  what: string,
  script: string,
  args: ReadonlyArray<string> = []
): Effect.Effect<string, EmbeddedError> =>
  Effect.flatMap(
    withHome(folder, (home, descriptor) =>
      run("/bin/sh", ["-euc", `umask 077; cd "$0"; ${script}`, home, ...args], {
        user: folder.user,
        folder: descriptor
      })
    ),
    ({ code, output }) =>
      code === 0
        ? Effect.succeed(output.trim())
        : Effect.fail(new EmbeddedError({ message: `${what}: ${output.trim().split("\n").at(-1) ?? code}` }))
  )
