import { Effect } from "effect"
import { open, readdir, readFile, rename, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { binariesFor } from "./Binaries.ts"
import { run } from "./Command.ts"
import type { DataFolder } from "./DataFolder.ts"
import { attempt, EmbeddedError } from "./EmbeddedError.ts"
import { isAlive, removeStalePidFile, runningPid } from "./Postmaster.ts"
import { reaches } from "./ServerUser.ts"

/** The one role and database; whoever may enter the socket's folder is this role. */
export const databaseUser = "lat"
export const databaseName = "postgres"
export const port = 5432

/** Settings of a new cluster, in its postgresql.conf, where an operator may change them. */
const initialSettings: Readonly<Record<string, string>> = {
  shared_buffers: "128MB",
  max_connections: "200",
  timezone: "UTC",
  log_timezone: "UTC",
  log_filename: "postgresql-%a.log",
  log_truncate_on_rotation: "on",
  log_rotation_age: "1d",
  log_rotation_size: "0"
}

/** Settings that hold at every start. The socket's folder is relative to the cluster, so it is never too long. */
const fixedSettings: Readonly<Record<string, string>> = {
  listen_addresses: "''",
  port: String(port),
  unix_socket_directories: "../run",
  unix_socket_permissions: "0777",
  logging_collector: "on",
  log_directory: "../log"
}

const settings = (values: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries(values).flatMap(([name, value]) => ["-c", `${name}=${value}`])

/**
 * Hands `use` the path of `home` as the server's user can walk it. Where a folder above is closed to that user
 * (a home that only root enters), it is an open descriptor, which needs no walking.
 */
const withHome = <A>(
  folder: DataFolder,
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
      attempt(`${folder.home} cannot be opened`, () => open(folder.home, "r")),
      (handle) => use("/proc/self/fd/3", handle.fd),
      (handle) => Effect.promise(() => handle.close())
    )
  })

const program = (binaries: string, name: string): string => join(binaries, "bin", name)

const lastLine = (text: string): string => {
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  const telling = lines.findLast((line) => /FATAL|PANIC|ERROR|error:/.test(line)) ?? lines.at(-1) ?? "no reason given"
  return telling.replace(/^.*?(FATAL|PANIC|ERROR|error):\s*/, "")
}

/** Clusters that a process was making when it was killed. */
const removeUnfinished = async (folder: DataFolder): Promise<void> => {
  for (const name of await readdir(folder.home)) {
    const pid = Number(/^data\.new-(\d+)$/.exec(name)?.[1])
    if (pid > 0 && (pid === process.pid || !isAlive(pid))) {
      await rm(join(folder.home, name), { recursive: true, force: true })
    }
  }
}

/** Of several processes that make the cluster at once, the first to finish gives it its name; the others drop theirs. */
const claim = async (unfinished: string, cluster: string): Promise<void> => {
  try {
    await rename(unfinished, cluster)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    const code = error instanceof Error && "code" in error ? error.code : undefined
    if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error
  }
}

const create = Effect.fnUntraced(function* (
  folder: DataFolder,
  binaries: string
): Effect.fn.Return<void, EmbeddedError> {
  const name = `data.new-${process.pid}`
  yield* attempt(`${folder.home} cannot be read`, () => removeUnfinished(folder))
  const made = yield* withHome(folder, (home, descriptor) =>
    run(
      program(binaries, "initdb"),
      [
        ...["-D", join(home, name), "-U", databaseUser, "-A", "trust", "-E", "UTF8", "--no-instructions"],
        ...["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"],
        ...settings(initialSettings)
      ],
      { user: folder.user, folder: descriptor }
    )
  )
  if (made.code !== 0) {
    return yield* new EmbeddedError({ message: `PostgreSQL cannot make its data folder: ${lastLine(made.output)}` })
  }
  yield* attempt(`${folder.cluster} cannot be made`, () => claim(join(folder.home, name), folder.cluster))
})

const hasCluster = (folder: DataFolder): Effect.Effect<boolean> =>
  Effect.promise(() =>
    stat(join(folder.cluster, "PG_VERSION")).then(
      () => true,
      () => false
    )
  )

/** Why a start failed that another process is not already seeing to; undefined when one is. */
const reasonOf = (folder: DataFolder, output: string): Effect.Effect<string | undefined> =>
  Effect.promise(async () => {
    const said = await readFile(folder.startLog, "utf8").catch(() => output)
    return /lock file "[^"]*" (already exists|is empty)/.test(said)
      ? undefined
      : lastLine(said.trim() === "" ? output : said)
  })

/**
 * Makes the cluster where there is none and starts its server. Safe to run in several processes at once:
 * one makes and one starts, by PostgreSQL's own lock file, and for the others it is no error.
 */
export const startServer = Effect.fnUntraced(function* (folder: DataFolder): Effect.fn.Return<void, EmbeddedError> {
  const binaries = yield* binariesFor(folder.home, folder.user)
  if (!(yield* hasCluster(folder))) yield* create(folder, binaries)
  yield* removeStalePidFile(folder)
  const started = yield* withHome(folder, (home, descriptor) =>
    run(
      program(binaries, "pg_ctl"),
      [
        ...["start", "-D", join(home, "data"), "-l", join(home, "start.log"), "-w", "-t", "20", "-s"],
        ...["-o", settings(fixedSettings).join(" ")]
      ],
      { user: folder.user, folder: descriptor }
    )
  )
  if (started.code === 0) return
  const reason = yield* reasonOf(folder, started.output)
  if (reason !== undefined) return yield* new EmbeddedError({ message: `PostgreSQL does not start: ${reason}` })
})

/** `fast`: transactions are rolled back, nothing is lost. True when a server ran and is stopped now. */
export const stopServer = Effect.fnUntraced(function* (
  folder: DataFolder,
  withinSeconds: number
): Effect.fn.Return<boolean, EmbeddedError> {
  if ((yield* runningPid(folder)) === undefined) return false
  const binaries = yield* binariesFor(folder.home, folder.user)
  const ended = yield* withHome(folder, (home, descriptor) =>
    run(
      program(binaries, "pg_ctl"),
      ["stop", "-D", join(home, "data"), "-m", "fast", "-w", "-t", String(withinSeconds), "-s"],
      { user: folder.user, folder: descriptor }
    )
  )
  if (ended.code === 0 || (yield* runningPid(folder)) === undefined) return true
  return yield* new EmbeddedError({ message: `PostgreSQL does not stop: ${lastLine(ended.output)}` })
})
