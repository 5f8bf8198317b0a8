import { afterAll, describe, expect, it } from "@effect/vitest"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { StorageAdmin } from "@lists-and-things/domain/ports/StorageAdmin"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { newAccount, newList, newThings } from "@lists-and-things/testing/Fixtures"
import { until } from "@lists-and-things/testing/Until"
import { Cause, Context, Effect, Exit, Fiber, Layer, Redacted, Scope } from "effect"
import { sessionSettings } from "../src/connection/Connections.ts"
import type { OlderSchema } from "../src/connection/PgStorageConfig.ts"
import { SchemaRefused, unsuitable } from "../src/Migrating.ts"
import { latestVersion, migrations } from "../src/Migrations.ts"
import * as PgStorage from "../src/PgStorage.ts"
import { openTestDatabase } from "../src/testing/TestDatabase.ts"
import { testVersions } from "../src/testing/TestServer.ts"

for (const version of testVersions) {
  const server = await openTestDatabase({ version })
  afterAll(() => server.stop())
  // Roles belong to the cluster, which other test files use too.
  const limited = Redacted.value(server.url()).split("/").at(-1)!.split("?", 1)[0]!
  const start = (url: Redacted.Redacted<string>) => Effect.scoped(Layer.build(PgStorage.layer({ url })))

  describe(`PostgreSQL ${version}: migrations`, () => {
    it.live("of eight concurrent processes one migrates, and all start", () =>
      Effect.gen(function* () {
        const url = yield* Effect.promise(() => server.createDatabase("starters"))
        yield* Effect.all(
          Array.from({ length: 8 }, () => start(url)),
          { concurrency: "unbounded" }
        )
        const versions = yield* Effect.promise(() =>
          server.sql("select version from schema_migrations order by version", "starters")
        )
        const applied = versions.map(({ version }) => version)
        expect(new Set(applied).size).toBe(applied.length)
        expect(applied.at(-1)).toBe(latestVersion)
        yield* start(url)
      })
    )

    it.live("by hand apply nothing to a current schema, and the status shows that", () =>
      Effect.gen(function* () {
        const admin = yield* StorageAdmin
        expect(yield* admin.migrate).toStrictEqual([])
        const status = yield* admin.status
        expect(status.schemaVersion).toBe(status.latestSchemaVersion)
        expect(status.serverVersion?.startsWith(String(version))).toBe(true)
        expect(status.trigrams).toBe(true)
        expect(status.processes).toBe(1)
      }).pipe(Effect.provide(PgStorage.layer({ url: server.url() })))
    )

    it.live("make texts with a capital ẞ that were stored before searchable again", () =>
      Effect.gen(function* () {
        const url = yield* Effect.promise(() => server.createDatabase("folded"))
        const { owner } = yield* Effect.gen(function* () {
          const { id: owner } = yield* newAccount()
          const list = yield* newList(owner, { title: "STRAẞEN" })
          yield* newThings(owner, list.id, [{ text: "GROẞ" }])
          return { owner }
        }).pipe(Effect.provide(PgStorage.layer({ url })))
        yield* Effect.promise(async () => {
          await server.sql("update lists set search = replace(search, 'ss', 'ß'), title_key = 'straßen'", "folded")
          await server.sql("update things set search = replace(search, 'ss', 'ß')", "folded")
          await server.sql("delete from schema_migrations where version = 21", "folded")
        })
        yield* Effect.gen(function* () {
          const [lists, things] = [yield* ListStore, yield* ThingStore]
          expect(yield* lists.byTitles(owner, ["strassen"])).toHaveLength(1)
          expect((yield* lists.search(owner, "Straßen", 10)).items).toHaveLength(1)
          expect((yield* things.search(owner, "groß", 10)).items).toHaveLength(1)
        }).pipe(Effect.provide(PgStorage.layer({ url })))
      })
    )

    it.live("migrate, refuse or accept an older schema, as configured", () =>
      Effect.gen(function* () {
        const url = yield* Effect.promise(() => server.createDatabase("older"))
        yield* Effect.promise(async () => {
          const applied = "create table schema_migrations (version integer primary key, name text not null)"
          for (const statement of [applied, ...migrations.slice(0, 8).flatMap(({ statements }) => statements)])
            await server.sql(statement, "older")
          await server.sql("insert into schema_migrations select n, 'Older' from generate_series(1, 8) n", "older")
        })
        const open = (olderSchema: OlderSchema) =>
          StorageAdmin.pipe(
            Effect.flatMap((admin) => admin.status),
            Effect.provide(PgStorage.layer({ url, olderSchema })),
            Effect.result
          )
        const refused = yield* open("refuse")
        expect(refused._tag === "Failure" && refused.failure instanceof SchemaRefused).toBe(true)
        expect(String(refused._tag === "Failure" && refused.failure.message)).toContain("'lat db migrate'")
        const accepted = yield* open("accept")
        expect(accepted._tag === "Success" ? accepted.success.schemaVersion : latestVersion).toBeLessThan(latestVersion)
        const migrated = yield* open("migrate")
        expect(migrated._tag === "Success" && migrated.success.schemaVersion).toBe(latestVersion)
      })
    )

    it.live("wait for a long read such as a dump, without blocking others meanwhile", () =>
      Effect.gen(function* () {
        const url = yield* Effect.promise(() => server.createDatabase("read"))
        yield* start(url)
        const again = "delete from schema_migrations where version = 14"
        yield* Effect.promise(() => server.sql(again, "read"))
        const scope = yield* Scope.make()
        const reader = yield* Scope.provide(PgConnection.make({ url }), scope)
        yield* reader.query("begin")
        yield* reader.query("select from accounts")
        const admin = yield* Scope.provide(
          Effect.map(Layer.build(PgStorage.layer({ url, olderSchema: "accept" })), (context) =>
            Context.get(context, StorageAdmin)
          ),
          scope
        )
        const migrating = yield* Effect.forkChild(admin.migrate)
        const waiting = `select exists (select from pg_locks l join pg_database d on d.oid = l.database
          where d.datname = current_database() and not l.granted) as yes`
        yield* Effect.promise(() =>
          until("a migration that waits", async () => (await server.sql(waiting, "read"))[0]?.["yes"] === true)
        )
        const other = yield* Scope.provide(
          PgConnection.make({ url, startupParameters: { lock_timeout: sessionSettings["lock_timeout"]! } }),
          scope
        )
        expect((yield* other.query("select from accounts")).command).toBe("SELECT")
        yield* reader.query("commit")
        expect(yield* Fiber.join(migrating)).toStrictEqual([14])
        yield* Scope.close(scope, Exit.void)
      })
    )

    it.live("make the history complete once no program is connected that does not record it", () =>
      Effect.gen(function* () {
        const url = yield* Effect.promise(() => server.createDatabase("beside"))
        const older = PgConnection.make({ url, applicationName: "lists-and-things 1 0badc0de" })
        const write = "update accounts set last_write = last_write + 1"
        const isComplete = Effect.flatMap(HistoryStore, (history) => history.isComplete)
        const before = yield* Scope.make()
        const connected = yield* Scope.provide(older, before)
        yield* Effect.gen(function* () {
          expect(yield* isComplete).toBe(false)
          expect((yield* Effect.flatMap(StorageAdmin, ({ status }) => status)).schemaVersion).toBe(latestVersion)
          yield* newAccount()
          expect((yield* connected.query(write)).command).toBe("UPDATE")
          yield* Scope.close(before, Exit.void)
          const context = yield* Effect.context<PgStorage.Ports>()
          const asked = () => Effect.runPromiseWith(context)(isComplete)
          yield* Effect.promise(() => until("a complete history", asked))
          expect(yield* isComplete).toBe(true)
          const late = Effect.scoped(Effect.flatMap(older, (connection) => connection.query(write)))
          expect(yield* Effect.flip(late)).toMatchObject({ reason: { _tag: "SqlSyntaxError" } })
          yield* newAccount()
        }).pipe(Effect.provide(PgStorage.layer({ url })))
      })
    )

    it.live("postpone the last step of an upgrade while a dump is read, without an error", () =>
      Effect.gen(function* () {
        const url = yield* Effect.promise(() => server.createDatabase("last"))
        const before = yield* Scope.make()
        yield* Scope.provide(PgConnection.make({ url, applicationName: "lists-and-things 1 0badc0de" }), before)
        yield* Effect.gen(function* () {
          const { isComplete } = yield* HistoryStore
          const reader = yield* PgConnection.make({ url })
          yield* reader.query("begin")
          yield* reader.query("select from accounts")
          yield* Scope.close(before, Exit.void)
          const older = `select from pg_stat_activity where datname = current_database() and application_name like '%0badc0de'`
          const gone = async () => (await server.sql(older, "last")).length === 0
          yield* Effect.promise(() => until("an older program that is gone", gone))
          expect(yield* isComplete).toBe(false)
          yield* newAccount()
          expect(yield* isComplete).toBe(false)
        }).pipe(Effect.scoped, Effect.provide(PgStorage.layer({ url })))
      })
    )

    it.live("set up an empty database for any setting", () =>
      Effect.gen(function* () {
        for (const olderSchema of ["refuse", "accept"] as const) {
          const url = yield* Effect.promise(() => server.createDatabase(`empty_${olderSchema}`))
          yield* Effect.scoped(Layer.build(PgStorage.layer({ url, olderSchema })))
          const [row] = yield* Effect.promise(() =>
            server.sql("select max(version)::int4 as version from schema_migrations", `empty_${olderSchema}`)
          )
          expect(row?.version).toBe(latestVersion)
        }
      })
    )

    it.live("refuse a newer schema, unless it allows this program", () =>
      Effect.gen(function* () {
        const url = yield* Effect.promise(() => server.createDatabase("newer"))
        yield* start(url)
        const later = (oldest: string) =>
          Effect.promise(async () => {
            await server.sql("delete from schema_migrations where version = 9999", "newer")
            await server.sql(
              `insert into schema_migrations (version, name, oldest_program) values (9999, 'Later', ${oldest})`,
              "newer"
            )
          })
        for (const oldest of ["null", "9999", String(latestVersion + 1)]) {
          yield* later(oldest)
          for (const olderSchema of ["migrate", "refuse", "accept"] as const) {
            const error = yield* Effect.flip(Effect.scoped(Layer.build(PgStorage.layer({ url, olderSchema }))))
            expect(error).toBeInstanceOf(SchemaRefused)
            expect(error.message).toContain("version 9999")
            expect(error.message).not.toContain("\n")
          }
        }
        yield* later(String(latestVersion))
        yield* start(url)
      })
    )

    it.live("refuse a database of another encoding with a clear message", () =>
      Effect.gen(function* () {
        const url = yield* Effect.promise(() =>
          server.createDatabase("latin", "encoding 'LATIN1' lc_collate 'C' lc_ctype 'C' template template0")
        )
        const exit = yield* Effect.exit(start(url))
        expect(Exit.isFailure(exit) && Cause.pretty(exit.cause).includes("encoded in UTF8")).toBe(true)
      })
    )

    it("refuse a server of an older major version with a clear message", () => {
      expect(unsuitable("14.23 (Ubuntu 14.23-0ubuntu0.22.04.1)", "UTF8")).toBe(
        "The database must be of PostgreSQL 15 or newer, not 14.23: upgrade its server, or use another one"
      )
      for (const newer of ["15.0", "18.4", "19beta1"]) expect(unsuitable(newer, "UTF8")).toBeUndefined()
    })

    it.live("let a user who cannot create extensions search without the index, with the same results", () =>
      Effect.gen(function* () {
        yield* Effect.promise(async () => {
          await server.createDatabase("plain")
          await server.sql(`create role "${limited}" login`)
          await server.sql(`grant all on schema public to "${limited}"`, "plain")
        })
        const url = Redacted.make(Redacted.value(server.url("plain")).replace("user=postgres", `user=${limited}`))
        yield* Effect.gen(function* () {
          const things = yield* ThingStore
          expect((yield* (yield* StorageAdmin).status).trigrams).toBe(false)
          const { id: owner } = yield* newAccount()
          const list = yield* newList(owner)
          const texts = ["some milk", "Milk", "oatmilk", "milky way", "honey"]
          yield* newThings(
            owner,
            list.id,
            texts.map((text) => ({ text }))
          )
          const found = yield* things.search(owner, "MILK", 3)
          expect(found.items.map(({ text }) => text)).toStrictEqual(["Milk", "milky way", "some milk"])
          expect(found.hasMore).toBe(true)
          const admin = yield* StorageAdmin
          expect(yield* admin.migrate).toStrictEqual([])
          expect((yield* admin.status).trigrams).toBe(false)
          yield* Effect.promise(() => server.sql("create extension pg_trgm", "plain"))
          // Without btree_gin, the index without the owner.
          expect(yield* admin.migrate).toStrictEqual([])
          expect((yield* admin.status).trigrams).toBe(true)
          expect(yield* things.search(owner, "MILK", 3)).toStrictEqual(found)
        }).pipe(Effect.provide(PgStorage.layer({ url })))
      })
    )
  })
}
