import { NotFound } from "@lists-and-things/domain/model/Errors"
import { type AccountId, isIdForm } from "@lists-and-things/domain/model/Ids"
import { Storage } from "@lists-and-things/domain/ports/Storage"
import { Effect, Layer } from "effect"
import { Database } from "./connection/Database.ts"
import { CurrentTransaction } from "./connection/Transaction.ts"
import { currentTime } from "@lists-and-things/domain/model/EpochMillis"
import { WriteClocks } from "./accounts/WriteClocks.ts"
import { makeRecorded } from "./history/Recorded.ts"

export const noAccount = new NotFound({ message: "There is no such account." })

/** `Storage.transact` and `Storage.transactWith`. */
export const makeTransact = Effect.gen(function* () {
  const db = yield* Database
  const clocks = yield* WriteClocks
  const recorded = yield* makeRecorded

  const writeTimestampOf = Effect.fnUntraced(function* (owner: AccountId) {
    if (!isIdForm(owner)) return yield* noAccount
    const tx = yield* CurrentTransaction
    const given = tx?.writeTimestamps.get(owner)
    if (given !== undefined) return given
    const now = yield* currentTime
    const writeTimestamp = yield* clocks.next(owner, now)
    if (writeTimestamp === undefined) return yield* noAccount
    yield* db.warnOfSkew(writeTimestamp, now)
    tx?.writeTimestamps.set(owner, writeTimestamp)
    return writeTimestamp
  })

  const transact: Storage["Service"]["transact"] = (owner, body, options) =>
    Effect.andThen(db.checkFreeSpace, recorded(owner, writeTimestampOf(owner), body, options))

  const transactWith: Storage["Service"]["transactWith"] = (owner, read, body) =>
    Effect.andThen(
      db.checkFreeSpace,
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
