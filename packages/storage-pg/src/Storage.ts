import { NotFound, type StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { type AccountId, isIdForm } from "@lists-and-things/domain/model/Ids"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { Effect, Layer } from "effect"
import { stillCounted } from "./things/Counting.ts"
import { Database } from "./connection/Database.ts"
import { CurrentTransaction } from "./connection/Transaction.ts"
import { currentTime, type EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

const nextWrite = "greatest(a.last_write + 1, $2::bigint)"

const lockAndTimestamp = `update accounts a
  set last_write = ${nextWrite}, ${stillCounted("a", "last_write", nextWrite)} where a.id = $1
  returning a.last_write::float8 as write_timestamp`

const noAccount = new NotFound({ message: "There is no such account." })

export const layer = Layer.effect(
  Storage,
  Effect.gen(function* () {
    const db = yield* Database

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

    return Storage.of({
      transact: (owner, body) => Effect.andThen(db.room, db.transactionFrom(writeTimestampOf(owner), body)),
      transactWith: (owner, read, body) =>
        Effect.andThen(
          db.room,
          db.transactionFrom(
            Effect.all([writeTimestampOf(owner), read], { concurrency: "unbounded" }),
            ([writeTimestamp, found]) => body(writeTimestamp, found)
          )
        ),
      snapshot: (_owner, body) => db.snapshot(body),
      ping: Effect.asVoid(db.read("select 1"))
    })
  })
)
