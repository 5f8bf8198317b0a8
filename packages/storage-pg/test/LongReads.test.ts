import { afterAll, expect, it } from "@effect/vitest"
import { HistoryStore } from "@lists-and-things/domain/ports/HistoryStore"
import { KeyStore } from "@lists-and-things/domain/ports/KeyStore"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { OAuthStore } from "@lists-and-things/domain/ports/OAuthStore"
import { PlaceStore } from "@lists-and-things/domain/ports/PlaceStore"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { WebhookStore } from "@lists-and-things/domain/ports/WebhookStore"
import { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { WebhookId } from "@lists-and-things/domain/model/Ids"
import { newAccount, newList, newThings, noon, reminder, timeTrigger } from "@lists-and-things/testing/Fixtures"
import { Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { Database } from "../src/connection/Database.ts"
import type { Params } from "../src/connection/ConnectionPool.ts"
import * as PgStorage from "../src/PgStorage.ts"
import { openTestDatabase } from "../src/testing/TestDatabase.ts"
import { testVersions } from "../src/testing/TestServer.ts"
import { watchedDatabase } from "../src/testing/WatchedDatabase.ts"

const server = await openTestDatabase({ version: testVersions[0]! })
afterAll(() => server.stop())

/** The number of statements that were sent as short ones and as long reads. */
const seen = { short: 0, long: 0 }
const watched = watchedDatabase((db) => {
  const counting =
    <A, E>(kind: keyof typeof seen, run: (sql: string, params?: Params) => Effect.Effect<A, E>) =>
    (sql: string, params: Params = []) =>
      Effect.suspend(() => {
        seen[kind]++
        return run(sql, params)
      })
  return {
    read: counting("short", db.read),
    values: counting("short", db.values),
    readLong: counting("long", db.readLong),
    valuesLong: counting("long", db.valuesLong)
  }
}).pipe(Layer.provide(Database.layer(server.config())))

const kindOf = Effect.fnUntraced(function* (reading: Effect.Effect<unknown, unknown>) {
  Object.assign(seen, { short: 0, long: 0 })
  yield* reading
  return { ...seen }
})

it.live("a read of many rows does not run among short statements, which would wait", () =>
  Effect.gen(function* () {
    const { id: owner } = yield* newAccount()
    const { id: list } = yield* newList(owner)
    const [thing] = yield* newThings(owner, list, [{}])
    const [lists, things] = [yield* ListStore, yield* ThingStore]
    const [history, webhooks] = [yield* HistoryStore, yield* WebhookStore]
    const webhook = WebhookId.make(randomUUID())
    for (const near of [0, 20])
      for (const reading of [
        lists.page(owner, near, 50),
        things.page(owner, { sort: "created" }, near, 50),
        things.page(owner, { sort: "created", completed: true }, near, 50),
        things.page(owner, { sort: "created", tag: "home" }, near, 50),
        things.page(owner, { sort: "created", listId: list, completed: false, type: "todo" }, near, 50),
        history.page(owner, {}, near, 50),
        webhooks.deliveries(owner, webhook, near, 50)
      ])
        expect(yield* kindOf(reading)).toStrictEqual({ short: 1, long: 0 })
    for (const reading of [
      lists.page(owner, 21, 50),
      lists.page(owner, 0, 50, "archived"),
      things.page(owner, { sort: "created" }, 21, 50),
      things.page(owner, { sort: "created", completed: true, type: "todo" }, 0, 50),
      things.page(owner, { sort: "created", tag: "home", completed: true }, 0, 50),
      things.page(owner, { sort: "created", tag: "home", listId: list }, 0, 50),
      history.page(owner, {}, 21, 50),
      history.page(owner, { byId: "key" }, 0, 50),
      history.page(owner, { listId: list }, 0, 50),
      history.page(owner, { thingId: thing!.id }, 0, 50),
      webhooks.deliveries(owner, webhook, 21, 50),
      webhooks.followed(100),
      (yield* PlaceStore).all(owner),
      (yield* ReminderStore).atPlaces(owner, 50),
      (yield* KeyStore).list(owner),
      (yield* KeyStore).valid(owner),
      (yield* OAuthStore).grantsOf(owner)
    ])
      expect(yield* kindOf(reading)).toStrictEqual({ short: 0, long: 1 })
  }).pipe(Effect.provide(PgStorage.over.pipe(Layer.provide(watched))))
)

it.live("overdue reminders behind more than a thousand of completed things are a long read", () =>
  Effect.gen(function* () {
    const { id: owner } = yield* newAccount()
    const { id: list } = yield* newList(owner)
    const made = yield* newThings(owner, list, [{}, ...Array.from({ length: 1_000 }, () => ({ completed: true }))])
    const reminders = yield* ReminderStore
    const [first, ...later] = made.map((thing, n) => reminder(thing, { trigger: timeTrigger(noon + n) }))
    yield* reminders.put(owner, later)
    const overdue = reminders.overdue(owner, EpochMillis(noon + 2_000), 1)
    expect(yield* kindOf(overdue)).toStrictEqual({ short: 1, long: 0 })
    yield* reminders.put(owner, [first!])
    expect(yield* overdue).toStrictEqual([first])
    expect(yield* kindOf(overdue)).toStrictEqual({ short: 1, long: 1 })
    yield* reminders.put(owner, [reminder(made[0]!, { trigger: timeTrigger(noon + 1_001) })])
    expect(yield* kindOf(overdue)).toStrictEqual({ short: 1, long: 0 })
  }).pipe(Effect.provide(PgStorage.over.pipe(Layer.provide(watched))))
)

it.live("an unlimited snapshot or transaction waits for the server without a timeout", () =>
  Effect.gen(function* () {
    const db = yield* Database
    const slow = db.read("select pg_sleep(5.5)::text")
    const options = { unlimited: true }
    const reads = db.snapshot(slow, options)
    const writes = db.transactionFrom(Effect.void, () => slow, undefined, options)
    expect(yield* Effect.all([reads, writes], { concurrency: "unbounded" })).toHaveLength(2)
    const limits = db.transaction(db.read("show statement_timeout"))
    expect(yield* Effect.all([limits, limits])).toStrictEqual([
      [{ statement_timeout: "5s" }],
      [{ statement_timeout: "5s" }]
    ])
  }).pipe(Effect.provide(Database.layer(server.config())))
)
