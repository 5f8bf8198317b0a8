import { Clock, Deferred, Effect, Redacted, Ref, Schedule, type Scope } from "effect"
import { lstat, stat } from "node:fs/promises"
import { databaseName, databaseUser, port, restrictRunning, startServer, stopServer } from "./Cluster.ts"
import { type DataFolder, openDataFolder, prepareDataFolder, socketFolder } from "./DataFolder.ts"
import { EmbeddedError } from "./EmbeddedError.ts"
import { inHome } from "./Home.ts"
import { enter, type Membership } from "./Membership.ts"
import { runningPid } from "./Postmaster.ts"
import { limitLog } from "./ServerLog.ts"

/** How a client reaches the server while the scope it was opened in lasts. */
export interface EmbeddedConnection {
  /** The folder with the server's data and log. */
  readonly location: string
  readonly socketDir: string
  readonly port: number
  readonly user: string
  readonly database: string
  /** The same as one address. */
  readonly url: Redacted.Redacted<string>
}

export interface EmbeddedStatus {
  readonly location: string
  readonly created: boolean
  readonly running: boolean
  readonly pid: number | null
  /** Whom the server runs as, where that is another user than ours. */
  readonly user: string | null
}

const startWithin = 30_000
const stopWithinSeconds = 8
const retryEvery = 50
const sayEvery = 5_000
/** A server that goes away may be on its way back by another hand. */
const joinTimeout = 1_000

type Place = Ref.Ref<Membership | undefined>

/** Takes a place at the server, starting it where none answers for `patient` milliseconds. */
const join = Effect.fnUntraced(function* (
  folder: DataFolder,
  sockets: string,
  place: Place,
  patient: number
): Effect.fn.Return<void, EmbeddedError> {
  const began = yield* Clock.currentTimeMillis
  let [said, problem] = [began, "it does not answer"]
  while (true) {
    const entered = yield* Effect.result(enter(sockets, (membership) => Ref.set(place, membership)))
    if (entered._tag === "Success") return
    const now = yield* Clock.currentTimeMillis
    if (now - began >= patient && (yield* runningPid(folder)) === undefined) {
      const started = yield* Effect.result(startServer(folder))
      if (started._tag === "Failure") problem = started.failure.message
    }
    if (now - began > startWithin) {
      return yield* new EmbeddedError({
        message: `The embedded PostgreSQL in ${folder.home} cannot be used: ${problem}`
      })
    }
    if (now - said >= sayEvery) {
      said = now
      yield* Effect.logWarning(`Waiting for the embedded PostgreSQL in ${folder.home}: ${problem}`)
    }
    yield* Effect.sleep(retryEvery)
  }
})

const isMarkedStopped = (folder: DataFolder): Effect.Effect<boolean> =>
  Effect.promise(() =>
    lstat(folder.stopped).then(
      () => true,
      () => false
    )
  )

/** Comes back whenever the server went away, unless an operator stopped it: then with whoever starts it next. */
const stayIn = Effect.fnUntraced(function* (folder: DataFolder, sockets: string, place: Place) {
  while (true) {
    const membership = yield* Ref.get(place)
    if (membership !== undefined) {
      yield* Deferred.await(membership.lost)
      yield* membership.close
      yield* Ref.set(place, undefined)
      yield* Effect.logWarning("The embedded PostgreSQL went away")
    }
    while (yield* isMarkedStopped(folder)) yield* Effect.sleep(250)
    yield* join(folder, sockets, place, joinTimeout).pipe(
      Effect.tap(() => Effect.logInfo("The embedded PostgreSQL is back")),
      Effect.catch((error) => Effect.logError(error.message))
    )
  }
})

/** The last one out stops the server. A server that is gone already, or does not answer, is left alone. */
const leave = Effect.fnUntraced(function* (folder: DataFolder, place: Place) {
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

/**
 * Joins the embedded server of a data folder for as long as the scope lasts: makes it, starts it, or finds it
 * running. Tries for 30 seconds. The last process to leave stops it.
 */
export const connect = Effect.fnUntraced(function* (
  dataDir: string
): Effect.fn.Return<EmbeddedConnection, EmbeddedError, Scope.Scope> {
  const folder = yield* prepareDataFolder(dataDir)
  yield* restrictRunning(folder)
  const socketDir = yield* socketFolder(folder)
  const place = yield* Effect.acquireRelease(Ref.make<Membership | undefined>(undefined), (place) =>
    leave(folder, place)
  )
  yield* join(folder, socketDir, place, 0)
  yield* Effect.forkScoped(stayIn(folder, socketDir, place))
  yield* Effect.forkScoped(limitLog(folder).pipe(Effect.ignore, Effect.repeat(Schedule.spaced("1 minute"))))
  const url = address(socketDir)
  return { location: folder.home, socketDir, port, user: databaseUser, database: databaseName, url }
})

/** Starts nothing. */
export const status = Effect.fnUntraced(function* (dataDir: string): Effect.fn.Return<EmbeddedStatus, EmbeddedError> {
  const folder = yield* openDataFolder(dataDir)
  const created = yield* Effect.promise(() =>
    stat(folder.cluster).then(
      () => true,
      () => false
    )
  )
  const pid = created ? yield* runningPid(folder) : undefined
  return {
    location: folder.home,
    created,
    running: pid !== undefined,
    pid: pid ?? null,
    user: folder.user?.name ?? null
  }
})

/**
 * Stops the server whoever uses it: those processes answer "unavailable" until one that starts anew brings the
 * server back, and then go on. False when none ran.
 */
export const stop = Effect.fnUntraced(function* (dataDir: string): Effect.fn.Return<boolean, EmbeddedError> {
  const folder = yield* openDataFolder(dataDir)
  if ((yield* runningPid(folder)) === undefined) return false
  yield* inHome(folder, `${folder.stopped} cannot be written`, "rm -rf stopped; set -C; : > stopped")
  return yield* stopServer(folder, 60)
})
