import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import { KeyStore } from "@lists-and-things/domain/ports/KeyStore"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { key, list, newAccount } from "@lists-and-things/testing/Fixtures"
import { until } from "@lists-and-things/testing/Until"
import { added, delivery, idsOf, leasesOf, newWebhook } from "@lists-and-things/testing/WebhookFixtures"
import { Effect, Exit, Fiber, Layer, Logger, Redacted } from "effect"
import { Database } from "../src/connection/Database.ts"
import * as PgStorage from "../src/PgStorage.ts"
import { startTestPostgres, type TestServer, testVersions } from "../src/testing/TestServer.ts"

// Not at the top level: a run filtered by test names loads this file without running its tests and would not stop it.
let server: TestServer
beforeAll(async () => {
  server = await startTestPostgres({ version: testVersions[0]! })
})
afterAll(() => server.stop())
const layer = Layer.suspend(() => PgStorage.layer({ url: server.url(), startWithin: 5_000 }))

describe("an outage of the server", () => {
  it.live("causes StorageUnavailable while it lasts, and success from the first use after it", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const lists = yield* ListStore
      const { id: owner } = yield* newAccount()
      const write = storage.transact(owner, () => lists.insert(list(owner)))
      for (const mode of ["fast", "immediate"] as const) {
        yield* Effect.all(
          Array.from({ length: 10 }, () => Effect.all([write, lists.all(owner)])),
          {
            concurrency: "unbounded"
          }
        )
        const before = (yield* lists.all(owner)).length
        yield* Effect.promise(() => server.halt(mode))
        for (const attempt of [write, lists.all(owner), storage.ping]) {
          const error = yield* Effect.flip(Effect.asVoid(attempt))
          expect(error).toBeInstanceOf(StorageUnavailable)
        }
        yield* Effect.promise(() => server.start())
        yield* storage.ping
        expect((yield* lists.all(owner)).length).toBeGreaterThanOrEqual(before)
        yield* write
      }
    }).pipe(Effect.provide(layer))
  )

  it.live("is not that the server has few connections: what is asked of it waits for those that are open", () =>
    Effect.gen(function* () {
      yield* Effect.promise(() => server.sql("create role few login connection limit 4"))
      const url = Redacted.value(yield* Effect.promise(() => server.createDatabase("few", "owner few")))
      yield* Effect.gen(function* () {
        const storage = yield* Storage
        const lists = yield* ListStore
        const things = yield* ThingStore
        const history = yield* HistoryStore
        const { id: owner } = yield* newAccount()
        const write = storage.transact(owner, () => lists.insert(list(owner)))
        yield* Effect.all(
          Array.from({ length: 6 }, () => write),
          { concurrency: "unbounded" }
        )
        yield* history.head(owner)
        yield* things.search(owner, "milk", 10)
        yield* write
        expect(yield* lists.all(owner)).toHaveLength(7)
      }).pipe(Effect.provide(PgStorage.layer({ url: Redacted.make(url.replace("user=postgres", "user=few")) })))
    })
  )

  it.live("is not that reads have all connections that the server has left: those give up what is idle", () =>
    Effect.gen(function* () {
      yield* Effect.promise(() => server.sql("create role fewer login connection limit 3"))
      const url = Redacted.value(yield* Effect.promise(() => server.createDatabase("fewer", "owner fewer")))
      const config = { url: Redacted.make(url.replace("user=postgres", "user=fewer")) }
      yield* Effect.gen(function* () {
        const db = yield* Database
        const together = (count: number, each: Effect.Effect<unknown, StorageUnavailable>) =>
          Effect.all(
            Array.from({ length: count }, () => each),
            { concurrency: "unbounded" }
          )
        yield* together(3, db.readLong("select 1"))
        yield* together(1, db.transaction(db.write("select 1")))
        yield* together(3, db.snapshot(db.read("select 1")))
        yield* db.read("select 1")
      }).pipe(Effect.provide(Database.layer(config)))
    })
  )

  it.live("is logged once, and its end once", () => {
    const lines: Array<string> = []
    const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
    return Effect.gen(function* () {
      const storage = yield* Storage
      const lists = yield* ListStore
      const { id: owner } = yield* newAccount()
      const write = storage.transact(owner, () => lists.insert(list(owner)))
      yield* Effect.promise(() => server.halt("fast"))
      for (const attempt of [lists.all(owner), write, storage.ping]) yield* Effect.flip(Effect.asVoid(attempt))
      yield* Effect.promise(() => server.start())
      yield* Effect.promise(() => until("the line that it answers", () => lines.length > 1))
      expect(lines).toStrictEqual([
        expect.stringMatching(/^The database cannot be reached \(.+\): requests are answered 503 until it can\.$/),
        "The database answers again."
      ])
    }).pipe(Effect.provide(Layer.provide(layer, logger)), Effect.provide(logger))
  })

  it.live("by a crash loses no acknowledged write", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const lists = yield* ListStore
      const keys = yield* KeyStore
      const { id: owner } = yield* newAccount()
      const mine = key(owner)
      yield* keys.insert(mine)
      for (let round = 0; round < 3; round++) {
        // Counting does not wait for the disk; the write after it must.
        yield* keys.admit(mine.id, mine.secretHash)
        const made = yield* storage.transact(owner, () =>
          Effect.andThen(keys.admit(mine.id, mine.secretHash), lists.insert(list(owner)))
        )
        yield* Effect.promise(() => server.halt("immediate"))
        yield* Effect.promise(() => server.start())
        expect(yield* lists.get(owner, made.id)).toStrictEqual(made)
      }
    }).pipe(Effect.provide(layer))
  )

  it.live("keeps the counts of keys, after a crash with at most a hundredth of the limit less", () =>
    Effect.gen(function* () {
      const keys = yield* KeyStore
      const mine = key((yield* newAccount()).id, { rateLimit: 1_000 })
      yield* keys.insert(mine)
      const remaining = Effect.map(keys.admit(mine.id, mine.secretHash), (slot) => slot!.remaining)
      const restarted = (mode: "fast" | "immediate") =>
        Effect.promise(() => server.halt(mode).then(() => server.start()))
      expect(yield* remaining).toBe(999)
      yield* restarted("fast")
      expect(yield* remaining).toBe(998)
      yield* restarted("immediate")
      const left = yield* remaining
      expect(left).toBeLessThanOrEqual(997)
      expect(left).toBeGreaterThanOrEqual(987)
      yield* restarted("fast")
      expect(yield* remaining).toBe(left - 1)
    }).pipe(Effect.provide(layer))
  )

  it.live("at start is waited for with one line in the log, then reported", () =>
    Effect.gen(function* () {
      const nowhere = Redacted.make("postgres:///none?host=/nonexistent&user=postgres")
      const lines: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
      const opening = Layer.build(PgStorage.layer({ url: nowhere, startWithin: 1_500 }))
      const error = yield* Effect.flip(Effect.provide(Effect.scoped(opening), logger))
      expect(error).toBeInstanceOf(StorageUnavailable)
      expect(lines).toStrictEqual([expect.stringMatching(/^PostgreSQL cannot be reached yet \(.*\); trying again$/)])
    })
  )
})

describe("a database that is read-only for a while", () => {
  it.live("accepts writes again, also on connections from that time", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => server.createDatabase("maintained"))
      const sql = (text: string) => Effect.promise(() => server.sql(text))
      yield* Effect.provide(
        Effect.gen(function* () {
          const storage = yield* Storage
          const lists = yield* ListStore
          const { id: owner } = yield* newAccount()
          const write = Effect.asVoid(storage.transact(owner, () => lists.insert(list(owner))))
          const writes = Effect.all(
            Array.from({ length: 10 }, () => Effect.exit(write)),
            { concurrency: "unbounded" }
          )
          yield* sql("alter database maintained set default_transaction_read_only = on")
          yield* sql("select pg_terminate_backend(pid) from pg_stat_activity where datname = 'maintained'")
          yield* Effect.promise(() =>
            until("connections that only read", () =>
              Effect.runPromise(Effect.map(writes, (exits) => exits.every(Exit.isFailure)))
            )
          )
          expect(yield* Effect.flip(write)).toMatchObject({ _tag: "StorageUnavailable", outcome: "not-applied" })
          yield* sql("alter database maintained reset default_transaction_read_only")
          yield* Effect.promise(() =>
            until("connections that write", () =>
              Effect.runPromise(Effect.map(writes, (exits) => exits.every(Exit.isSuccess)))
            )
          )
        }),
        PgStorage.layer({ url })
      )
    })
  )
})

describe("a privilege that is revoked from the role", () => {
  it.live("causes StorageUnavailable without a change, and success once it is granted again", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => server.createDatabase("rights"))
      const sql = (text: string) => Effect.promise(() => server.sql(text, "rights"))
      yield* sql("create role clerk login")
      yield* sql("alter database rights owner to clerk")
      const own = PgStorage.layer({
        url: Redacted.make(Redacted.value(url).replace("user=postgres", "user=clerk"))
      })
      yield* Effect.provide(
        Effect.gen(function* () {
          const storage = yield* Storage
          const lists = yield* ListStore
          const { id: owner } = yield* newAccount()
          const write = storage.transact(owner, () => lists.insert(list(owner)))
          yield* write
          yield* sql("revoke select, insert on lists from clerk")
          for (const attempt of [Effect.asVoid(write), Effect.asVoid(lists.all(owner))])
            expect(yield* Effect.flip(attempt)).toMatchObject({
              _tag: "StorageUnavailable",
              outcome: "not-applied"
            })
          yield* sql("grant select, insert on lists to clerk")
          yield* write
          expect((yield* lists.all(owner)).length).toBe(2)
        }),
        own
      )
    })
  )
})

describe("a server that freezes", () => {
  const backends = Effect.map(
    Effect.promise(() =>
      server.sql("select pid from pg_stat_activity where application_name like 'lists-and-things %'")
    ),
    (rows) => rows.map(({ pid }) => pid as number)
  )

  it.live("causes StorageUnavailable although it never answers, and the next request succeeds", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const lists = yield* ListStore
      const { id: owner } = yield* newAccount()
      const write = storage.transact(owner, () => lists.insert(list(owner)))
      yield* Effect.all([write, storage.ping])
      const keys = yield* KeyStore
      const mine = key(owner)
      yield* keys.insert(mine)
      const count = keys.admit(mine.id, mine.secretHash)
      yield* count
      const pids = yield* backends
      for (const pid of [...pids, server.pid()]) process.kill(pid, "SIGSTOP")
      const waiting = yield* Effect.forkChild(
        Effect.all([Effect.flip(count), Effect.flip(storage.ping), Effect.flip(write)], { concurrency: "unbounded" })
      )
      const errors = yield* Fiber.join(waiting).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            for (const pid of [...pids, server.pid()]) process.kill(pid, "SIGCONT")
          })
        )
      )
      for (const error of errors) expect(error).toBeInstanceOf(StorageUnavailable)
      // Whether it was counted is unknown, but the outcome of the request is not: it has not begun.
      expect(errors[0]).toMatchObject({ outcome: "not-applied" })
      yield* storage.ping
      yield* write
      expect((yield* lists.all(owner)).length).toBeGreaterThanOrEqual(2)
    }).pipe(Effect.provide(layer))
  )

  it.live("holds no lease that was given up once it continues", () =>
    Effect.gen(function* () {
      const { made, owner } = yield* newWebhook()
      const waiting = delivery(made)
      yield* added(made, [waiting])
      const pids = yield* backends
      for (const pid of [...pids, server.pid()]) process.kill(pid, "SIGSTOP")
      const error = yield* Effect.flip(leasesOf(owner)).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            for (const pid of [...pids, server.pid()]) process.kill(pid, "SIGCONT")
          })
        )
      )
      expect(error).toBeInstanceOf(StorageUnavailable)
      yield* Effect.promise(() =>
        until("the end of what was given up", () =>
          Effect.runPromise(Effect.map(backends, (left) => !left.some((pid) => pids.includes(pid))))
        )
      )
      expect(idsOf(yield* leasesOf(owner))).toStrictEqual([waiting.id])
    }).pipe(Effect.provide(layer))
  )
})
