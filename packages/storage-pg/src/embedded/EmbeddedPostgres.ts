import { lat } from "@lists-and-things/domain/text/CommandLine"
import { type Cause, Deferred, Effect, Redacted, Ref, Schedule, type Scope } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { stat } from "node:fs/promises"
import { reasonOf, sqlState } from "../connection/SqlErrors.ts"
import { locate, majorOf, type PlatformBinaries } from "./Binaries.ts"
import {
  clusterMajor,
  databaseName,
  databaseUser,
  lackOfRoom,
  port,
  restrictRunning,
  startServer,
  stopServer
} from "./Cluster.ts"
import { type DataFolder, isMarkedStopped, openDataFolder, prepareDataFolder, socketFolder } from "./DataFolder.ts"
import { EmbeddedError } from "./EmbeddedError.ts"
import { inHome } from "./Home.ts"
import { countMembers, enter, type Membership } from "./Membership.ts"
import { runningPid } from "./Postmaster.ts"
import { limitLog } from "./ServerLog.ts"

/** How a client reaches the server, valid until the scope closes. */
export interface EmbeddedConnection {
  /** The folder with the server's data and log. */
  readonly location: string
  readonly socketDir: string
  readonly port: number
  readonly user: string
  readonly database: string
  /** The same as a URL. */
  readonly url: Redacted.Redacted<string>
}

const stopWithinSeconds = 8
/** Milliseconds, as those below. */
const startWithin = 30_000
const retryEvery = 50
/** The longest pause after a start that failed; pauses double up to it, since each start takes processor time. */
const longestPause = 2_000
const reportInterval = 5_000
/** For how long a server that went away may be restarted by another process. */
const joinTimeout = 1_000

type Place = Ref.Ref<Membership | undefined>

/**
 * Why a server that answers admits nobody: a disk so full that a session cannot begin, or that the server recovers from
 * a crash again and again, and otherwise its own words.
 */
const refusalOf = Effect.fnUntraced(function* (folder: DataFolder, failure: SqlError | Cause.TimeoutError) {
  if (!isSqlError(failure) || sqlState(failure) === undefined) return undefined
  return `it refuses connections: ${(yield* lackOfRoom(folder)) ?? reasonOf(failure)}`
})

/**
 * Joins the server, and starts it when none has answered for `patient` milliseconds. By the monotonic clock, since the
 * other one may be set while a machine starts. False if an operator wants the server to stay stopped, for whom one that
 * was just started is stopped again; `anew`, a process that was just started, starts it in any case.
 */
const join = Effect.fnUntraced(function* (
  folder: DataFolder,
  sockets: string,
  place: Place,
  { anew, patient }: { readonly anew: boolean; readonly patient: number }
): Effect.fn.Return<boolean, EmbeddedError> {
  const isUnwanted = anew ? Effect.succeed(false) : isMarkedStopped(folder)
  const began = performance.now()
  let [said, problem] = [began, "it does not answer"]
  let [pause, startAt] = [retryEvery, began + patient]
  while (true) {
    const entered = yield* Effect.result(enter(sockets, (membership) => Ref.set(place, membership)))
    if (entered._tag === "Success") return true
    problem = (yield* refusalOf(folder, entered.failure)) ?? problem
    const now = performance.now()
    if (now >= startAt && (yield* runningPid(folder)) === undefined) {
      if (yield* isUnwanted) return false
      const started = yield* Effect.result(startServer(folder))
      if (yield* isUnwanted) yield* Effect.ignore(stopServer(folder, stopWithinSeconds))
      if (started._tag === "Failure") {
        problem = started.failure.message
        pause = Math.min(2 * pause, longestPause)
        startAt = performance.now() + pause
      }
    }
    if (now - began > startWithin) {
      return yield* new EmbeddedError({
        message: `The embedded PostgreSQL in ${folder.home} cannot be used: ${problem}`
      })
    }
    if (now - said >= reportInterval) {
      said = now
      yield* Effect.logWarning(`Waiting for the embedded PostgreSQL in ${folder.home}: ${problem}`)
    }
    yield* Effect.sleep(retryEvery)
  }
})

/** Rejoins whenever the server went away. After an operator stopped it, waits until another process starts it. */
const rejoin = Effect.fnUntraced(function* (folder: DataFolder, sockets: string, place: Place) {
  while (true) {
    const membership = yield* Ref.get(place)
    if (membership !== undefined) {
      yield* Deferred.await(membership.lost)
      yield* membership.close
      yield* Ref.set(place, undefined)
      yield* Effect.logWarning("The embedded PostgreSQL went away")
    }
    while (yield* isMarkedStopped(folder)) yield* Effect.sleep(250)
    yield* join(folder, sockets, place, { anew: false, patient: joinTimeout }).pipe(
      Effect.tap((joined) => (joined ? Effect.logInfo("The embedded PostgreSQL is back") : Effect.void)),
      Effect.catch((error) => Effect.logError(error.message))
    )
  }
})

/**
 * Stops the server if this is the last process that uses it, or was interrupted while it started it. A server that is
 * gone or does not answer is left alone.
 */
const leave = Effect.fnUntraced(function* (folder: DataFolder, sockets: string, place: Place) {
  if ((yield* Ref.get(place)) === undefined) yield* Effect.ignore(enter(sockets, (found) => Ref.set(place, found)))
  const membership = yield* Ref.get(place)
  if (membership === undefined) return
  if (yield* membership.leave) {
    yield* stopServer(folder, stopWithinSeconds).pipe(Effect.catch((error) => Effect.logWarning(error.message)))
  }
  yield* membership.close
})

const address = (sockets: string): Redacted.Redacted<string> =>
  Redacted.make(
    `postgres://${databaseUser}@localhost/${databaseName}?host=${encodeURIComponent(sockets)}&port=${port}`,
    { label: "embedded PostgreSQL" }
  )

const olderData = (home: string, data: number, own: number) =>
  new EmbeddedError({
    message: `The data in ${home} is of PostgreSQL ${data}, and this release brings ${own}: run '${lat("db upgrade")}', which keeps the old data beside the new`
  })

const newerData = (home: string, data: number, own: number) =>
  new EmbeddedError({
    message: `The data in ${home} is of PostgreSQL ${data}, and this release brings ${own}: use the newer release`
  })

/** Fails where the data is of another major version of PostgreSQL than the binaries, before anything is started. */
const checkMajor = Effect.fnUntraced(function* (folder: DataFolder): Effect.fn.Return<void, EmbeddedError> {
  const data = yield* clusterMajor(folder)
  if (data === undefined) return
  const own = majorOf(folder.native ?? (yield* locate))
  if (data < own) return yield* olderData(folder.home, data, own)
  if (data > own) return yield* newerData(folder.home, data, own)
})

/**
 * Joins the embedded server of a data folder until the scope closes: makes it, starts it, or finds it running. Fails
 * after 30 seconds of attempts, and at once where the data is of another major version of PostgreSQL than the binaries
 * (those of this release, unless others are given). The last process to leave stops the server.
 */
export const connect = Effect.fnUntraced(function* (
  dataDir: string,
  native?: PlatformBinaries
): Effect.fn.Return<EmbeddedConnection, EmbeddedError, Scope.Scope> {
  const folder = { ...(yield* prepareDataFolder(dataDir)), native }
  yield* checkMajor(folder)
  yield* restrictRunning(folder)
  const socketDir = yield* socketFolder(folder)
  const place = yield* Effect.acquireRelease(Ref.make<Membership | undefined>(undefined), (place) =>
    leave(folder, socketDir, place)
  )
  yield* join(folder, socketDir, place, { anew: true, patient: 0 })
  yield* Effect.forkScoped(rejoin(folder, socketDir, place))
  yield* Effect.forkScoped(limitLog(folder).pipe(Effect.ignore, Effect.repeat(Schedule.spaced("1 minute"))))
  const url = address(socketDir)
  return { location: folder.home, socketDir, port, user: databaseUser, database: databaseName, url }
})

const isCreated = (folder: DataFolder): Effect.Effect<boolean> =>
  Effect.promise(() =>
    stat(folder.cluster).then(
      () => true,
      () => false
    )
  )

/** The state of the server, which it never starts: the folder of its data and log, and what is there. */
export const status = Effect.fnUntraced(function* (dataDir: string) {
  const folder = yield* openDataFolder(dataDir)
  const created = yield* isCreated(folder)
  const pid = created ? yield* runningPid(folder) : undefined
  return {
    location: folder.home,
    created,
    running: pid !== undefined,
    pid: pid ?? null,
    user: folder.user?.name ?? null
  }
})

/** The number of processes that use the server; undefined if a running server cannot be asked. */
export const users = Effect.fnUntraced(function* (
  dataDir: string
): Effect.fn.Return<number | undefined, EmbeddedError> {
  const folder = yield* openDataFolder(dataDir)
  if ((yield* runningPid(folder)) === undefined) return 0
  const counted = Effect.flatMap(socketFolder(folder), countMembers)
  return yield* Effect.scoped(counted).pipe(Effect.orElseSucceed(() => undefined))
})

/**
 * Stops the server even while processes use it. They answer "unavailable" and bring it back within seconds; or, where it
 * is to stay down, not before a newly started process does. Returns false when no server ran; processes that are about to
 * start it heed its staying down as well.
 */
export const stop = Effect.fnUntraced(function* (
  dataDir: string,
  { staysDown }: { readonly staysDown: boolean }
): Effect.fn.Return<boolean, EmbeddedError> {
  const folder = yield* openDataFolder(dataDir)
  if (staysDown && (yield* isCreated(folder)))
    yield* inHome(folder, `${folder.stopped} cannot be written`, "rm -rf stopped; set -C; : > stopped")
  return yield* stopServer(folder, 60)
})
