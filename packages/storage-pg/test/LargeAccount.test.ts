import { afterAll, describe, expect, layer as withLayer } from "@effect/vitest"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { AccountId, ListId } from "@lists-and-things/domain/model/Ids"
import type { OperationFilter } from "@lists-and-things/domain/ports/HistoryStore"
import { newAccount, newList, newThings, noon } from "@lists-and-things/testing/Fixtures"
import { newWebhook } from "@lists-and-things/testing/WebhookFixtures"
import { Context, Effect, Layer, type Redacted } from "effect"
import { randomUUID } from "node:crypto"
import * as PgStorage from "../src/PgStorage.ts"
import { openTestDatabase } from "../src/testing/TestDatabase.ts"
import { testVersions } from "../src/testing/TestServer.ts"
import { deletions } from "../src/accounts/AccountStore.ts"
import { deleteEmptyGrants } from "../src/accounts/OAuthStore.ts"
import { following, later, ownedFor, wantedIn } from "../src/history/HistoryStore.ts"
import { newest, pageStatement } from "../src/history/OperationPages.ts"
import { insertChangedOrGone } from "../src/history/OperationRecord.ts"
import { page as pageOfLists } from "../src/things/ListStore.ts"
import { countList } from "../src/things/SizeStore.ts"
import { ofIds } from "../src/things/ThingStore.ts"
import { dueRead, newestDue, walk } from "../src/webhooks/DueWebhooks.ts"
import { lease } from "../src/webhooks/Leases.ts"
import { selectOfOne } from "../src/things/ThingWithReminder.ts"

const withThings = (count: number) =>
  Effect.gen(function* () {
    const { id: owner } = yield* newAccount()
    const list = yield* newList(owner)
    const made = yield* newThings(
      owner,
      list.id,
      Array.from({ length: count }, () => ({}))
    )
    return { owner, list: list.id, id: made.at(-1)!.id }
  })

/** The plan of an executed statement, generic or for these parameters. `given` are SQL types and expressions. */
const planOf = Effect.fnUntraced(function* (
  url: Redacted.Redacted<string>,
  sql: string,
  given: ReadonlyArray<readonly [type: string, value: string]>,
  mode: "generic" | "custom" = "generic"
) {
  const connection = yield* PgConnection.make({ url })
  const run = (text: string) => Effect.map(connection.query(text, [], false), ({ rows }) => rows)
  yield* run(`set plan_cache_mode = force_${mode}_plan`)
  yield* run(`prepare planned (${given.map(([type]) => type).join(", ")}) as ${sql}`)
  yield* run("begin")
  const values = given.map(([, value]) => value).join(", ")
  const plan = yield* run(`explain (analyze, costs off, timing off) execute planned (${values})`)
  yield* run("rollback")
  return plan.map((row) => String(row["QUERY PLAN"]))
})

/** The most rows that a step of the plan returned or filtered out. */
const maxRows = (plan: ReadonlyArray<string>): number =>
  Math.max(...plan.flatMap((line) => /(?:rows=|Rows Removed by [ \w]+: )(\d+)/.exec(line)?.[1] ?? []).map(Number))

/** The parameters of the record of an operation that stored a thing, touched a list, and removed all of some parts. */
const recordOf = (owner: string, list: string, thing: string, removed = "{}") => {
  const texts = Array.from({ length: 7 }, () => "''")
  const ids = ["", thing, "", "", "", list].map((id) => `'{${id}}'`)
  const given = [quoted(owner), "1", "gen_random_uuid()", ...texts, "null", ...ids, "true", "'{}'", quoted(removed)]
  const types = ["uuid", "bigint", "uuid", ...texts.map(() => "text"), "uuid", ...ids.map(() => "uuid[]"), "boolean"]
  return given.map((value, at) => [[...types, "uuid[]", "int4multirange"][at]!, value] as const)
}

/** How many rows were read by an index, each time that it was used. */
const rowsOfIndex = (plan: ReadonlyArray<string>, index: string): ReadonlyArray<number> =>
  plan.flatMap((line) => new RegExp(` on ${index} \\(actual rows=(\\d+)`).exec(line)?.[1] ?? []).map(Number)

/** The highest number of loops of a step of the plan. */
const maxLoops = (plan: ReadonlyArray<string>): number =>
  Math.max(...plan.flatMap((line) => / loops=(\d+)/.exec(line)?.[1] ?? []).map(Number))

const quoted = (value: unknown): string => (value === null ? "null" : `'${String(value)}'`)

/**
 * Operations of an account, each on a thing, and every so many on the list: the first by a key of its own, the others by
 * another.
 */
const operations = (
  owner: string,
  list: string,
  count: number,
  every = 2_500
): string => `insert into operations (owner_id, stamp, id,
    name, surface, by_type, by_id, by_name, summary, has_images, settings, things, touched_lists)
  select '${owner}', n, gen_random_uuid(), 'update_thing', 'rest', 'key', case when n = 1 then 'first' else 'other' end,
    '', '', false, false, array[gen_random_uuid()], array[case when n % ${every} = 0 then '${list}'::uuid else gen_random_uuid() end]
  from generate_series(1, ${count}) as n`

const newThingUnderKey = (list: string) =>
  JSON.stringify([
    {
      item: 0,
      id: randomUUID(),
      list_id: list,
      text: "Milk",
      text_hash: randomUUID(),
      type: "todo",
      key_hash: randomUUID(),
      key: "k",
      fingerprint: "f",
      answer: "{}",
      answer_created: "created",
      answer_updated: "updated"
    }
  ])

class WithHistory extends Context.Service<WithHistory, { readonly owner: AccountId; readonly list: ListId }>()(
  "WithHistory"
) {}

for (const version of testVersions) {
  const server = await openTestDatabase({ version })
  afterAll(() => server.stop())
  const sql = (text: string) => Effect.promise(() => server.sql(text))

  /** An account with 20,000 operations, beside 60 with 20 each. */
  const withHistory = Effect.gen(function* () {
    const others = yield* Effect.forEach(Array.from({ length: 60 }), () => withThings(1))
    const { list, owner } = yield* withThings(1)
    yield* Effect.forEach(others, (each) => sql(operations(each.owner, each.list, 20)), { discard: true })
    yield* sql(operations(owner, list, 20_000))
    yield* sql("analyze operations")
    return { owner, list }
  })

  withLayer(PgStorage.layer(server.config()), { excludeTestServices: true })(
    `PostgreSQL ${version}: an account that is much larger than others`,
    (it) => {
      describe("reads", () => {
        it.effect("one thing without reading others to find it", () =>
          Effect.gen(function* () {
            yield* Effect.forEach(Array.from({ length: 60 }), () => withThings(2), { discard: true })
            const { id, owner } = yield* withThings(4_000)
            const connection = yield* PgConnection.make({ url: server.url() })
            const rowsOf = (sql: string) => Effect.map(connection.query(sql, [], false), ({ rows }) => rows)
            yield* rowsOf("analyze things")
            yield* rowsOf("set plan_cache_mode = force_generic_plan")
            yield* rowsOf(`prepare reading (json, uuid) as ${selectOfOne}`)
            const wanted = JSON.stringify([{ item: 0, owner, id }])
            const plan = yield* rowsOf(
              `explain (analyze, costs off, timing off) execute reading ('${wanted}', '${owner}')`
            )
            const lines = plan.map((row) => String(row["QUERY PLAN"]))
            const counts = lines.flatMap((line) => /rows=(\d+)/.exec(line)?.[1] ?? []).map(Number)
            expect(counts.length, lines.join("\n")).toBeGreaterThan(2)
            expect(Math.max(...counts), lines.join("\n")).toBe(1)
          }).pipe(Effect.scoped)
        )

        it.effect.each(["custom", "generic"] as const)("things by their ids without reading others: %s plan", (mode) =>
          Effect.gen(function* () {
            const { owner } = yield* withThings(4_000)
            yield* sql("analyze things")
            const [row] = yield* sql(
              `select array_agg(id)::text as ids from (select id from things where owner_id = '${owner}' limit 20) t`
            )
            const ids = quoted(row?.["ids"])
            const plan = yield* planOf(
              server.url(),
              ofIds("t.text"),
              [
                ["uuid", quoted(owner)],
                ["uuid[]", ids]
              ],
              mode
            )
            const indexes = plan.flatMap((line) => / using (\w+) on things/.exec(line)?.[1] ?? [])
            expect(indexes, plan.join("\n")).toStrictEqual(["things_pkey"])
            expect(maxRows(plan), plan.join("\n")).toBe(20)
          }).pipe(Effect.scoped)
        )

        it.effect.each(["custom", "generic"] as const)(
          "the following operations, and counts the entities of each once: %s plan",
          (mode) =>
            Effect.gen(function* () {
              const { list, owner } = yield* withThings(1)
              yield* sql(operations(owner, list, 2_000))
              const given = [
                ["uuid", quoted(owner)],
                ["bigint", "0"],
                ["bigint", "0"],
                ["bigint", "500"]
              ] as const
              const plan = yield* planOf(server.url(), following, given, mode)
              expect(maxRows(plan), plan.join("\n")).toBe(501)
              expect(maxLoops(plan), plan.join("\n")).toBeLessThanOrEqual(501)
            }).pipe(Effect.scoped)
        )

        it.effect("a page of lists with at most one thing per day list", () =>
          Effect.gen(function* () {
            yield* Effect.forEach(Array.from({ length: 60 }), () => withThings(2), { discard: true })
            const { owner } = yield* withThings(4_000)
            const connection = yield* PgConnection.make({ url: server.url() })
            const rowsOf = (sql: string) => Effect.map(connection.query(sql, [], false), ({ rows }) => rows)
            for (let day = 100; day < 160; day++) {
              const { id } = yield* newList(owner, { day: `2030-${day}` })
              yield* newThings(owner, id, [{}, {}, {}])
            }
            yield* rowsOf(`insert into lists select (jsonb_populate_record(l,
                jsonb_build_object('id', gen_random_uuid(), 'day', '2030-' || n, 'updated', 1))).*
              from lists l, generate_series(1000, 4000) as n where l.owner_id = '${owner}' and l.day = '2030-100'`)
            yield* rowsOf("analyze things, lists")
            yield* rowsOf("set plan_cache_mode = force_generic_plan")
            yield* rowsOf(`prepare listing (uuid) as ${pageOfLists("limit 51")}`)
            const plan = yield* rowsOf(`explain (analyze, costs off, timing off) execute listing ('${owner}')`)
            const lines = plan.map((row) => String(row["QUERY PLAN"]))
            const counts = lines.flatMap((line) => / on things.* rows=(\d+)/.exec(line)?.[1] ?? []).map(Number)
            expect(counts, lines.join("\n")).toHaveLength(1)
            expect(counts[0], lines.join("\n")).toBeLessThanOrEqual(1)
          }).pipe(Effect.scoped)
        )
      })

      it.layer(Layer.effect(WithHistory, withHistory))("reads of its history", (it) => {
        const pageFor = (owner: AccountId, filter: OperationFilter, page: number) =>
          Effect.gen(function* () {
            const { params, sql } = pageStatement(owner, filter, { owned: ownedFor(false), page, size: 50 })
            const types = ["uuid", ...params.slice(1).map((param) => (typeof param === "number" ? "bigint" : "text"))]
            const isId = (param: unknown) => param === filter.listId || param === filter.thingId
            return yield* planOf(
              server.url(),
              sql,
              params.map((param, at) => [isId(param) ? "uuid" : types[at]!, quoted(param)])
            )
          })

        it.effect("the operations on a list: without others than the newest", () =>
          Effect.gen(function* () {
            const { list, owner } = yield* WithHistory
            const plan = yield* pageFor(owner, { listId: list }, 0)
            expect(maxRows(plan), plan.join("\n")).toBe(newest)
            expect(rowsOfIndex(plan, "operations_ids"), plan.join("\n")).toStrictEqual([8])
          }).pipe(Effect.scoped)
        )

        it.effect("a page of a list with many operations: without older ones", () =>
          Effect.gen(function* () {
            const { list, owner } = yield* withThings(1)
            yield* sql(operations(owner, list, 4_000, 10))
            const plan = yield* pageFor(owner, { listId: list }, 1)
            expect(maxRows(plan), plan.join("\n")).toBe(newest + 2 * 50)
            expect(rowsOfIndex(plan, "operations_ids"), plan.join("\n")).toStrictEqual([])
          }).pipe(Effect.scoped)
        )

        it.effect("the newest operations of one caller without older ones", () =>
          Effect.gen(function* () {
            const { owner } = yield* WithHistory
            const plan = yield* pageFor(owner, { byId: "other" }, 0)
            expect(maxRows(plan), plan.join("\n")).toBe(51)
          }).pipe(Effect.scoped)
        )

        it.effect("a page before a time without newer ones", () =>
          Effect.gen(function* () {
            const { owner } = yield* WithHistory
            const plan = yield* pageFor(owner, { before: EpochMillis(10_000) }, 0)
            expect(maxRows(plan), plan.join("\n")).toBe(51)
          }).pipe(Effect.scoped)
        )

        it.effect("later operations on the same list without others", () =>
          Effect.gen(function* () {
            const { list, owner } = yield* WithHistory
            const plan = yield* planOf(server.url(), later(wantedIn(1, ownedFor(false))), [
              ["uuid", quoted(owner)],
              ["bigint", "0"],
              ["text[]", "array['list']"],
              ["uuid[]", `array['${list}'::uuid]`]
            ])
            expect(maxRows(plan), plan.join("\n")).toBe(8)
            // Each has only touched the list, so none is compared entity by entity.
            expect(maxLoops(plan), plan.join("\n")).toBe(1)
          }).pipe(Effect.scoped)
        )
      })

      it.effect("is not counted again if its counts are current", () =>
        Effect.gen(function* () {
          const { list, owner } = yield* withThings(4_000)
          const ask = () =>
            planOf(server.url(), countList, [
              ["uuid", quoted(owner)],
              ["uuid", quoted(list)]
            ])
          const plan = yield* ask()
          expect(maxRows(plan), plan.join("\n")).toBe(1)
          yield* sql(`update lists set counted_at = null where id = '${list}'`)
          expect(maxRows(yield* ask())).toBe(4_000)
        }).pipe(Effect.scoped)
      )

      describe("writes", () => {
        it.effect("the images of removed rows, reading only these rows", () =>
          Effect.gen(function* () {
            yield* Effect.forEach(Array.from({ length: 60 }), () => withThings(2), { discard: true })
            const { id, list, owner } = yield* withThings(4_000)
            yield* sql("analyze things, lists")
            const plan = yield* planOf(server.url(), insertChangedOrGone.whole, recordOf(owner, list, id))
            expect(maxRows(plan), plan.join("\n")).toBe(1)
          }).pipe(Effect.scoped)
        )

        it.effect("the record of a removed list, without looking for its things", () =>
          Effect.gen(function* () {
            const { id, list, owner } = yield* withThings(1)
            yield* sql(`insert into operation_images (owner_id, stamp, part, type, ids, bytes)
              select '${owner}', 1, 7, 'thing', array_agg(gen_random_uuid()), 1 from generate_series(1, 300)`)
            const loops = (removed: string) =>
              Effect.map(planOf(server.url(), insertChangedOrGone.whole, recordOf(owner, list, id, removed)), maxLoops)
            expect([yield* loops("{}"), yield* loops("{[0,10)}")]).toStrictEqual([301, 1])
          }).pipe(Effect.scoped)
        )

        it.effect("leases of deliveries, reading few of those that are due", () =>
          Effect.gen(function* () {
            const { made } = yield* newWebhook()
            yield* newWebhook()
            yield* sql(`insert into webhook_deliveries (owner_id, webhook_id, id, event, message_id, body, notice,
                position, in_turn, attempts, created, next_attempt)
              select '${made.owner}', '${made.id}', gen_random_uuid(), 'operation', n::text, '{}', '{}', n, false, 1,
                ${noon}, ${noon} + n from generate_series(1, 20000) as n`)
            yield* sql("analyze webhooks, webhook_deliveries")
            const plan = yield* planOf(server.url(), lease, [
              ["bigint", `${noon} + 7000`],
              ["bigint", "60000"],
              ["integer", "10"],
              ["integer", "8"],
              ["uuid[]", "'{}'"],
              ["integer", "8"],
              ["uuid[]", `array['${made.owner}']::uuid[]`],
              ["uuid[]", `array['${made.id}']::uuid[]`]
            ])
            expect(maxRows(plan), plan.join("\n")).toBe(8)
            const look = (now: string) => planOf(server.url(), newestDue, [["bigint", now]])
            expect(maxRows(yield* look(`${noon} + 7000`))).toBe(dueRead)
            expect(maxRows(yield* look(`${noon}`))).toBeLessThanOrEqual(1)
            const none = ["uuid", quoted("00000000-0000-0000-0000-000000000000")] as const
            const step = yield* planOf(server.url(), walk, [["bigint", "500"], none, none])
            expect(maxRows(step), step.join("\n")).toBe(1)
          }).pipe(Effect.scoped)
        )

        it.effect("the deletion of an account with many deliveries, finding each where it lies", () =>
          Effect.gen(function* () {
            const statement = deletions.find((sql) => sql.startsWith("delete from webhook_deliveries"))
            const plan = yield* planOf(server.url(), statement!, [["uuid", quoted(randomUUID())]])
            expect(plan.join("\n")).toMatch(/Tid Scan on webhook_deliveries/)
          }).pipe(Effect.scoped)
        )

        it.effect("the removal of a grant without tokens, reading few tokens of others", () =>
          Effect.gen(function* () {
            const { owner } = yield* withThings(1)
            yield* sql(`insert into oauth_grants (owner_id, id, client_id, client_name, scopes, created)
              select '${owner}', lpad(n::text, 32, '0')::uuid, 'c', 'c', '{}', 0 from generate_series(1, 40) as n`)
            yield* sql(`insert into oauth_tokens (owner_id, hash, kind, grant_id, expires)
              select '${owner}', gen_random_uuid(), 'refresh', lpad((1 + n % 39)::text, 32, '0')::uuid, 0
              from generate_series(1, 4000) as n`)
            yield* sql("analyze oauth_tokens, oauth_grants")
            const plan = yield* planOf(server.url(), deleteEmptyGrants, [
              ["uuid[]", `array['${owner}', '${owner}']::uuid[]`],
              ["uuid[]", "array[lpad('39', 32, '0')::uuid, lpad('40', 32, '0')::uuid]"]
            ])
            expect(maxRows(plan), plan.join("\n")).toBeLessThanOrEqual(120)
          }).pipe(Effect.scoped)
        )

        it.effect("a thing with an idempotency key, reading few records of other keys", () =>
          Effect.gen(function* () {
            const { list, owner } = yield* withThings(1)
            const connection = yield* PgConnection.make({ url: server.url() })
            const rowsOf = (sql: string) => Effect.map(connection.query(sql, [], false), ({ rows }) => rows)
            const now = 1_900_000_000_000
            yield* rowsOf(`insert into receipts (owner_id, key_hash, key, fingerprint, answer, created)
              select '${owner}', gen_random_uuid(), 'k', 'f', 'a', ${now} - n from generate_series(1, 4000) as n`)
            yield* rowsOf("set plan_cache_mode = force_generic_plan")
            yield* rowsOf("begin")
            const written = yield* rowsOf(`select outcome from write_things('${owner}', ${now}, null, true, false,
              '${newThingUnderKey(list)}', 100, 10000, 100, 10000, 60000, true, ${now - 86_400_000}, ${now + 60_000}, 4)`)
            expect(written).toStrictEqual([{ outcome: "written" }])
            const [read] = yield* rowsOf(`select (seq_tup_read + idx_tup_fetch)::integer as records
              from pg_stat_xact_user_tables where relname = 'receipts'`)
            expect(read?.["records"]).toBeLessThan(10)
            yield* rowsOf("rollback")
          }).pipe(Effect.scoped)
        )
      })
    }
  )
}
