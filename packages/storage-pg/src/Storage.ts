import { NotFound, type StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { type AccountId, isIdForm } from "@lists-and-things/domain/model/Ids"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { Effect, Layer } from "effect"
import { stillCounted } from "./things/Counting.ts"
import { Database } from "./connection/Database.ts"
import { CurrentTransaction } from "./connection/Transaction.ts"
import { currentTime, type EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { makeRecorded } from "./history/Recorded.ts"

const nextWrite = "greatest(a.last_write + 1, $2::bigint)"

const lockAndTimestamp = `update accounts a
  set last_write = ${nextWrite}, ${stillCounted("a", "last_write", nextWrite)} where a.id = $1
  returning a.last_write::float8 as write_timestamp`

export const noAccount = new NotFound({ message: "There is no such account." })

/** `Storage.transact` and `Storage.transactWith`. */
export const makeTransact = Effect.gen(function* () {
  const db = yield* Database
  const recorded = yield* makeRecorded

  const writeTimestampOf = (owner: AccountId): Effect.Effect<EpochMillis, NotFound | StorageUnavailable> =>
    Effect.gen(function* () {
      if (!isIdForm(owner)) return yield* noAccount
      const tx = yield* CurrentTransaction
      const given = tx?.writeTimestamps.get(owner)
      if (given !== undefined) return given
      const now = yield* currentTime
      const [row] = yield* db.write(lockAndTimestamp, [owner, now])
      if (row === undefined) return yield* noAccount
      const writeTimestamp = row.write_timestamp as EpochMillis
      yield* db.warnOfSkew(writeTimestamp, now)
      tx?.writeTimestamps.set(owner, writeTimestamp)
      return writeTimestamp
    })

  const transact: Storage["Service"]["transact"] = (owner, body) =>
    Effect.andThen(db.room, recorded(owner, writeTimestampOf(owner), body))

  const transactWith: Storage["Service"]["transactWith"] = (owner, read, body) =>
    Effect.andThen(
      db.room,
      recorded(
        owner,
        Effect.all([writeTimestampOf(owner), read], { concurrency: "unbounded" }),
        ([writeTimestamp, found]) => body(writeTimestamp, found)
      )
    )

  return { transact, transactWith }
})

export const layer = Layer.effect(
  Storage,
  Effect.gen(function* () {
    const db = yield* Database
    return Storage.of({
      ...(yield* makeTransact),
      snapshot: (_owner, body) => db.snapshot(body),
      ping: Effect.asVoid(db.read("select 1"))
    })
  })
)
