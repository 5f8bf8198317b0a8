import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { AccountId } from "@lists-and-things/domain/model/Ids"
import type { Stored } from "@lists-and-things/domain/ports/Storage"
import { Context, Effect, Layer } from "effect"
import type { LockMode } from "../connection/Batcher.ts"
import { Database } from "../connection/Database.ts"
import { Engine } from "../Engine.ts"
import { stillCounted } from "../things/Counting.ts"

const nextWrite = "greatest(w.last_write + 1, $2::bigint)"

/**
 * Two forms of a statement: alone, and with a lock of the account in `accounts` before it, which programs take that do
 * not know `write_clocks`.
 */
const forms = (mode: LockMode, statement: (where: string) => string) => {
  const skip = mode === "skip" ? "skip locked" : ""
  return {
    alone: statement("w.owner_id = $1"),
    withOlderWriters: `with older as materialized (select from accounts a where a.id = $1 for no key update ${skip})
      ${statement("w.owner_id = $1 and exists (select from older)")}`
  }
}

const next = forms(
  "wait",
  (where) => `update write_clocks w
    set last_write = ${nextWrite}, ${stillCounted("w", "last_write", nextWrite)} where ${where}
    returning w.last_write::float8 as at`
)

const lock = {
  wait: forms("wait", (where) => `select from write_clocks w where ${where} for no key update`),
  skip: forms("skip", (where) => `select from write_clocks w where ${where} for no key update of w skip locked`)
}

const remove = forms("wait", (where) => `delete from write_clocks w where ${where} returning 1`)

/** The lock of each account, and its last write timestamp. Every method locks until the end of the transaction. */
export class WriteClocks extends Context.Service<
  WriteClocks,
  {
    /** The write timestamp of the transaction; undefined for an unknown account. */
    readonly next: (owner: AccountId, now: EpochMillis) => Stored<EpochMillis | undefined>
    /** False for an unknown account, and when another transaction holds its lock and this one does not wait for it. */
    readonly lock: (owner: AccountId, mode: LockMode) => Stored<boolean>
    /** With a new account, which has nothing to count. */
    readonly insert: (owner: AccountId) => Stored<void>
    /** Before anything else of the account. False for an unknown one. */
    readonly remove: (owner: AccountId) => Stored<boolean>
  }
>()("@lists-and-things/storage-pg/WriteClocks") {
  static readonly layer = Layer.effect(
    WriteClocks,
    Effect.gen(function* () {
      const db = yield* Database
      const engine = yield* Engine
      const write = ({ alone, withOlderWriters }: ReturnType<typeof forms>, owner: AccountId, now?: EpochMillis) =>
        Effect.flatMap(engine.hasOlderWriters, (hasOlder) =>
          db.write(hasOlder ? withOlderWriters : alone, now === undefined ? [owner] : [owner, now])
        )
      return WriteClocks.of({
        next: (owner, now) => Effect.map(write(next, owner, now), ([row]) => row?.at as EpochMillis | undefined),
        lock: (owner, mode) => Effect.map(write(lock[mode], owner), (rows) => rows.length > 0),
        insert: (owner) =>
          Effect.asVoid(
            db.write(
              `insert into write_clocks (owner_id, counted_at) values ($1, 0)
                on conflict (owner_id) do update set counted_at = excluded.counted_at`,
              [owner]
            )
          ),
        remove: (owner) => Effect.map(write(remove, owner), (rows) => rows.length > 0)
      })
    })
  )
}
