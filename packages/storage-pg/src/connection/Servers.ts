import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Latch, type Scope } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import * as Net from "node:net"
import type { PgStorageConfig } from "./PgStorageConfig.ts"
import { type Address, databaseUrl, type DatabaseUrl } from "./DatabaseUrl.ts"
import { InFlight } from "./InFlight.ts"
import { pause } from "./Retry.ts"
import { isReadOnly, isUnreachable, ResponseTimeout } from "./SqlErrors.ts"

/** The servers of one database, of which one accepts writes. */
export interface Servers {
  /** How the driver opens a connection to the server that is in use. */
  readonly driver: Pick<PgConnection.Config, "url" | "stream" | "ssl">
  /** Looks for the server that accepts writes, if this failure of a statement may mean that it has changed. */
  readonly noticed: ((failure: unknown) => void) | undefined
  /** `host:port` of the server that is in use; undefined where there is only one. */
  readonly inUse: () => string | undefined
  /** `host:port` of the others that accepted writes when they were last asked. */
  readonly otherWritable: () => ReadonlyArray<string>
}

/**
 * A socket that closes itself when the server stops responding. A frozen server or a blackholed network never answers,
 * and no timeout on the server can end that.
 */
export const openSocket = (address: Address, inFlight: InFlight): Net.Socket => {
  const socket =
    address.path === undefined
      ? Net.connect({ host: address.host, port: address.port, noDelay: true, keepAlive: true })
      : Net.connect({ path: address.path })
  // The driver listens for errors only while it holds the connection.
  socket.on("error", () => undefined)
  inFlight.add(socket)
  // A listener that is given to `setTimeout` is called once: an idle connection would wait for ever afterwards.
  socket.on("timeout", () => {
    if (inFlight.statements > 0) socket.destroy(new ResponseTimeout("The server gave no answer in time"))
  })
  return socket
}

/** Milliseconds until a server that does not say whether it accepts writes is passed over. */
const answerWithin = 1_000
/** Milliseconds between two rounds in which no server accepted writes. */
const betweenRounds = 200

/** SQL for whether the server accepts writes. */
export const acceptsWrites = "not pg_is_in_recovery() and current_setting('default_transaction_read_only') = 'off'"

/** SQL for the number of the server's timeline: a standby begins a new one when it is promoted. */
const timeline = "('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int8::float8"

/** The timeline of a server that accepts writes; 0 where it does not tell, as with some providers. */
const timelineOf = (connection: PgConnection.PgConnection): Effect.Effect<number> =>
  connection.query(`select ${timeline} as n`).pipe(
    Effect.map(({ rows }) => Number(rows[0]?.["n"])),
    Effect.orElseSucceed(() => 0)
  )

/**
 * Which server is to be used, by the timelines of those that accept writes, in the order of the URL: the first of the
 * latest timeline, and none of an earlier one than that which was in use. A former primary that comes back accepts writes
 * on an earlier one, and lacks what was written since.
 */
export const preferred = (timelines: ReadonlyArray<number | undefined>, inUse: number): number | undefined => {
  const latest = Math.max(...timelines.map((timeline) => timeline ?? -1))
  return latest < inUse ? undefined : timelines.indexOf(latest)
}

/** Asks on a connection of its own, for the timeline of a server that accepts writes. */
const askForTimeline = (url: DatabaseUrl, address: Address, ssl: PgConnection.Config["ssl"]) =>
  PgConnection.make({
    url: url.driverUrl,
    stream: () => {
      const inFlight = new InFlight()
      inFlight.statements = 1
      return openSocket(address, inFlight)
    },
    ssl,
    connectTimeout: answerWithin,
    prepare: false
  }).pipe(
    Effect.flatMap((connection) =>
      Effect.flatMap(connection.query(`select ${acceptsWrites} as yes`), ({ rows }) =>
        rows[0]?.["yes"] === true ? timelineOf(connection) : Effect.undefined
      )
    ),
    Effect.scoped,
    Effect.catchCause(() => Effect.undefined),
    Effect.raceFirst(Effect.andThen(pause(answerWithin), Effect.undefined))
  )

/** The server cannot be reached, or it only reads. */
const mayHaveMoved = (failure: SqlError): boolean => isUnreachable(failure) || isReadOnly(failure)

const only = (url: DatabaseUrl, inFlight: InFlight): Servers => ({
  driver: { url: url.driverUrl, stream: () => openSocket(url.addresses[0], inFlight), ssl: undefined },
  noticed: undefined,
  inUse: () => undefined,
  otherWritable: () => []
})

/** The host for which a certificate must be valid. Addresses have no server name. */
const identityOf = ({ host }: Address) => ({ host, servername: Net.isIP(host) === 0 ? host : "" })

const nameOf = ({ host, port }: Address) => `${host}:${port}`

/** Of several servers the one that is in use, and the sockets that lead to it. */
class ServerInUse {
  readonly #inFlight: InFlight
  readonly #sockets = new Map<Net.Socket, Address>()
  #address: Address
  /** Of the server when it was found to accept writes; 0 before one was found. */
  #timeline = 0

  constructor(first: Address, inFlight: InFlight) {
    this.#address = first
    this.#inFlight = inFlight
  }

  get address(): Address {
    return this.#address
  }

  get timeline(): number {
    return this.#timeline
  }

  /** Uses this one from now on, and closes the connections to others. */
  use(address: Address, timeline: number): Effect.Effect<void> {
    return Effect.suspend(() => {
      const changed = address !== this.#address
      this.#address = address
      this.#timeline = timeline
      for (const [socket, of] of this.#sockets) if (of !== address) socket.destroy()
      return changed
        ? Effect.logWarning(`The database at ${nameOf(address)} accepts writes now: it is used`)
        : Effect.void
    })
  }

  openSocket(): Net.Socket {
    const socket = openSocket(this.#address, this.#inFlight)
    this.#sockets.set(socket, this.#address)
    return socket.once("close", () => this.#sockets.delete(socket))
  }
}

/** As `identityOf` the server that is in use whenever the driver reads it, which it does when it connects. */
const identityInUse = (inUse: ServerInUse) => ({
  get host() {
    return identityOf(inUse.address).host
  },
  get servername() {
    return identityOf(inUse.address).servername
  }
})

/** The servers that accept writes and are not used. */
class UnusedServers {
  /** `host:port` of each. */
  names: ReadonlyArray<string> = []

  /** Logs once for each that is new. */
  found(names: ReadonlyArray<string>, why: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      const isNew = names.some((name) => !this.names.includes(name))
      this.names = names
      return isNew
        ? Effect.logWarning(
            `The database at ${names.join(", ")} accepts writes and is not used, ${why}. Stop it, or let it follow: what is written there is not seen here.`
          )
        : Effect.void
    })
  }
}

/** Asks each server of the URL, in its order; undefined for one that accepts no writes. */
const askForTimelines = (url: DatabaseUrl) =>
  Effect.forEach(
    url.addresses,
    (address) => askForTimeline(url, address, url.verifiesHost ? identityOf(address) : undefined),
    { concurrency: "unbounded" }
  )

/** Uses, of several servers, the one that accepts writes, and switches when that changes. */
const several = (url: DatabaseUrl, inFlight: InFlight): Effect.Effect<Servers, never, Scope.Scope> =>
  Effect.gen(function* () {
    const inUse = new ServerInUse(url.addresses[0], inFlight)
    const unused = new UnusedServers()
    const isSuspected = Latch.makeUnsafe(true)

    const find: Effect.Effect<void> = Effect.gen(function* () {
      yield* isSuspected.await
      yield* isSuspected.close
      const timelines = yield* askForTimelines(url)
      const at = preferred(timelines, inUse.timeline)
      const others = url.addresses.filter((_, of) => of !== at && timelines[of] !== undefined).map(nameOf)
      if (at === undefined) {
        yield* unused.found(others, `since it lacks what was written at ${nameOf(inUse.address)}`)
        yield* pause(betweenRounds)
        return yield* isSuspected.open
      }
      yield* inUse.use(url.addresses[at]!, timelines[at]!)
      yield* unused.found(others, `since ${nameOf(inUse.address)} is`)
    })

    yield* find
    yield* Effect.forkScoped(Effect.forever(find))
    return {
      driver: {
        url: url.driverUrl,
        stream: () => inUse.openSocket(),
        ssl: url.verifiesHost ? identityInUse(inUse) : undefined
      },
      noticed: (failure) => {
        if (isSqlError(failure) && mayHaveMoved(failure)) isSuspected.openUnsafe()
      },
      inUse: () => nameOf(inUse.address),
      otherWritable: () => unused.names
    }
  })

/** The servers of the URL. Waits for one round of questions where there are several. */
export const makeServers = (
  config: PgStorageConfig,
  inFlight: InFlight
): Effect.Effect<Servers, never, Scope.Scope> => {
  const url = databaseUrl(config.url)
  return url.addresses.length === 1 ? Effect.succeed(only(url, inFlight)) : several(url, inFlight)
}
