import { afterAll, describe, expect, it } from "@effect/vitest"
import { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { list, newAccount, newList } from "@lists-and-things/testing/Fixtures"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
import * as PgStorage from "../src/PgStorage.ts"
import { openTestDatabase } from "../src/testing/TestDatabase.ts"
import { testVersions } from "../src/testing/TestServer.ts"

/** Fails a number of inserts and updates of lists with the SQLSTATE in the table `fault`. */
const faults = [
  "create table fault (state text not null, times integer not null)",
  "create sequence tries",
  `create function fail() returns trigger language plpgsql as $$
   declare f fault; begin
     select * into f from fault limit 1;
     if found and nextval('tries') <= f.times then raise exception using errcode = f.state; end if;
     return new;
   end $$`,
  "create trigger fail before insert or update on lists for each row execute function fail()"
]

for (const version of testVersions) {
  const server = await openTestDatabase({ version })
  afterAll(() => server.stop())
  const url = server.url()
  const layer = PgStorage.layer({ url, maxConnections: 3 })
  await Effect.runPromise(Effect.scoped(Layer.build(layer)))
  for (const statement of faults) await server.sql(statement)
  const ask = (text: string) => Effect.promise(() => server.sql(text))
  const fault = (state: string, times: number) =>
    Effect.all([
      ask("truncate fault"),
      ask("alter sequence tries restart"),
      ask(`insert into fault values ('${state}', ${times})`)
    ])
  const leftOpen = Effect.map(
    ask(
      "select count(*)::int4 as n from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'"
    ),
    ([row]) => row?.n
  )
  const test = (name: string, effect: Effect.Effect<void, unknown, PgStorage.Ports>) =>
    it.live(name, () =>
      Effect.andThen(
        effect,
        Effect.map(leftOpen, (open) => expect(open).toBe(0))
      ).pipe(Effect.provide(layer))
    )

  describe(`PostgreSQL ${version}: transactions`, () => {
    describe("that the server rolls back", () => {
      for (const state of ["40001", "40P01"]) {
        test(
          `are retried as a whole up to five times (${state})`,
          Effect.gen(function* () {
            const storage = yield* Storage
            const lists = yield* ListStore
            const { id: owner } = yield* newAccount()
            yield* fault(state, 5)
            let runs = 0
            const writeTimestamps = new Set<number>()
            yield* storage.transact(owner, (writeTimestamp) =>
              Effect.gen(function* () {
                runs++
                writeTimestamps.add(writeTimestamp)
                yield* lists.insert(list(owner))
                yield* lists.insert(list(owner))
              })
            )
            expect(runs).toBe(6)
            expect(yield* lists.all(owner)).toHaveLength(2)
            yield* fault(state, 100)
            const error = yield* Effect.flip(storage.transact(owner, () => lists.insert(list(owner))))
            expect(error._tag).toBe("StorageUnavailable")
            expect(yield* lists.all(owner)).toHaveLength(2)
            yield* ask("truncate fault")
          })
        )
      }

      test(
        "are retried when a statement must be replanned after a change of a table",
        Effect.gen(function* () {
          const storage = yield* Storage
          const lists = yield* ListStore
          const { id: owner } = yield* newAccount()
          const { id } = yield* newList(owner, { title: "As it was" })
          const read = storage.transact(owner, () => lists.get(owner, id))
          yield* read
          yield* ask("alter table lists alter column title type varchar(1000)")
          const found = yield* read
          yield* ask("alter table lists alter column title type text")
          expect(found?.title).toBe("As it was")
          expect((yield* read)?.title).toBe("As it was")
        })
      )

      test(
        "are not committed when the body continues after a failed statement",
        Effect.gen(function* () {
          const storage = yield* Storage
          const lists = yield* ListStore
          const { id: owner } = yield* newAccount()
          yield* fault("53100", 1)
          const exit = yield* Effect.exit(storage.transact(owner, () => Effect.ignore(lists.insert(list(owner)))))
          expect(Exit.isFailure(exit)).toBe(true)
          expect(yield* lists.all(owner)).toHaveLength(0)
          yield* ask("truncate fault")
        })
      )
    })

    describe("in which a statement fails", () => {
      for (const state of ["08006", "57P01", "53300", "53100", "57014", "55P03"]) {
        test(
          `with ${state} change nothing, and succeed on another attempt`,
          Effect.gen(function* () {
            const storage = yield* Storage
            const lists = yield* ListStore
            const { id: owner } = yield* newAccount()
            const first = list(owner)
            yield* fault(state, 100)
            const error = yield* Effect.flip(storage.transact(owner, () => lists.insert(first)))
            expect(error._tag).toBe("StorageUnavailable")
            if (error._tag === "StorageUnavailable") expect(error.outcome).toBe("not-applied")
            expect(yield* lists.all(owner)).toHaveLength(0)
            yield* ask("truncate fault")
            yield* storage.transact(owner, () => lists.insert(first))
            expect(yield* lists.all(owner)).toHaveLength(1)
          })
        )
      }

      test(
        "because of a bug die, and change nothing",
        Effect.gen(function* () {
          const storage = yield* Storage
          const lists = yield* ListStore
          const { id: owner } = yield* newAccount()
          yield* fault("22012", 1)
          const exit = yield* Effect.exit(storage.transact(owner, () => lists.insert(list(owner))))
          expect(Exit.hasDies(exit)).toBe(true)
          expect(yield* lists.all(owner)).toHaveLength(0)
          yield* ask("truncate fault")
        })
      )
    })

    describe("in which a statement fails whose answer is not awaited", () => {
      const moved = (state: string, times: number) =>
        Effect.gen(function* () {
          const storage = yield* Storage
          const lists = yield* ListStore
          const { id: owner } = yield* newAccount()
          const [first, second] = [yield* newList(owner), yield* newList(owner)]
          yield* fault(state, times)
          let runs = 0
          const exit = yield* Effect.exit(
            storage.transact(owner, (writeTimestamp) =>
              Effect.gen(function* () {
                runs++
                yield* lists.put({ ...first, title: "moved", updated: writeTimestamp })
                yield* lists.put({ ...second, title: "moved", updated: writeTimestamp })
              })
            )
          )
          yield* ask("truncate fault")
          const titles = (yield* lists.all(owner)).map(({ title }) => title)
          return { runs, exit, moved: titles.filter((title) => title === "moved").length }
        })

      test(
        "are retried as a whole when the server rolled them back, even if COMMIT was already sent",
        Effect.gen(function* () {
          const { exit, moved: count, runs } = yield* moved("40001", 2)
          expect(Exit.isSuccess(exit)).toBe(true)
          expect([runs, count]).toStrictEqual([3, 2])
        })
      )

      test(
        "are known not to be applied when the server refused the statement",
        Effect.gen(function* () {
          const { exit, moved: count, runs } = yield* moved("53100", 1)
          expect(Exit.findErrorOption(exit)).toMatchObject({
            value: { _tag: "StorageUnavailable", outcome: "not-applied" }
          })
          expect([runs, count]).toStrictEqual([1, 0])
        })
      )

      test(
        "because of a bug die, and change nothing",
        Effect.gen(function* () {
          const { exit, moved: count } = yield* moved("22012", 1)
          expect(Exit.hasDies(exit)).toBe(true)
          expect(count).toBe(0)
        })
      )

      test(
        "fail at a later statement with the original reason",
        Effect.gen(function* () {
          const storage = yield* Storage
          const lists = yield* ListStore
          const { id: owner } = yield* newAccount()
          const first = yield* newList(owner)
          yield* fault("53100", 1)
          const seen = yield* Effect.flip(
            storage.transact(owner, () => Effect.andThen(lists.put(first), lists.get(owner, first.id)))
          )
          yield* ask("truncate fault")
          expect(seen).toMatchObject({ _tag: "StorageUnavailable", outcome: "not-applied", full: true })
        })
      )
    })

    describe("whose backend is terminated", () => {
      const killOthers = ask(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'lists-and-things %' and state like 'idle in transaction%'"
      )

      test(
        "are retried once, with one effect",
        Effect.gen(function* () {
          const storage = yield* Storage
          const lists = yield* ListStore
          const { id: owner } = yield* newAccount()
          let runs = 0
          yield* storage.transact(owner, () =>
            Effect.gen(function* () {
              yield* lists.insert(list(owner))
              if (runs++ === 0) yield* killOthers
              yield* lists.insert(list(owner))
            })
          )
          expect(runs).toBe(2)
          expect(yield* lists.all(owner)).toHaveLength(2)
        })
      )

      test(
        "every time fail with StorageUnavailable, change nothing, and lose no connection",
        Effect.gen(function* () {
          const storage = yield* Storage
          const lists = yield* ListStore
          const { id: owner } = yield* newAccount()
          let runs = 0
          for (let round = 0; round < 4; round++) {
            const error = yield* Effect.flip(
              storage.transact(owner, () =>
                Effect.gen(function* () {
                  runs++
                  yield* lists.insert(list(owner))
                  yield* killOthers
                  yield* lists.insert(list(owner))
                })
              )
            )
            expect(error._tag).toBe("StorageUnavailable")
            if (error._tag === "StorageUnavailable") expect(error.outcome).toBe("not-applied")
          }
          expect(runs).toBe(8)
          expect(yield* lists.all(owner)).toHaveLength(0)
          yield* Effect.all(
            Array.from({ length: 12 }, () => storage.transact(owner, () => lists.insert(list(owner)))),
            { concurrency: "unbounded" }
          )
          expect(yield* lists.all(owner)).toHaveLength(12)
        })
      )

      test(
        "during COMMIT have an unknown outcome, and are not retried",
        Effect.gen(function* () {
          const storage = yield* Storage
          const lists = yield* ListStore
          const { id: owner } = yield* newAccount()
          yield* ask(
            "create function ending() returns trigger language plpgsql as 'begin perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(5); return null; end'"
          )
          yield* ask(
            "create constraint trigger ending after insert on lists deferrable initially deferred for each row execute function ending()"
          )
          let runs = 0
          const error = yield* Effect.flip(
            storage.transact(owner, () =>
              Effect.andThen(
                Effect.sync(() => runs++),
                lists.insert(list(owner))
              )
            )
          )
          yield* ask("drop trigger ending on lists")
          yield* ask("drop function ending")
          expect(error._tag).toBe("StorageUnavailable")
          if (error._tag === "StorageUnavailable") expect(error.outcome).toBe("unknown")
          expect(runs).toBe(1)
        })
      )
    })

    describe("that are interrupted", () => {
      test(
        "are rolled back and release their connection at once",
        Effect.gen(function* () {
          const storage = yield* Storage
          const lists = yield* ListStore
          const { id: owner } = yield* newAccount()
          for (let round = 0; round < 5; round++) {
            const inserted = yield* Deferred.make<void>()
            const fiber = yield* Effect.forkChild(
              storage.transact(owner, () =>
                Effect.gen(function* () {
                  yield* lists.insert(list(owner))
                  yield* Deferred.succeed(inserted, undefined)
                  yield* Effect.never
                })
              )
            )
            yield* Deferred.await(inserted)
            yield* Fiber.interrupt(fiber)
          }
          expect(yield* lists.all(owner)).toHaveLength(0)
          yield* storage.transact(owner, () => lists.insert(list(owner)))
        })
      )
    })

    describe("that outnumber the connections", () => {
      test(
        "wait for a while, then fail with StorageUnavailable; reads and pings still work",
        Effect.gen(function* () {
          const storage = yield* Storage
          const lists = yield* ListStore
          const open = yield* Deferred.make<void>()
          const owners = yield* Effect.all(Array.from({ length: 4 }, () => newAccount()))
          const holders = yield* Effect.forEach(owners.slice(0, 3), ({ id }) =>
            Effect.gen(function* () {
              const inside = yield* Deferred.make<void>()
              const hold = Effect.andThen(Deferred.succeed(inside, undefined), Deferred.await(open))
              const holder = yield* Effect.forkChild(storage.transact(id, () => hold))
              yield* Deferred.await(inside)
              return holder
            })
          )
          const owner = owners[3]!.id
          const error = yield* Effect.flip(storage.transact(owner, () => lists.insert(list(owner))))
          expect(error._tag).toBe("StorageUnavailable")
          yield* storage.ping
          expect(yield* lists.all(owner)).toHaveLength(0)
          yield* Deferred.succeed(open, undefined)
          yield* Effect.forEach(holders, Fiber.join)
          yield* storage.transact(owner, () => lists.insert(list(owner)))
        })
      )

      test(
        "and belong to one account leave a connection to others",
        Effect.gen(function* () {
          const storage = yield* Storage
          const lists = yield* ListStore
          const [{ id: one }, { id: other }] = [yield* newAccount(), yield* newAccount()]
          const [open, inside] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
          const hold = Effect.andThen(Deferred.succeed(inside, undefined), Deferred.await(open))
          const ofOne = yield* Effect.replicateEffect(
            Effect.forkChild(Effect.exit(storage.transact(one, () => hold)), { startImmediately: true }),
            5
          )
          yield* Deferred.await(inside)
          yield* storage.transact(other, () => lists.insert(list(other)))
          yield* Deferred.succeed(open, undefined)
          yield* Fiber.joinAll(ofOne)
        })
      )
    })

    it.live("deleting an account removes its rows from every table with an owner", () =>
      Effect.gen(function* () {
        const accounts = yield* AccountStore
        const lists = yield* ListStore
        const { id: owner } = yield* newAccount()
        yield* lists.insert(list(owner))
        expect(yield* accounts.remove(owner)).toBe(true)
        const tables = yield* ask(
          "select table_name as name from information_schema.columns where column_name = 'owner_id' and table_schema = 'public'"
        )
        expect(tables.length).toBeGreaterThanOrEqual(8)
        for (const { name } of tables) {
          expect(yield* ask(`select 1 from ${String(name)} where owner_id = '${owner}'`)).toHaveLength(0)
        }
      }).pipe(Effect.provide(layer))
    )
  })
}
