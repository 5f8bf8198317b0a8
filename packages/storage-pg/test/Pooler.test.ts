import { afterAll, describe, expect, it } from "@effect/vitest"
import { StorageAdmin } from "@lists-and-things/domain/ports/StorageAdmin"
import { Effect, Layer } from "effect"
import { Database } from "../src/connection/Database.ts"
import * as PgStorage from "../src/PgStorage.ts"
import { openTestDatabase } from "../src/testing/TestDatabase.ts"

const server = await openTestDatabase({ version: 18 })
afterAll(() => server.stop())
const layer = Layer.merge(PgStorage.layer(server.config()), Database.layer(server.config()))

describe("behind PgBouncer in transaction mode", () => {
  it.live("200 concurrent transactions and reads over 5 server connections get their own answers", () =>
    Effect.gen(function* () {
      const db = yield* Database
      const sql = "select $1::text as n, pg_backend_pid() as pid, pg_sleep(0.005)::text"
      const answers = yield* Effect.forEach(
        Array.from({ length: 200 }, (_, n) => n),
        (n) => (n % 3 === 0 ? db.transaction(db.write(sql, [n])) : db.read(sql, [n])),
        // More than the server connections, and few enough that none waits for long for a connection of the client.
        { concurrency: 8 }
      )
      expect(answers.map(([row]) => Number(row?.n))).toStrictEqual(answers.map((_, n) => n))
      expect(new Set(answers.map(([row]) => row?.pid)).size).toBeLessThanOrEqual(5)
    }).pipe(Effect.provide(layer))
  )

  it.live("a transaction has its timeouts, and leaves no state in the session", () =>
    Effect.gen(function* () {
      const db = yield* Database
      const limits = "select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock"
      expect(yield* db.transaction(db.write(limits))).toStrictEqual([{ statement: "5s", lock: "2s" }])
      expect(yield* db.snapshot(db.read(limits))).toStrictEqual([{ statement: "5s", lock: "2s" }])
      expect(yield* db.read(limits)).toStrictEqual([{ statement: "0", lock: "0" }])
      expect(yield* db.read("select count(*)::int4 as n from pg_prepared_statements")).toStrictEqual([{ n: 0 }])
    }).pipe(Effect.provide(layer))
  )

  it.live("the status names the settings that the role lacks", () =>
    Effect.gen(function* () {
      const missing = (yield* Effect.flatMap(StorageAdmin, (admin) => admin.status)).missingRoleSettings
      expect(missing).toContain("alter role postgres set statement_timeout = '5000'")
      expect(missing).not.toContain("alter role postgres set default_transaction_isolation = 'read committed'")
    }).pipe(Effect.provide(layer))
  )

  it.live("without the setting the start fails and names it", () =>
    Effect.gen(function* () {
      const { url } = server.config()
      const refused = yield* Effect.flip(Effect.scoped(Layer.build(PgStorage.layer({ url }))))
      expect(refused._tag).toBe("PoolerRefused")
      expect(refused.message).toContain("LAT_DATABASE_POOLER=transaction")
    })
  )
})
