import { Effect, Schedule } from "effect"
import { lstat, readdir, rename, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { restrictAccess } from "./Authentication.ts"
import { freeBytes, mebibytes } from "../connection/FreeSpace.ts"
import { binariesFor, removeOtherCopies } from "./Binaries.ts"
import { run } from "./Command.ts"
import type { DataFolder } from "./DataFolder.ts"
import { attempt, EmbeddedError } from "./EmbeddedError.ts"
import { inHome, withHome } from "./Home.ts"
import { readPlainFile } from "./PlainFile.ts"
import { limitLog, logFiles, rotateAfterMebibytes } from "./ServerLog.ts"
import { removeStaleLocks, runningPid } from "./Postmaster.ts"
import { isAlive } from "./ProcessState.ts"

/** The only role and database. Authentication.ts defines who may connect as this role. */
export const databaseUser = "lat"
export const databaseName = "postgres"
export const port = 5432

/** Settings of a new cluster, in its postgresql.conf. An operator may change them there. */
const initialSettings: Readonly<Record<string, string>> = {
  shared_buffers: "128MB",
  max_connections: "200",
  timezone: "UTC",
  log_timezone: "UTC"
}

/**
 * Settings that apply at every start. The socket's folder is relative to the cluster, so its path is always short
 * enough.
 */
const fixedSettings: Readonly<Record<string, string>> = {
  listen_addresses: "''",
  port: String(port),
  unix_socket_directories: "../run",
  unix_socket_permissions: "0777",
  logging_collector: "on",
  log_directory: "../log",
  log_filename: "postgresql-%Y%m%d-%H%M%S.log",
  log_rotation_age: "7d",
  log_rotation_size: `${rotateAfterMebibytes}MB`
}

const settings = (values: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries(values).flatMap(([name, value]) => ["-c", `${name}=${value}`])

/**
 * Runs one of PostgreSQL's programs as the server's user. `args` are given a path of `home` that this user can traverse.
 */
const runProgram = Effect.fnUntraced(function* (
  folder: DataFolder,
  name: "initdb" | "pg_ctl",
  args: (home: string) => ReadonlyArray<string>
) {
  const binaries = yield* binariesFor(folder.root, folder.home, folder.user, folder.native)
  return yield* withHome(folder, (home, descriptor) =>
    run(join(binaries, "bin", name), args(home), { user: folder.user, folder: descriptor })
  )
})

/** Lines in which `pg_ctl` says only that there is a reason elsewhere. */
const withoutReason = /^(?:pg_ctl: could not start server|Examine the log output\.)?\s*$/

const lastLine = (text: string): string => {
  const lines = text.split("\n").filter((line) => !withoutReason.test(line))
  const telling =
    lines.findLast((line) => /No space left on device/.test(line)) ??
    lines.findLast((line) => /(FATAL|PANIC|ERROR|error):\s*\S/.test(line)) ??
    lines.at(-1) ??
    "no reason given"
  return telling.replace(/^.*?(FATAL|PANIC|ERROR|error):\s*/, "")
}

/** Bytes that a start writes at least: a segment of the write-ahead log. */
const neededBytes = 16 * 1_048_576

/**
 * Names a disk that is too full for PostgreSQL, which cannot report that itself when there is no room for its log;
 * undefined where there is room.
 */
export const lackOfRoom = (folder: DataFolder): Effect.Effect<string | undefined> =>
  Effect.promise(() =>
    freeBytes(folder.home).then(
      (free) => (free < neededBytes ? `only ${mebibytes(free)} are free on its disk: make room there` : undefined),
      () => undefined
    )
  )

/** The failure of a start. */
const notStarted = (folder: DataFolder, reason: string): Effect.Effect<never, EmbeddedError> =>
  Effect.flatMap(
    lackOfRoom(folder),
    (room) => new EmbeddedError({ message: `PostgreSQL does not start: ${room ?? reason}` })
  )

/** Removes clusters whose process was killed before `initdb` finished. */
const removeUnfinished = (folder: DataFolder): Effect.Effect<void, EmbeddedError> =>
  Effect.gen(function* () {
    const names = yield* attempt(`${folder.home} cannot be read`, () => readdir(folder.home))
    const left = names.filter((name) => {
      const pid = Number(/^data\.new-(\d+)$/.exec(name)?.[1])
      return pid > 0 && (pid === process.pid || !isAlive(pid))
    })
    if (left.length > 0) yield* remove(folder, left)
  })

const remove = (folder: DataFolder, names: ReadonlyArray<string>): Effect.Effect<string, EmbeddedError> =>
  inHome(folder, "An unfinished cluster cannot be removed", `rm -rf -- "$@"`, names)

/**
 * Of several processes that make the cluster concurrently, the first to finish renames its own into place; the others
 * remove theirs. Both names are in a folder of the server's user, who could do the same.
 */
const claim = (folder: DataFolder, name: string): Effect.Effect<void, EmbeddedError> =>
  Effect.gen(function* () {
    const refused = yield* Effect.promise(() =>
      rename(join(folder.home, name), folder.cluster).then(
        () => undefined,
        (error: NodeJS.ErrnoException) => error
      )
    )
    if (refused === undefined) return
    yield* remove(folder, [name])
    if (refused.code === "ENOTEMPTY" || refused.code === "EEXIST") return
    return yield* new EmbeddedError({ message: `${folder.cluster} cannot be made: ${refused.message}` })
  })

const create = Effect.fnUntraced(function* (folder: DataFolder): Effect.fn.Return<void, EmbeddedError> {
  const name = `data.new-${process.pid}`
  yield* removeUnfinished(folder)
  const made = yield* runProgram(folder, "initdb", (home) => [
    ...["-D", join(home, name), "-U", databaseUser, "-A", "trust", "-E", "UTF8", "--no-instructions"],
    ...["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"],
    ...settings(initialSettings)
  ])
  if (made.code !== 0) {
    return yield* new EmbeddedError({ message: `PostgreSQL cannot make its data folder: ${lastLine(made.output)}` })
  }
  yield* restrictAccess(folder, name)
  yield* claim(folder, name)
})

const hasCluster = (folder: DataFolder): Effect.Effect<boolean> =>
  Effect.promise(() =>
    stat(join(folder.cluster, "PG_VERSION")).then(
      () => true,
      () => false
    )
  )

/** The major version of the cluster; undefined where there is none. */
export const clusterMajor = (folder: DataFolder): Effect.Effect<number | undefined> =>
  Effect.promise(() =>
    readPlainFile(join(folder.cluster, "PG_VERSION")).then(
      (text) => Number.parseInt(text, 10) || undefined,
      () => undefined
    )
  )

/** The name under which an upgraded cluster waits to take the place of the old one. */
const upgraded = "data.upgraded"

/** Completes an upgrade that was interrupted between its last two steps. */
const finishUpgrade = (folder: DataFolder): Effect.Effect<void, EmbeddedError> =>
  Effect.gen(function* () {
    if (yield* hasCluster(folder)) return
    yield* Effect.promise(() => rename(join(folder.home, upgraded), folder.cluster).catch(() => undefined))
  })

/**
 * Puts a cluster in place of the folder's, which is kept under a name that tells its version and the time; returns its
 * path. The server of neither runs. Interrupted at any point, the next start has the old cluster or the new one.
 */
export const replaceCluster = (
  folder: DataFolder,
  cluster: string,
  kept: string
): Effect.Effect<string, EmbeddedError> =>
  attempt(`The upgraded cluster cannot take its place in ${folder.home}`, async () => {
    await rm(join(folder.home, upgraded), { recursive: true, force: true })
    await rename(cluster, join(folder.home, upgraded))
    await rename(folder.cluster, join(folder.home, kept))
    await rename(join(folder.home, upgraded), folder.cluster)
    return join(folder.home, kept)
  })

/** A file of the server's user and its size when a start began. */
interface Mark {
  readonly path: string
  readonly bytes: number
}

const markOf = (path: string): Promise<Mark> =>
  lstat(path).then(
    ({ size }) => ({ path, bytes: size }),
    () => ({ path, bytes: 0 })
  )

/** What was written to a file since its mark; empty if there is none. */
const writtenSince = ({ bytes, path }: Mark): Promise<string> =>
  readPlainFile(path).then(
    (text) => Buffer.from(text).subarray(bytes).toString(),
    () => ""
  )

/** The newest file of the server's own log; several starts within a second share one. */
const newestLog = async (folder: DataFolder): Promise<string> => (await logFiles(folder)).at(-1) ?? ""

interface Marks {
  readonly startLog: Mark
  readonly log: Mark
}

const marksOf = (folder: DataFolder): Effect.Effect<Marks> =>
  Effect.promise(async () => ({ startLog: await markOf(folder.startLog), log: await markOf(await newestLog(folder)) }))

const redirected = "redirecting log output to logging collector process"

const hasEnding = (log: string): boolean => /(FATAL|PANIC):/.test(log)

/** Log that the server wrote since a start began, once it says why it ended; after a second, what is there. */
const logSince = (folder: DataFolder, { log }: Marks): Effect.Effect<string> =>
  Effect.promise(async () => {
    const path = await newestLog(folder)
    return writtenSince(path === log.path ? log : { path, bytes: 0 })
  }).pipe(Effect.repeat({ until: hasEnding, schedule: Schedule.spaced(50), times: 20 }))

/** Reason for a failed start; undefined when another process is already starting the server. */
const reasonOf = Effect.fnUntraced(function* (folder: DataFolder, output: string, marks: Marks) {
  const said = yield* Effect.promise(() => writtenSince(marks.startLog))
  if (/lock file "[^"]*" (already exists|is empty)/.test(said)) return undefined
  // The process that writes the log may end after the server.
  const logged = said.includes(redirected) ? yield* logSince(folder, marks) : ""
  return lastLine([logged, said, output].find((text) => text.trim() !== "") ?? "")
})

/**
 * Makes the cluster if there is none and starts its server. Safe to run in several processes at once: one makes the
 * cluster and one starts it, by PostgreSQL's own lock file; the others do not fail.
 */
export const startServer = Effect.fnUntraced(function* (folder: DataFolder): Effect.fn.Return<void, EmbeddedError> {
  yield* finishUpgrade(folder)
  if (!(yield* hasCluster(folder))) yield* create(folder)
  yield* removeStaleLocks(folder)
  yield* limitLog(folder)
  const marks = yield* marksOf(folder)
  const started = yield* runProgram(folder, "pg_ctl", (home) => [
    ...["start", "-D", join(home, "data"), "-l", join(home, "start.log"), "-w", "-t", "20", "-s"],
    ...["-o", settings(fixedSettings).join(" ")]
  ])
  if (started.code === 0) {
    // The next start tries it again.
    return yield* Effect.ignore(removeOtherCopies(folder.root, folder.home, folder.user, folder.native))
  }
  const reason = yield* reasonOf(folder, started.output, marks)
  if (reason !== undefined) return yield* notStarted(folder, reason)
})

/** Applies the current authentication rules to a cluster of an earlier version; its running server reloads them. */
export const restrictRunning = Effect.fnUntraced(function* (folder: DataFolder): Effect.fn.Return<void, EmbeddedError> {
  if (!(yield* restrictAccess(folder, "data")) || (yield* runningPid(folder)) === undefined) return
  const told = yield* runProgram(folder, "pg_ctl", (home) => ["reload", "-D", join(home, "data"), "-s"])
  if (told.code !== 0 && (yield* runningPid(folder)) !== undefined) {
    return yield* new EmbeddedError({ message: `PostgreSQL does not read its rules anew: ${lastLine(told.output)}` })
  }
})

/**
 * Stops in `fast` mode: open transactions are rolled back, committed data is kept. Returns true when a running server
 * was stopped.
 */
export const stopServer = Effect.fnUntraced(function* (
  folder: DataFolder,
  withinSeconds: number
): Effect.fn.Return<boolean, EmbeddedError> {
  if ((yield* runningPid(folder)) === undefined) return false
  const ended = yield* runProgram(folder, "pg_ctl", (home) => [
    ...["stop", "-D", join(home, "data"), "-m", "fast"],
    ...["-w", "-t", String(withinSeconds), "-s"]
  ])
  if (ended.code === 0 || (yield* runningPid(folder)) === undefined) return true
  return yield* new EmbeddedError({ message: `PostgreSQL does not stop: ${lastLine(ended.output)}` })
})
