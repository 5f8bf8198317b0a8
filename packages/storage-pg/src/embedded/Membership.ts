import * as PgConnection from "@effect/sql-pg/PgConnection"
import { type Cause, Deferred, Effect, Exit, Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as Net from "node:net"
import { databaseName, databaseUser, port } from "./Cluster.ts"

/**
 * Advisory lock that every process holds shared while it uses the server. Whoever acquires it exclusively is the last
 * one.
 */
const membershipLock = 7_236_194_501

/** One process's membership among those that use the server. */
export interface Membership {
  /** Completes when the server closes the session, which a healthy server does not do. */
  readonly lost: Deferred.Deferred<void>
  /** Ends the membership. True when no other process has one; then none can enter until `close`. */
  readonly leave: Effect.Effect<boolean>
  readonly close: Effect.Effect<void>
}

const answerWithin = 2_000
const stopWithin = 10_000

const lock = (connection: PgConnection.PgConnection, call: string): Effect.Effect<unknown, SqlError> =>
  Effect.map(connection.queryValues(`select ${call}(${membershipLock})`, [], false), (rows) => rows[0]?.[0])

/** `cut` ends the session: the interruption of a statement would wait for a server that does not answer as well. */
export const leave = (connection: PgConnection.PgConnection, cut: () => void): Effect.Effect<boolean> => {
  const left = lock(connection, "pg_advisory_unlock_shared").pipe(
    Effect.andThen(lock(connection, "pg_try_advisory_lock")),
    Effect.map((alone) => alone === true),
    Effect.orElseSucceed(() => false)
  )
  const cutLate = Effect.andThen(Effect.sleep(answerWithin), Effect.sync(cut))
  return Effect.scoped(Effect.andThen(Effect.forkScoped(cutLate), left))
}

const membershipName = "lists-and-things-membership"

const connect = (sockets: string, applicationName: string, opened: (socket: Net.Socket) => void) =>
  PgConnection.make({
    stream: () => {
      const socket = Net.connect({ path: `${sockets}/.s.PGSQL.${port}` })
      opened(socket)
      return socket
    },
    host: "localhost",
    database: databaseName,
    username: databaseUser,
    applicationName,
    connectTimeout: answerWithin
  })

/** The number of processes that use the server. */
export const countMembers = (sockets: string): Effect.Effect<number, SqlError | Cause.TimeoutError> =>
  connect(sockets, "lists-and-things-count", () => {}).pipe(
    Effect.flatMap((connection) => connection.queryValues(members, [membershipName], false)),
    Effect.map((rows) => Number(rows[0]?.[0])),
    Effect.scoped,
    Effect.timeout(answerWithin)
  )

const members = "select count(*)::int4 from pg_stat_activity where application_name = $1"

/**
 * Fails at once when no server listens, and soon when one does not admit us. `entered` receives the membership before
 * any interruption is possible, so that it is always released.
 */
export const enter = (
  sockets: string,
  entered: (membership: Membership) => Effect.Effect<void>
): Effect.Effect<void, SqlError | Cause.TimeoutError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const lost = yield* Deferred.make<void>()
      let socket: Net.Socket | undefined
      const ended = () => Deferred.doneUnsafe(lost, Exit.void)
      const opened = connect(sockets, membershipName, (opening) => {
        socket = opening.once("close", ended)
      }).pipe(
        Scope.provide(scope),
        Effect.tap((connection) => lock(connection, "pg_advisory_lock_shared")),
        // While the last member stops the server, this waits until it has stopped.
        Effect.timeout(stopWithin)
      )
      const connection = yield* restore(opened).pipe(
        Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
      )
      yield* entered({ lost, leave: leave(connection, () => socket?.destroy()), close: Scope.close(scope, Exit.void) })
    })
  )
