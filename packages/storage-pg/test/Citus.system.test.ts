import { afterAll, describe, expect, it } from "@effect/vitest"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Distribution } from "@lists-and-things/domain/ports/Distribution"
import { StorageAdmin } from "@lists-and-things/domain/ports/StorageAdmin"
import { Effect, Exit, Layer, Scope } from "effect"
import { ownPort } from "../../../test/setup/OwnPort.ts"
import type { Params } from "../src/connection/ConnectionPool.ts"
import { Database } from "../src/connection/Database.ts"
import * as PgStorage from "../src/PgStorage.ts"
import { noCitus, startCitus } from "../src/testing/CitusCluster.ts"
import { historySuites, portSuites, referencesKept, useCaseSuites } from "./Suites.ts"
import { watchedDatabase } from "../src/testing/WatchedDatabase.ts"

const reason = noCitus()
if (reason !== undefined) process.stderr.write(`NOT TESTED: a cluster of Citus, since ${reason}.\n`)

/** Beginnings of background statements, which read across accounts and serve no request. */
const background = [
  "select w.owner_id, w.last_write",
  "select w.owner_id from write_clocks w where",
  "select distinct r.owner_id from",
  "select nullif(max(last_write), 0)",
  "select\n  (select count(*)",
  "select count(*)::int4 as n from",
  "select pg_total_relation_size",
  "select o.owner_id::text, max(o.stamp)"
]

/** Statements of the adapter, each with the parameters of a call, preferably of one that records history. */
const seen = new Map<string, Params>()
const nullsIn = (params: Params): number => params.filter((param) => param === null).length

/** Replaces parameters by literals: for parameters EXPLAIN of Citus would need a generic plan. */
const withLiterals = (sql: string, params: Params): string =>
  sql.replaceAll(/\$(\d+)/g, (_, number: string) => {
    const value = params[Number(number) - 1]
    if (value === null || value === undefined) return "null"
    const text = Array.isArray(value) ? `{${value.map((each) => JSON.stringify(each)).join(",")}}` : String(value)
    return `'${text.replaceAll("'", "''")}'`
  })

/** The real database, which also records its statements. */
const noting = watchedDatabase((db) => {
  const note =
    <Rest extends ReadonlyArray<unknown>, A>(run: (sql: string, params?: Params, ...rest: Rest) => A) =>
    (sql: string, params: Params = [], ...rest: Rest) => {
      const known = seen.get(sql)
      if (known === undefined || nullsIn(params) < nullsIn(known)) seen.set(sql, params)
      return run(sql, params, ...rest)
    }
  return {
    read: note(db.read),
    values: note(db.values),
    readLong: note(db.readLong),
    valuesLong: note(db.valuesLong),
    write: note(db.write),
    writeValues: note(db.writeValues),
    send: note(db.send)
  }
})

describe.skipIf(reason !== undefined)("on a coordinator with two workers", async () => {
  if (reason !== undefined) return
  const cluster = startCitus(await ownPort())
  afterAll(() => cluster.stop())
  const { url } = cluster
  const count = await cluster.countPrepared()
  await cluster.sql("alter database lists_and_things set citus.shard_count = 4")
  const distribute = Effect.flatMap(Distribution, ({ distribute }) => distribute)
  const first = await Effect.runPromise(distribute.pipe(Effect.provide(PgStorage.layer({ url }))))

  // As many connections as there are concurrent writes in the suites: each transaction takes longer here. All suites
  // share them, since each connection to Citus opens others to the workers and loads what it must know of the shards.
  const scope = Scope.makeUnsafe()
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const connected = Layer.provide(noting, Database.layer({ url, maxConnections: 30 }))
  const shared = await Effect.runPromise(Effect.cached(Layer.buildWithScope(connected, scope)))
  const database = Layer.effectContext(shared)
  const layer = PgStorage.over.pipe(Layer.provide(database))
  const tables = first.join(", ")
  const empty = Layer.effectDiscard(
    Effect.promise(async () => {
      await cluster.sql(`truncate ${tables}`)
      await cluster.sql("truncate accounts, attempts, oauth_clients cascade")
    })
  )

  it("all data of accounts is distributed by one command, which can be repeated", async () => {
    expect([...first].sort()).toStrictEqual([
      "lists",
      "operation_images",
      "operations",
      "places",
      "receipts",
      "reminders",
      "thing_tags",
      "things",
      "write_clocks"
    ])
    expect(await Effect.runPromise(distribute.pipe(Effect.provide(PgStorage.layer({ url }))))).toStrictEqual([])
  })

  it("a table that a migration adds is distributed with it", async () => {
    await cluster.sql("create table added (owner_id uuid not null, id uuid not null, primary key (owner_id, id))")
    await cluster.sql("delete from schema_migrations where version = 8")
    const migrated = Effect.flatMap(StorageAdmin, ({ migrate }) => migrate)
    const accepting = PgStorage.layer({ url, olderSchema: "accept" })
    expect(await Effect.runPromise(migrated.pipe(Effect.provide(accepting)))).toStrictEqual([8])
    const { nodes, pending } = (await Effect.runPromise(
      Effect.flatMap(Distribution, ({ state }) => state).pipe(Effect.provide(accepting))
    ))!
    expect(pending).toStrictEqual([])
    expect(nodes.map(({ shards }) => shards)).toStrictEqual([20, 20])
    await cluster.sql("drop table added")
  })

  it("distribution is refused while another program is connected, which would not know where the data is", async () => {
    const refused = Effect.gen(function* () {
      yield* PgConnection.make({ url, applicationName: "lists-and-things 1 0badc0de schema 12" })
      return yield* Effect.flip(distribute)
    })
    const error = await Effect.runPromise(Effect.scoped(Effect.provide(refused, PgStorage.layer({ url }))))
    expect(error._tag === "Conflict" && error.message).toContain("1 other program is connected: stop the servers")
  })

  // Here a keyed write, or one of a thing with its reminder, is never a single call: its use case uses a transaction.
  const { everyWrite, keyed, keys, ...others } = portSuites
  keys("Citus", Layer.provideMerge(layer, empty), { knowsStamps: false })
  keyed("Citus", Layer.provideMerge(layer, empty), { hasSingleStatements: false })
  everyWrite("Citus", Layer.provideMerge(layer, empty), { hasSingleStatements: false })
  for (const suite of Object.values(others)) suite("Citus", Layer.provideMerge(layer, empty))
  let prepared = 0
  it("a write across workers is committed in two phases, which the count detects", async () => {
    const before = count()
    await cluster.sql("update write_clocks set last_write = last_write")
    prepared = count()
    expect(prepared).toBeGreaterThan(before)
  })

  useCaseSuites("Citus", layer, { hasSingleStatements: false })
  historySuites("Citus", layer, 12)
  referencesKept("Citus", layer)

  it("no write of the use cases is committed in two phases", () => {
    expect(count()).toBe(prepared)
  })

  it("every statement of these suites that reads or writes data is one task", async () => {
    const data = new RegExp(`\\b(?:from|into|join|update) (?:${tables.replaceAll(", ", "|")})\\b|write_things`)
    const statements = [...seen].filter(([sql]) => data.test(sql) && !background.some((each) => sql.startsWith(each)))
    expect(statements.length).toBeGreaterThan(80)
    const several: Array<string> = []
    await Effect.runPromise(
      Effect.gen(function* () {
        const db = yield* Database
        for (const [sql, params] of statements) {
          const plan = (yield* db.write(`explain (costs off) ${withLiterals(sql, params)}`)).map((row) =>
            String(row["QUERY PLAN"])
          )
          const tasks = plan.flatMap((line) => /Task Count: (\d+)/.exec(line)?.[1] ?? [])
          const isOne = tasks.length === 1 && tasks[0] === "1"
          if (!isOne || plan.some((line) => line.includes("Subplan"))) several.push(`${sql}\n${plan.join("\n")}`)
        }
      }).pipe(Effect.provide(Database.layer({ url })))
    )
    expect(several).toStrictEqual([])
  })
})
