import { clockTolerance } from "@lists-and-things/domain/days/ClockSkew"
import { NotFound, type StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { isIdForm } from "@lists-and-things/domain/model/Ids"
import type { NewThing } from "@lists-and-things/domain/ports/ThingStore"
import type { Limits } from "@lists-and-things/domain/size/SizeLimits"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { mapYielding } from "@lists-and-things/domain/scheduling/Yielding"
import { Cause, Effect, type Scope } from "effect"
import { contended, type Contended, type LockMode, makeBatcher } from "../connection/Batcher.ts"
import type { Database } from "../connection/Database.ts"
import type { Values } from "../connection/ConnectionPool.ts"
import { thingRecord } from "./ThingRecords.ts"
import { CurrentTransaction } from "../connection/Transaction.ts"
import { currentTime, EpochMillis, laterOf } from "@lists-and-things/domain/model/EpochMillis"

const append = `select item, outcome, at_stamp, at_date, at_rank, at_seq
  from append_things_within($1::bigint, $2::bigint, $3::boolean, $4::json, $5::bigint, $6::bigint, $7::bigint,
    $8::bigint, $9::bigint)`

type Placed = Pick<Thing, "position" | "created" | "updated">
type Refusal = "no account" | "no list" | "no room"
type Outcome = Placed | Refusal

const maxConcurrentBatches = 4

/** The outcome `held` means that another transaction holds the lock of the account's row. */
const outcomeOf = ([, outcome, writeTimestamp, date, rank, seq]: Values): Outcome | Contended => {
  if (outcome === "held") return contended
  if (outcome !== "added") return outcome as Refusal
  return {
    position: { sortTime: rank as EpochMillis, sequence: seq as number },
    created: date as EpochMillis,
    updated: writeTimestamp as EpochMillis
  }
}

const write = (
  db: Database["Service"],
  { account, list }: Limits,
  things: ReadonlyArray<NewThing>,
  writeTimestamp: EpochMillis | null,
  mode: LockMode
): Effect.Effect<ReadonlyArray<Outcome | Contended>, StorageUnavailable> =>
  Effect.gen(function* () {
    const now = yield* currentTime
    const items = yield* mapYielding(things, (fields, item) => ({
      item,
      owner_id: fields.owner,
      ...thingRecord({ ...fields, position: { sortTime: now, sequence: 0 }, created: now, updated: now })
    }))
    const rows = yield* db.writeValues(append, [
      now,
      writeTimestamp,
      mode === "wait",
      JSON.stringify(items),
      list.things,
      list.bytes,
      account.things,
      account.bytes,
      clockTolerance
    ])
    const outcomes = new Map(rows.map((row) => [row[0], outcomeOf(row)]))
    const latest = rows.reduce((most, [, , at]) => laterOf(most, at as EpochMillis), now)
    yield* db.warnOfSkew(latest, now)
    return things.map((_, item) => outcomes.get(item)!)
  })

/**
 * A defect that one thing causes rolls back the whole batch. All are then reported as contended, so that each account's
 * things are retried as a batch of their own.
 */
const writeTogether = (
  db: Database["Service"],
  limits: Limits,
  things: ReadonlyArray<NewThing>
): Effect.Effect<ReadonlyArray<Outcome | Contended>, StorageUnavailable> =>
  Effect.catchCause(write(db, limits, things, null, "skip"), (cause) =>
    Cause.hasDies(cause) && things.some(({ owner }) => owner !== things[0]!.owner)
      ? Effect.succeed(things.map(() => contended))
      : Effect.failCause(cause)
  )

/**
 * Appends a thing to its list. Returns undefined for an unknown list and `no room` when it may not fit. Outside of a
 * transaction, concurrent calls form one statement that commits by itself (group commit); inside, the call is a
 * statement of that transaction.
 */
export const makeAppend = (db: Database["Service"], limits: Limits, scope: Scope.Scope) => {
  const groupCommit = makeBatcher<NewThing, Outcome, StorageUnavailable>(
    {
      keyOf: ({ owner }) => owner,
      maxConcurrentBatches,
      runBatch: (things, mode) =>
        mode === "wait" ? write(db, limits, things, null, mode) : writeTogether(db, limits, things)
    },
    scope
  )
  return (fields: NewThing): Effect.Effect<Thing | "no room" | undefined, NotFound | StorageUnavailable> =>
    Effect.gen(function* () {
      const { owner } = fields
      if (!isIdForm(owner)) return yield* noAccount
      if (!isIdForm(fields.listId)) return undefined
      yield* db.room
      const tx = yield* CurrentTransaction
      const outcome =
        tx === undefined
          ? yield* groupCommit(fields)
          : (yield* write(db, limits, [fields], tx.writeTimestamps.get(owner) ?? null, "wait"))[0]!
      if (outcome === "no account") return yield* noAccount
      if (outcome === "no room") return outcome
      return typeof outcome === "string" ? undefined : { ...fields, ...outcome }
    })
}

const noAccount = new NotFound({ message: "There is no such account." })
