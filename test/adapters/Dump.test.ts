import { afterAll, describe, expect, it } from "@effect/vitest"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { Changes } from "@lists-and-things/domain/history/Changes"
import { Caller } from "@lists-and-things/domain/model/Caller"
import { useCases } from "@lists-and-things/domain/UseCases"
import * as NodeCrypto from "@lists-and-things/platform-node/NodeCrypto"
import * as PgStorage from "@lists-and-things/storage-pg/PgStorage"
import {
  dumpText,
  loadText,
  makeEarlierSchema,
  rowsByTable,
  withoutClocks
} from "@lists-and-things/storage-pg/testing/DumpText"
import { openTestDatabase } from "@lists-and-things/storage-pg/testing/TestDatabase"
import { callerOf } from "@lists-and-things/testing/AsOwner"
import { Effect, Layer } from "effect"
import * as fc from "fast-check"
import { command, prelude } from "./Commands.ts"
import { KnownIds } from "./KnownIds.ts"
import { makeInstance } from "./Instance.ts"

const start = Date.UTC(2026, 10, 21, 12)
const server = await openTestDatabase({ version: 18 })
afterAll(() => server.stop())

/** Fills a database by random commands; returns the text of its dump. */
const filled = async (database: string): Promise<string> => {
  await server.createDatabase(database)
  const instance = makeInstance(PgStorage.layer(server.config(database)))
  const accounts = await instance.begin("dump", start)
  const ids = new KnownIds()
  let now = start
  for (const { advance, args, operation, owner } of [...prelude, ...fc.sample(command, { numRuns: 120, seed: 8 })]) {
    const { id } = accounts[owner]!
    now += advance
    await instance.run(id, { operation, args: ids.resolveAll(id, args) }, now)
    ids.see(id, await instance.dump(id))
  }
  await instance.dispose()
  return dumpText(PgStorage.layer(server.config(database)))
}

const source = await filled("source")

const emptyDatabase = async (name: string) => {
  await server.createDatabase(name)
  return PgStorage.layer(server.config(name))
}

const refusal = async (load: Promise<unknown>): Promise<string> =>
  load.then(
    () => "loaded",
    (error: unknown) => (error instanceof Error ? error.message : String(error))
  )

describe("a dump", () => {
  it("has rows of every table that random commands fill, and loads unchanged into an empty database", async () => {
    const tables = rowsByTable(source)
    for (const name of [
      "accounts",
      "lists",
      "things",
      "thing_tags",
      "places",
      "reminders",
      "operations",
      "operation_images"
    ])
      expect(tables[name]?.length, name).toBeGreaterThan(0)
    const target = await emptyDatabase("target")
    const counts = await loadText(target, source)
    expect(counts["things"]).toBe(tables["things"]?.length)
    expect(withoutClocks(await dumpText(target))).toStrictEqual(withoutClocks(source))
  })

  it("loads without changing the indexes and constraints of the schema", async () => {
    const target = await emptyDatabase("schema")
    const schema = () =>
      server.sql(
        `select indexdef as def from pg_indexes where schemaname = 'public' union all
        select conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint
          where connamespace = 'public'::regnamespace order by 1`,
        "schema"
      )
    await Effect.runPromise(Effect.scoped(Layer.build(target)))
    const before = await schema()
    await loadText(target, source)
    expect(await schema()).toStrictEqual(before)
  })

  it("is refused by an installation that has an account", async () => {
    const again = await emptyDatabase("again")
    await loadText(again, source)
    expect(await refusal(loadText(again, source))).toMatch(/^This installation has accounts already/)
  })

  const cut = source.lastIndexOf("\n", source.length - 2) + 1
  it.each([
    ["bytes are changed", source.replace("item", "jtem").replace('"text":"', '"text":"x'), /checksum/],
    ["the end is missing", source.slice(0, cut), /incomplete/],
    ["the last line is cut", source.slice(0, -3), /incomplete/],
    ["an empty line follows the end", `${source}\n`, /goes on behind its end/],
    ["text without a line end follows the end", `${source}x`, /goes on behind its end/],
    [
      "it is another kind of file",
      "id,text\n1,milk\n",
      /must be a file that 'lat db dump' wrote; an export of one account is what 'lat restore' reads$/
    ],
    ["it is empty", "", /incomplete/],
    ["its format is newer", source.replace('"version":1', '"version":2'), /of a newer release/],
    ["its schema is newer", source.replace(/"schema":\[[\d,]*/, "$&,9999"), /of a newer release/],
    ["a table is unknown", source.replace('["lists",', '["secrets",'), /no table "secrets"/],
    [
      "a column is unknown",
      source.replace('["lists",["owner_id"', '["lists",["1 from pg_shadow--"'),
      /no table "lists"/
    ]
  ])("is refused if %s, and nothing is stored", async (_, text, message) => {
    const target = await emptyDatabase(`refused_${cutNames++}`)
    expect(await refusal(loadText(target, text))).toMatch(message)
    expect(rowsByTable(await dumpText(target))["accounts"]).toStrictEqual([])
    await loadText(target, source, 100_003)
  })

  it("is refused if it is not UTF-8", async () => {
    const target = await emptyDatabase("bytes")
    const bytes = Buffer.from(source)
    bytes[bytes.indexOf("text")] = 0xff
    expect(await refusal(loadText(target, bytes))).toMatch(/not UTF-8/)
  })

  it.each([8, 11])("of schema %s is loaded and migrated", async (schema) => {
    const name = `schema_${schema}`
    const url = await server.createDatabase(name)
    await makeEarlierSchema(url, schema, [
      `insert into accounts (id, email, email_key, name, timezone, default_thing_type, default_list_sort,
        default_reminder_minutes, default_alert_minutes, default_reminder_color, repeat_moves_to_day, created)
      values ('00000000-0000-7000-8000-000000000001', 'old@example.com', 'old@example.com', '', 'UTC', 'todo',
        'chronological', 0, 0, '', true, 1)`
    ])
    const old = PgStorage.layer({ ...server.config(name), olderSchema: "accept" })
    const text = await dumpText(old)
    expect(text).toContain(`"schema":[${Array.from({ length: schema }, (_, n) => n + 1).join(",")}]`)
    const target = await emptyDatabase(`upgraded_${schema}`)
    await loadText(target, text)
    const rows = rowsByTable(await dumpText(target))
    expect(rows["accounts"]).toHaveLength(1)
    expect(rows["write_clocks"]).toHaveLength(1)
    expect(rows["operations"]).toStrictEqual([])
  })

  it("invalidates, when loaded, earlier cursors of the feed, which are then Gone", async () => {
    const target = await emptyDatabase("cursors")
    const ports = (layer: Layer.Layer<PgStorage.Ports, PgStorage.Refusal>) =>
      useCases.pipe(Layer.provideMerge(layer), Layer.provideMerge(NodeCrypto.layer))
    const read = (layer: Layer.Layer<PgStorage.Ports, PgStorage.Refusal>, cursor: string): Promise<string> =>
      Effect.runPromise(
        Effect.gen(function* () {
          const [account] = yield* (yield* Accounts).list
          const changes = yield* Changes
          return yield* Effect.provideService(changes.read({ cursor }), Caller, callerOf(account!))
        }).pipe(
          Effect.map((page) => page.cursor),
          Effect.catch((error) => Effect.succeed(error._tag)),
          Effect.provide(ports(layer))
        )
      )
    const before = await read(PgStorage.layer(server.config("source")), "now")
    await loadText(target, source)
    expect(await read(target, before)).toBe("Gone")
    const after = await read(target, "now")
    expect(await read(target, after)).toBe(after)
  })
})

let cutNames = 0
