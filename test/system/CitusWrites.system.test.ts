import { afterAll, describe, expect, it } from "@effect/vitest"
import { Distribution } from "@lists-and-things/domain/ports/Distribution"
import * as PgStorage from "@lists-and-things/storage-pg/PgStorage"
import { noCitus, startCitus } from "@lists-and-things/storage-pg/testing/CitusCluster"
import { dumpText, loadText, rowsByTable, withoutClocks } from "@lists-and-things/storage-pg/testing/DumpText"
import { openTestDatabase } from "@lists-and-things/storage-pg/testing/TestDatabase"
import { Effect, ManagedRuntime } from "effect"
import { document } from "../http/AnswerSchemas.ts"
import { fixture, operations } from "../http/Operations.ts"
import { postgresServer, testServer } from "../http/TestServer.ts"
import { ownPort } from "../setup/OwnPort.ts"

const reason = noCitus()
if (reason !== undefined) process.stderr.write(`NOT TESTED: writes to a cluster of Citus, since ${reason}.\n`)

describe.skipIf(reason !== undefined)("writing operations on a Citus coordinator with two workers", async () => {
  if (reason !== undefined) return
  const cluster = startCitus(await ownPort())
  afterAll(() => cluster.stop())
  const { url } = cluster
  await cluster.sql("alter database lists_and_things set citus.shard_count = 4")
  const storage = PgStorage.layer({ url })
  const distribute = Effect.flatMap(Distribution, ({ distribute }) => distribute)
  const tables = await Effect.runPromise(distribute.pipe(Effect.provide(storage)))
  const server = ManagedRuntime.make(postgresServer(url))
  afterAll(() => server.dispose())
  const { client } = await server.runPromise(testServer)
  const { ask } = await client()
  const prepared = await cluster.countPrepared()

  const writing = Object.values(document.paths)
    .flatMap((item) => Object.values(item))
    .map(({ operationId }) => operationId)
    .filter((id) => id === "getToday" || (operations[id]!.method !== "GET" && id !== "previewReminder"))

  it("the count of prepared transactions rises with a distributed update", async () => {
    const before = prepared()
    await cluster.sql("update write_clocks set last_write = last_write")
    expect(prepared()).toBeGreaterThan(before)
  })

  it.each(writing)("%s prepares no transaction", async (operationId) => {
    const { good, method, success } = operations[operationId]!
    for (const headers of [{}, { "idempotency-key": `once-${operationId}` }]) {
      const on = await fixture({ ask })
      const before = prepared()
      const answer = await ask(method, good.path(on), good.body?.(on), { headers: method === "GET" ? {} : headers })
      expect([answer.status, prepared() - before]).toStrictEqual([success, 0])
    }
  })

  it("a dump of the cluster loads unchanged into one PostgreSQL and into the cluster again", async () => {
    const single = await openTestDatabase({ version: 18 })
    afterAll(() => single.stop())
    await server.dispose()
    const dumped = await dumpText(storage)
    expect(rowsByTable(dumped)["things"]!.length).toBeGreaterThan(writing.length)
    const alone = PgStorage.layer({ url: single.url() })
    await loadText(alone, dumped)
    expect(withoutClocks(await dumpText(alone))).toStrictEqual(withoutClocks(dumped))
    await cluster.sql(`truncate ${tables.join(", ")}`)
    await cluster.sql(
      "truncate accounts, attempts, oauth_clients, webhooks, webhook_accounts, reminder_moments cascade"
    )
    const older = dumped.replace(/"schema":\[1,/, '"schema":[')
    await expect(loadText(storage, older)).rejects.toThrow(
      "This database is distributed, and the dump is of another release"
    )
    await loadText(storage, await dumpText(alone))
    expect(withoutClocks(await dumpText(storage))).toStrictEqual(withoutClocks(dumped))
    const state = await Effect.runPromise(
      Effect.flatMap(Distribution, ({ state }) => state).pipe(Effect.provide(storage))
    )
    expect(state?.pending).toStrictEqual([])
  })
})
