import { Effect, Fiber } from "effect"
import { isRunning } from "../days/ClockSkew.ts"
import { currentTime, type EpochMillis, msPerDay, msPerMinute } from "../model/EpochMillis.ts"
import { type KnownServer, ServerStore } from "../ports/ServerStore.ts"

/** Milliseconds between two heartbeats of a server. */
export const heartbeatMillis = msPerMinute
/** Milliseconds until a heartbeat that could not be stored is repeated. */
const retryMillis = 5_000
/** Milliseconds without a heartbeat after which a server counts as silent: one may be late. */
const silentAfter = 2.5 * heartbeatMillis
/** Milliseconds for which the address of a server is remembered: thirty days. */
export const serverLifetime = 30 * msPerDay

/** Milliseconds that storing the stop of a server may take. */
const stopMillis = 1_000

/** Where people and programs reach this installation, as far as its storage knows. */
export type ServerAddress =
  | { readonly _tag: "Running" | "Stopped" | "Silent"; readonly server: KnownServer }
  | { readonly _tag: "Unknown" }

const stateOf = (server: KnownServer, now: EpochMillis): "Running" | "Stopped" | "Silent" => {
  if (server.stopped !== null) return "Stopped"
  return isRunning(server.seen, silentAfter, now) ? "Running" : "Silent"
}

/** One that runs comes before one that does not, one on this machine before another's, then the newest start. */
export const decideAddress = (
  servers: ReadonlyArray<KnownServer>,
  machine: string,
  now: EpochMillis
): ServerAddress => {
  const [first] = servers
    .map((server) => ({ _tag: stateOf(server, now), server }))
    .toSorted(
      (a, b) =>
        Number(b._tag === "Running") - Number(a._tag === "Running") ||
        Number(b.server.machine === machine) - Number(a.server.machine === machine) ||
        b.server.started - a.server.started
    )
  return first ?? { _tag: "Unknown" }
}

/** Seen from the machine of this name. */
export const serverAddress = Effect.fnUntraced(function* (machine: string) {
  const { all } = yield* ServerStore
  return decideAddress(yield* all, machine, yield* currentTime)
})

const moment = (at: EpochMillis): string => `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`

/** What is assumed of an address at which no server is known to answer now; undefined where one is. */
export const assumption = (address: ServerAddress): string | undefined => {
  switch (address._tag) {
    case "Running":
      return undefined
    case "Stopped":
      return `No server runs; this is where one answered until ${moment(address.server.stopped ?? address.server.seen)}.`
    case "Silent":
      return `This is where a server answered, which last said so at ${moment(address.server.seen)}: it may have died.`
    case "Unknown":
      return "No server has run yet; this is where one answers unless it is told otherwise."
  }
}

/**
 * Stores a heartbeat with the address of this server now and every minute, and its stop when the scope closes. A
 * heartbeat that could not be stored is repeated after five seconds.
 */
export const announceServer = Effect.fnUntraced(function* (
  server: Pick<KnownServer, "machine" | "host" | "port" | "url">
) {
  const store = yield* ServerStore
  const started = yield* currentTime
  /** Returns the milliseconds until the next one. */
  const heartbeat = (isStopped: boolean) =>
    Effect.flatMap(currentTime, (now) =>
      store.put({ ...server, started, seen: now, stopped: isStopped ? now : null })
    ).pipe(
      Effect.as(heartbeatMillis),
      Effect.catch((error) =>
        Effect.as(Effect.logDebug("Where this server answers was not stored", error), retryMillis)
      )
    )
  // Detached, since a storage that does not answer delays the interruption of a write as well.
  yield* Effect.addFinalizer(() =>
    Effect.flatMap(Effect.forkDetach(heartbeat(true)), (fiber) =>
      Effect.timeoutOption(Effect.interruptible(Fiber.await(fiber)), stopMillis)
    )
  )
  const pause = yield* heartbeat(false)
  const heartbeats = Effect.forever(Effect.flatMap(heartbeat(false), Effect.sleep))
  yield* Effect.forkScoped(Effect.andThen(Effect.sleep(pause), heartbeats))
})
