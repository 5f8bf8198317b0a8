import { clockTolerance } from "@lists-and-things/domain/days/ClockSkew"
import type { NotFound, StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import {
  CurrentOperation,
  type CallRecord,
  forgetWrite,
  recordOf
} from "@lists-and-things/domain/model/CurrentOperation"
import { isIdForm } from "@lists-and-things/domain/model/Ids"
import { operationIdAt } from "@lists-and-things/domain/model/Operation"
import type { NewThing } from "@lists-and-things/domain/ports/ThingStore"
import { SizeLimits } from "@lists-and-things/domain/size/SizeLimits"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { mapYielding } from "@lists-and-things/domain/scheduling/Yielding"
import { Cause, Effect } from "effect"
import { contended, type Contended, type LockMode, makeBatcher } from "../connection/Batcher.ts"
import { Database } from "../connection/Database.ts"
import { Engine } from "../Engine.ts"
import { randomTail } from "../history/OperationRecord.ts"
import { makeRecorder } from "../history/Recorder.ts"
import { makeTransact, noAccount } from "../Storage.ts"
import type { Values } from "../connection/ConnectionPool.ts"
import { thingRecord } from "./ThingRecords.ts"
import { CurrentTransaction } from "../connection/Transaction.ts"
import { currentTime, epoch, EpochMillis, laterOf } from "@lists-and-things/domain/model/EpochMillis"

const columns = "item, outcome, at_stamp, at_date, at_rank, at_seq"

const call = (owner: string, items: string) => `append_to_account(${owner}, $2::bigint, $3::bigint, $4::boolean,
  ${items}, $5::bigint, $6::bigint, $7::bigint, $8::bigint, $9::bigint, $10::boolean)`

/** To one account, the last parameter. */
const appendToOne = `select ${columns} from ${call("$11::uuid", "$1::json")}`

/** To one account after the other, in the given order. */
const appendToSeveral = `select ${columns} from json_to_recordset($1::json) as given (owner uuid, items json)
  cross join lateral ${call("given.owner", "given.items")}`

/** A thing and the operation that adds it: undefined within a transaction, which has one of its own. */
interface Item {
  readonly fields: NewThing
  readonly operation: (CallRecord & { readonly tail: Uint8Array }) | undefined
}

/** As `append_to_account` reads it. */
const operationFields = ({ operation }: Item): object => {
  if (operation === undefined) return {}
  const { by, name, requestId, summary, surface, tail } = operation
  return {
    operation: operationIdAt(epoch, tail).replaceAll("-", "").slice(12),
    operation_name: name,
    surface,
    by_type: by.type,
    by_id: by.id,
    by_name: by.name,
    request_id: requestId,
    summary
  }
}

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

/**
 * Appends a thing to its list. Returns undefined for an unknown list and `no room` when it may not fit. Outside of a
 * transaction, concurrent calls form one statement that commits by itself (group commit); inside, the call is a
 * statement of that transaction.
 */
export const makeAppend = Effect.gen(function* () {
  const db = yield* Database
  const engine = yield* Engine
  const { account, list } = yield* SizeLimits
  const recorder = yield* makeRecorder
  const { transact } = yield* makeTransact

  const write = (
    things: ReadonlyArray<Item>,
    writeTimestamp: EpochMillis | null,
    mode: LockMode
  ): Effect.Effect<ReadonlyArray<Outcome | Contended>, StorageUnavailable> =>
    Effect.gen(function* () {
      const now = yield* currentTime
      // The function knows the answer by itself; asking is what brings the end of two locks about.
      yield* engine.besideOlder
      const items = yield* mapYielding(things, (thing, item) => ({
        item,
        ...thingRecord({ ...thing.fields, position: { sortTime: now, sequence: 0 }, created: now, updated: now }),
        ...operationFields(thing)
      }))
      // In one order, so that two calls cannot deadlock.
      const byOwner = [...Map.groupBy(items, ({ item }) => things[item]!.fields.owner)].sort(([a], [b]) =>
        a < b ? -1 : 1
      )
      const [only] = byOwner.length === 1 ? byOwner : []
      const params = [
        JSON.stringify(only?.[1] ?? byOwner.map(([owner, own]) => ({ owner, items: own }))),
        now,
        writeTimestamp,
        mode === "wait",
        list.things,
        list.bytes,
        account.things,
        account.bytes,
        clockTolerance,
        recorder.keepsImages
      ]
      const rows = yield* only === undefined
        ? db.writeValues(appendToSeveral, params)
        : db.writeValues(appendToOne, [...params, only[0]])
      const outcomes = new Map(rows.map((row) => [row[0], outcomeOf(row)]))
      const latest = rows.reduce((most, [, , at]) => laterOf(most, at as EpochMillis), now)
      yield* db.warnOfSkew(latest, now)
      return things.map((_, item) => outcomes.get(item)!)
    })

  /**
   * A defect that one thing causes rolls back the whole batch. All are then reported as contended, so that each
   * account's things are retried as a batch of their own.
   */
  const writeTogether = (things: ReadonlyArray<Item>): ReturnType<typeof write> =>
    Effect.catchCause(write(things, null, "skip"), (cause) =>
      Cause.hasDies(cause) && things.some(({ fields }) => fields.owner !== things[0]!.fields.owner)
        ? Effect.succeed(things.map(() => contended))
        : Effect.failCause(cause)
    )

  const groupCommit = makeBatcher<Item, Outcome, StorageUnavailable>(
    {
      keyOf: ({ fields }) => fields.owner,
      maxConcurrentBatches,
      runBatch: (things, mode) => (mode === "wait" ? write(things, null, mode) : writeTogether(things))
    },
    yield* Effect.scope
  )

  /** A write of its own, with an operation of its own. */
  const appendAlone = Effect.fnUntraced(function* (fields: NewThing) {
    const call = yield* CurrentOperation
    const tail = randomTail()
    const item = { fields, operation: { ...recordOf(call), tail } }
    const outcome = yield* Effect.ensuring(groupCommit(item), forgetWrite(call))
    if (call !== undefined && typeof outcome === "object") call.recorded = operationIdAt(outcome.updated, tail)
    return outcome
  })

  const appendWithin = Effect.fnUntraced(function* (fields: NewThing, writeTimestamp: EpochMillis | undefined) {
    const [outcome] = yield* write([{ fields, operation: undefined }], writeTimestamp ?? null, "wait")
    const told = { stored: ["thing", [fields.id]], touchedLists: [fields.listId] } as const
    if (typeof outcome === "object") yield* recorder.note(fields.owner, told)
    return outcome as Outcome
  })

  const appendTo = (fields: NewThing): Effect.Effect<Thing | "no room" | undefined, NotFound | StorageUnavailable> =>
    Effect.gen(function* () {
      const { owner } = fields
      if (!isIdForm(owner)) return yield* noAccount
      if (!isIdForm(fields.listId)) return undefined
      const [tx, call] = [yield* CurrentTransaction, yield* CurrentOperation]
      if (tx === undefined && call?.inspect !== undefined) return yield* transact(owner, () => appendTo(fields))
      yield* db.room
      const outcome = yield* tx === undefined
        ? appendAlone(fields)
        : appendWithin(fields, tx.writeTimestamps.get(owner))
      if (outcome === "no account") return yield* noAccount
      if (outcome === "no room") return outcome
      return typeof outcome === "string" ? undefined : { ...fields, ...outcome }
    })

  return appendTo
})
