import { afterAll, expect, it } from "@effect/vitest"
import type { PgConnection } from "@effect/sql-pg/PgConnection"
import { Effect, Exit, Latch } from "effect"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { TestClock } from "effect/testing"
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { ConcurrencyLimiter } from "../../src/connection/ConcurrencyLimiter.ts"
import { type ConnectionPool, query } from "../../src/connection/ConnectionPool.ts"
import { InFlight } from "../../src/connection/InFlight.ts"
import { late } from "../../src/connection/Refusals.ts"
import { openSocket } from "../../src/connection/Servers.ts"
import { leave } from "../../src/embedded/Membership.ts"
import {
  classify,
  commitRefused,
  ResponseTimeout,
  statementRefused,
  unavailable
} from "../../src/connection/SqlErrors.ts"

const silent = createServer()
silent.on("connection", (socket) => socket.on("error", () => undefined).resume())
await once(silent.listen(0, "127.0.0.1"), "listening")
const { port } = silent.address() as AddressInfo
afterAll(() => void silent.close())
const address = { host: "127.0.0.1", port, path: undefined }

const failure = (cause: unknown) => new SqlError({ reason: new UnknownError({ cause, operation: "execute" }) })
const timedOut = failure(new ResponseTimeout("The server gave no answer in time"))
/** An error as the server returns it. */
const refusal = (code: string, message: string) =>
  failure(Object.assign(new Error(message), { code, severity: "ERROR" }))

it("a silent server is given up, also on a connection that was idle for longer than the timeout", async () => {
  const inFlight = new InFlight(50)
  const socket = openSocket(address, inFlight)
  await once(socket, "connect")
  await once(socket, "timeout")
  inFlight.statements = 1
  socket.write("select 1")
  const [failure] = (await once(socket, "error")) as [unknown]
  expect(failure).toBeInstanceOf(ResponseTimeout)
})

it.effect("after silence the server has one second per statement, until it answers one", () =>
  Effect.gen(function* () {
    const inFlight = new InFlight()
    const pool: ConnectionPool = {
      connections: undefined as never,
      limiter: new ConcurrencyLimiter(1, 1),
      inFlight,
      slowMillis: Infinity,
      isTraced: false,
      prepare: false,
      transactionSettings: undefined,
      noticed: undefined
    }
    const ask = (answer: Effect.Effect<string, SqlError>) =>
      Effect.exit(query(pool, {} as PgConnection, { reading: () => answer, sql: "select 1" }))
    const before = openSocket(address, inFlight)
    expect([before.timeout, inFlight.connections]).toStrictEqual([5_300, 1])
    for (const answered of [Effect.succeed("1"), Effect.fail(refusal("57014", "canceling statement"))]) {
      yield* ask(Effect.fail(timedOut))
      const after = openSocket(address, inFlight)
      expect([before.timeout, after.timeout]).toStrictEqual([1_000, 1_000])
      // A broken connection is not an answer.
      yield* ask(Effect.fail(failure(new Error("read ECONNRESET"))))
      expect(before.timeout).toBe(1_000)
      yield* ask(answered)
      expect([before.timeout, after.timeout, inFlight.statements]).toStrictEqual([5_300, 5_300, 0])
      after.destroy()
    }
    before.destroy()
  })
)

it("while pools close, the server has one second per statement", () => {
  const inFlight = new InFlight()
  const socket = openSocket(address, inFlight)
  inFlight.close()
  expect(socket.timeout).toBe(1_000)
  socket.destroy()
})

it.effect("a process leaves a server that does not answer within two seconds, without being the last", () =>
  Effect.gen(function* () {
    const cut = yield* Latch.make()
    const ended = Effect.andThen(cut.await, Effect.fail(failure(new Error("The connection is closed"))))
    const connection: Pick<PgConnection, "queryValues"> = { queryValues: () => Effect.uninterruptible(ended) }
    const leaving = yield* Effect.forkChild(leave(connection as PgConnection, () => cut.openUnsafe()))
    yield* TestClock.adjust(1_999)
    expect(leaving.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust(1)
    expect(leaving.pollUnsafe()).toStrictEqual(Exit.succeed(false))
  })
)

it("a request that waits for a second batch is answered within 6 s", () => {
  expect(late.after(unavailable("not-applied", timedOut), 5_300)).toBe(4_700)
  expect(late.after(unavailable("not-applied", refusal("57014", "canceling statement")), 5_000)).toBe(700)
})

it("a missing file of PostgreSQL, as during an upgrade of its package, is a refusal", () => {
  const missing = refusal("58P01", 'could not access file "plpgsql": No such file or directory')
  expect([classify(missing), statementRefused(missing), commitRefused(missing)]).toStrictEqual([
    "unavailable",
    true,
    false
  ])
})

it("a connection without the required password is a refusal", () => {
  const cause = new Error("The server requested password authentication")
  const failed = (operation: string) => new SqlError({ reason: new UnknownError({ cause, operation }) })
  expect([classify(failed("connect")), classify(failed("execute"))]).toStrictEqual(["unavailable", "defect"])
})

it("a backend of Citus whose postmaster was killed is a lost connection", () => {
  const orphaned = refusal("XX000", "postmaster was shut down, exiting")
  expect([classify(orphaned), statementRefused(orphaned), commitRefused(orphaned)]).toStrictEqual([
    "lost",
    false,
    false
  ])
  expect(classify(refusal("XX000", "could not find the tuple"))).toBe("defect")
})
