import { AccountId, ListId } from "@lists-and-things/domain/model/Ids"
import { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { type ThingFilter, ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { thing } from "@lists-and-things/testing/Fixtures"
import { Effect, Layer } from "effect"
import { writeFileSync } from "node:fs"
import { Database } from "../../src/connection/Database.ts"
import type { Params } from "../../src/connection/ConnectionPool.ts"
import { WriteClocks } from "../../src/accounts/WriteClocks.ts"
import { Engine } from "../../src/Engine.ts"
import * as HistoryStorePg from "../../src/history/HistoryStore.ts"
import * as ListStorePg from "../../src/things/ListStore.ts"
import * as PgStorage from "../../src/PgStorage.ts"
import * as ReminderStorePg from "../../src/things/ReminderStore.ts"
import { startTestPostgres, type TestVersion } from "../../src/testing/TestServer.ts"
import * as ThingStorePg from "../../src/things/ThingStore.ts"
import { fillThings, listId, ownerId, things } from "../../src/testing/Million.ts"
import { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { watchedDatabase } from "../../src/testing/WatchedDatabase.ts"

/**
 * Writes docs/explain.md: the plans of the adapter's own statements over a million things.
 * `node packages/storage-pg/test/explain/Report.ts [18|15]`
 */

const version: TestVersion = process.argv[2] === "15" ? 15 : 18
const runs = 15

interface Explained {
  readonly name: string
  readonly plan: ReadonlyArray<string>
  readonly millis: number
}

let seen: Array<{ readonly sql: string; readonly params: Params }> = []

/** The real database, which also records its statements. */
const noting = watchedDatabase((db) => {
  const note =
    <A, E>(run: (sql: string, params?: Params) => Effect.Effect<A, E>) =>
    (sql: string, params: Params = []) =>
      Effect.suspend(() => {
        seen.push({ sql, params })
        return run(sql, params)
      })
  return {
    read: note(db.read),
    values: note(db.values),
    readLong: note(db.readLong),
    valuesLong: note(db.valuesLong)
  }
})

const explain = Effect.fnUntraced(function* (name: string, reading: Effect.Effect<unknown, unknown>) {
  const db = yield* Database
  const times: Array<number> = []
  for (let run = 0; run < runs; run++) {
    seen = []
    const from = performance.now()
    yield* reading
    times.push(performance.now() - from)
  }
  const plan: Array<string> = []
  for (const { sql, params } of seen) {
    const rows = yield* db.readLong(`explain (analyze, buffers, costs off, timing off) ${sql}`, params)
    plan.push(...rows.map((row) => String(row["QUERY PLAN"])))
  }
  const millis = Math.min(...times)
  process.stdout.write(`${millis.toFixed(1).padStart(8)} ms  ${name}\n`)
  return { name, plan, millis } satisfies Explained
})

const big = AccountId.make(ownerId(0))
const small = AccountId.make(ownerId(3))
const bigList = ListId.make(listId(0, 0))

/** The account with a history. */
const written = AccountId.make(ownerId(5))
const many = { things: 3_000, bytes: 2 ** 24 }

/** One operation that creates 2,000 things, then 500 that change one of them each. */
const writeHistory = Effect.gen(function* () {
  const storage = yield* Storage
  const store = yield* ThingStore
  const list = ListId.make(listId(5, 1))
  const made = Array.from({ length: 2_000 }, (_, n) => thing(written, list, { text: `made ${n}` }))
  yield* storage.transact(written, () => store.insert(written, made))
  for (const each of made.slice(0, 500))
    yield* storage.transact(written, (updated) => store.put(written, [{ ...each, completed: true, updated }]))
})

const report = Effect.gen(function* () {
  const history = yield* HistoryStore
  const operations = yield* history.page(written, {}, 10, 50)
  const [operation] = operations.items
  if (operation === undefined) return yield* Effect.die(new Error("There is no history to read"))
  const changes = yield* history.entities(written, operation.at, 2_000)
  const changed = changes?.items ?? []
  const store = yield* ThingStore
  const lists = yield* ListStore
  const reminders = yield* ReminderStore
  const page = (filter: Partial<ThingFilter>, number = 0) => store.page(big, { sort: "created", ...filter }, number, 50)
  const readings: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown>]> = [
    ["GET /lists", lists.page(big, 0, 50)],
    ["GET /things", page({})],
    ["GET /things?page=2000", page({}, 2000)],
    ["GET /things?sort=updated", page({ sort: "updated" })],
    ["GET /things?since=", page({ since: EpochMillis(1_700_049_000_000) })],
    ["GET /things?sort=updated&since=", page({ sort: "updated", since: EpochMillis(1_700_049_000_000) })],
    ["GET /things?list_id=", page({ listId: bigList })],
    ["GET /things?list_id=&sort=updated", page({ listId: bigList, sort: "updated" })],
    ["GET /things?completed=true", page({ completed: true })],
    ["GET /things?completed=true&sort=updated", page({ completed: true, sort: "updated" })],
    ["GET /things?type=dash", page({ type: "dash" })],
    ["GET /things?type=dash&sort=updated", page({ type: "dash", sort: "updated" })],
    ["GET /things?tag=", page({ tag: "tag10" })],
    ["GET /things?tag=&sort=updated", page({ tag: "tag10", sort: "updated" })],
    ["GET /things?list_id=&completed=false&type=dash", page({ listId: bigList, completed: false, type: "dash" })],
    ["GET /things?tag=&completed=true", page({ tag: "tag10", completed: true })],
    ["GET /lists/{id} (2,400 things)", store.listWithThings(small, ListId.make(listId(3, 13)))],
    ["lists by name", lists.byTitles(big, ["Nothing of that name"])],
    ["titles for an unknown name", lists.titles(big, 20_000)],
    [
      "duplicates of 2 texts and a url",
      store.duplicates(big, new Map([[bigList, { urls: ["https://a.example"], texts: ["a", "b"] }]]))
    ],
    ["end of a list", store.ends(big, [bigList])],
    ["GET /tags", store.tagCounts(big)],
    ["GET /reminders (upcoming)", reminders.upcoming(big, EpochMillis(1_700_120_000_000), 50)],
    ["GET /reminders (overdue)", reminders.overdue(big, EpochMillis(1_700_120_000_000), 50)],
    ["calendar (between)", reminders.between(big, EpochMillis(1_700_120_000_000), EpochMillis(1_700_120_500_000), 500)],
    ["a later day (what repeats)", reminders.repeating(big, EpochMillis(1_700_120_000_000), 1_000)],
    ["search, 1 match", store.search(big, "99950", 50)],
    ["search, a rare word", store.search(big, "c4ca42", 50)],
    ["search, 190,000 matches", store.search(big, "item", 50)],
    ["search, 2 characters", store.search(big, "c4", 50)],
    ["search, 2 characters, a smaller owner", store.search(small, "c4", 50)],
    ["search, no match", store.search(big, "zzzzzz", 50)],
    ["search of titles", lists.search(big, "list 12", 50)],
    [
      "GET /lists/{id} (with its things, where they are few)",
      store.listWithThings(small, ListId.make(listId(3, 13)), many)
    ],
    ["GET /today (with its things, where they are few)", store.listWithThings(small, { day: "2026-11-22" }, many)],
    ["GET /operations", history.page(written, {}, 0, 50)],
    ["GET /operations/{id}", history.get(written, operation.id)],
    ["GET /operations/{id} (what it changed)", history.entities(written, operation.at, 500)],
    ["GET /operations/{id} (what it left)", history.after(written, operation.at, changed)],
    ["undo (as it is now)", history.current(written, changed)],
    ["undo (later operations on the same)", history.later(written, operation.at, changed)],
    ["GET /changes (what followed)", history.following(written, EpochMillis(0), 0, 500)],
    ["GET /changes (where the history ends)", history.head(written)],
    ["GET /changes (the state, things)", history.state(written, "originals", undefined, 500)]
  ]
  const explained: Array<Explained> = []
  for (const [name, reading] of readings) explained.push(yield* explain(name, reading))
  return explained
})

/** Nodes of the plan with the rows and blocks that they read. */
const summary = (plan: ReadonlyArray<string>): string =>
  plan
    .filter(
      (line) => !/Planning|Buffers: shared (hit|read)=\d+$|Memory Usage|Heap Blocks/.test(line) || /Buffers/.test(line)
    )
    .join("\n")

const markdown = (explained: ReadonlyArray<Explained>): string => `# Plans of the PostgreSQL adapter's statements

Written by \`node packages/storage-pg/test/explain/Report.ts\` on PostgreSQL ${version}, over ${things.toLocaleString("en")}
things of 10 owners, of whom the asking one has 190,000 (50,000 in one list). Times are the best of ${runs}
calls through the adapter, rows decoded, on two cores that others kept busy; the plans are those of the very statements, with their parameters.

| reading | time |
|---|---|
${explained.map(({ name, millis }) => `| ${name} | ${millis.toFixed(1)} ms |`).join("\n")}

${explained.map(({ name, plan }) => `## ${name}\n\n\`\`\`\n${summary(plan)}\n\`\`\``).join("\n\n")}
`

const server = await startTestPostgres({
  version,
  settings: ["maintenance_work_mem=512MB", "fsync=off", "max_wal_size=8GB"]
})
try {
  const url = server.url()
  await Effect.runPromise(Effect.scoped(Layer.build(PgStorage.layer({ url }))))
  await fillThings(server, "postgres")
  await Effect.runPromise(Effect.provide(writeHistory, PgStorage.layer({ url })))
  const database = Database.layer({ url })
  const stores = Layer.mergeAll(
    ThingStorePg.layer,
    ListStorePg.layer,
    ReminderStorePg.layer,
    HistoryStorePg.layer
  ).pipe(
    Layer.provide(WriteClocks.layer),
    Layer.provide(Engine.layer),
    Layer.provide(Layer.provide(noting, database)),
    Layer.provideMerge(database)
  )
  const explained = await Effect.runPromise(Effect.provide(report, stores))
  writeFileSync(new URL("../../../../docs/explain.md", import.meta.url), markdown(explained))
} finally {
  await server.stop()
}
