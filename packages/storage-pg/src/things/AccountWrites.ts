import { clockTolerance } from "@lists-and-things/domain/days/ClockSkew"
import {
  type CallRecord,
  committedAs,
  CurrentOperation,
  takeRecord
} from "@lists-and-things/domain/model/CurrentOperation"
import { currentTime, type EpochMillis, laterOf } from "@lists-and-things/domain/model/EpochMillis"
import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import type { AccountId } from "@lists-and-things/domain/model/Ids"
import { operationIdOf } from "@lists-and-things/domain/model/Operation"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { mapYielding } from "@lists-and-things/domain/scheduling/Yielding"
import { SizeLimits } from "@lists-and-things/domain/size/SizeLimits"
import { compareText } from "@lists-and-things/domain/text/TextFold"
import { Effect } from "effect"
import { contended, type Contended, type LockMode, makeBatcher } from "../connection/Batcher.ts"
import { late } from "../connection/Refusals.ts"
import type { Values } from "../connection/ConnectionPool.ts"
import { Database } from "../connection/Database.ts"
import { Engine } from "../Engine.ts"
import { isRefusal } from "../connection/SqlErrors.ts"
import { randomTail } from "../history/OperationRecord.ts"
import { makeRecorder } from "../history/Recorder.ts"
import type { KeyedAnswer } from "./KeyedAnswer.ts"

/** Of one account, or of several, which the items then name. */
const statement = `select item, outcome, at_stamp, at_date, at_rank, at_seq from write_things($2::uuid, $3::bigint,
  $4::bigint, $5::boolean, $6::boolean, $1::json, $7::bigint, $8::bigint, $9::bigint, $10::bigint, $11::bigint,
  $12::boolean, $13::bigint, $14::bigint, $15::integer)`

/** A write of one thing. */
export interface ThingWrite {
  readonly owner: AccountId
  /** A new object as `write_things` reads it; called when it is sent. */
  readonly fields: () => object
  /** Of a write under a key. */
  readonly keyed?: KeyedAnswer | undefined
}

/** The position and `created` are those of a new thing. */
export type Written = Pick<Thing, "position" | "created" | "updated">
export type Refusal = "no account" | "no list" | "no room" | "changed" | "repeated"

/** A write and the operation that it leaves: undefined within a transaction, which has one of its own. */
export interface Item extends ThingWrite {
  readonly operation: (CallRecord & { readonly tail: string }) | undefined
}

/** Writes of single things, each in one statement. */
export interface AccountWrites {
  /** A write of its own. Concurrent ones form one statement that commits by itself (group commit). */
  readonly alone: (write: ThingWrite) => Effect.Effect<Written | Refusal, StorageUnavailable>
  /** A statement of the fiber's transaction, with its write timestamp. */
  readonly within: (
    write: ThingWrite,
    writeTimestamp: EpochMillis | undefined
  ) => Effect.Effect<Written | Refusal, StorageUnavailable>
}

/**
 * Of many accounts there are several batches at a time, so that PostgreSQL works on one while the process answers
 * another. On several servers a batch is of one account, which others need not wait for.
 */
export const batches = (isDistributed: boolean) =>
  isDistributed ? { maxConcurrentBatches: 8, keysPerBatch: 1 } : { maxConcurrentBatches: 4, keysPerBatch: 16 }

export const operationFields = ({ operation }: Item): object | undefined => {
  if (operation === undefined) return undefined
  const { by, name, requestId, summary, surface, tail } = operation
  return {
    operation: tail,
    operation_name: name,
    surface,
    by_type: by.type,
    by_id: by.id,
    by_name: by.name,
    request_id: requestId,
    summary
  }
}

/** The outcome `held` means that another transaction holds the lock of the account. */
const outcomeOf = ([, outcome, writeTimestamp, date, rank, seq]: Values): Written | Refusal | Contended => {
  if (outcome === "held") return contended
  if (outcome !== "written") return outcome as Refusal
  return {
    position: { sortTime: rank as EpochMillis, sequence: seq as number },
    created: date as EpochMillis,
    updated: writeTimestamp as EpochMillis
  }
}

/** In one order of accounts, so that two calls cannot deadlock. */
const byOwner = (writes: ReadonlyArray<Item>): ReadonlyArray<readonly [Item, number]> =>
  writes.map((each, item) => [each, item] as const).sort(([{ owner: a }], [{ owner: b }]) => compareText(a, b))

/** Parameters of `write_things` and `revise_things`, in their order. */
export const makeLimits = Effect.gen(function* () {
  const { account, list } = yield* SizeLimits
  const { keepsImages } = yield* makeRecorder
  return [list.things, list.bytes, account.things, account.bytes, clockTolerance, keepsImages] as const
})

export const makeAccountWrites = Effect.gen(function* () {
  const db = yield* Database
  const engine = yield* Engine
  const limits = yield* makeLimits

  const write = Effect.fnUntraced(function* (
    writes: ReadonlyArray<Item>,
    writeTimestamp: EpochMillis | null,
    mode: LockMode
  ) {
    const now = yield* currentTime
    const locksAccounts = yield* engine.hasOlderWriters
    const only = writes.every(({ owner }) => owner === writes[0]?.owner) ? writes[0]?.owner : undefined
    const items = yield* mapYielding(byOwner(writes), ([each, item]) =>
      Object.assign(
        each.fields(),
        { item, owner: only === undefined ? each.owner : undefined },
        operationFields(each),
        each.keyed?.record()
      )
    )
    const keyed = writes.find((each) => each.keyed !== undefined)?.keyed
    const rows = yield* db.writeValues(statement, [
      JSON.stringify(items),
      only ?? null,
      now,
      writeTimestamp,
      mode === "wait",
      locksAccounts,
      ...limits,
      keyed?.outdated.before ?? null,
      keyed?.outdated.after ?? null,
      keyed?.maxPruned ?? null
    ])
    const outcomes: Array<Written | Refusal | Contended> = []
    let latest = now
    for (const row of rows) {
      outcomes[row[0] as number] = outcomeOf(row)
      latest = laterOf(latest, row[2] as EpochMillis)
    }
    yield* db.warnOfSkew(latest, now)
    return outcomes
  })

  const groupCommit = makeBatcher<Item, Written | Refusal, StorageUnavailable>(
    {
      keyOf: ({ owner }) => owner,
      ...batches(engine.isDistributed),
      runBatch: (writes, mode) => write(writes, null, mode),
      isRefusal,
      late
    },
    yield* Effect.scope
  )

  const alone = (each: ThingWrite): Effect.Effect<Written | Refusal, StorageUnavailable> =>
    Effect.flatMap(CurrentOperation, (call) => {
      // A worker of Citus refuses the conflict that a record of a key may meet: "there is no parameter".
      if (each.keyed !== undefined && engine.isDistributed) return Effect.succeed("repeated")
      const tail = randomTail()
      return Effect.map(groupCommit.answer({ ...each, operation: { ...takeRecord(call), tail } }), (outcome) => {
        if (typeof outcome === "object") committedAs(call, operationIdOf(outcome.updated, tail))
        return outcome
      })
    })

  const within = (each: ThingWrite, writeTimestamp: EpochMillis | undefined) =>
    Effect.map(
      write([{ ...each, operation: undefined }], writeTimestamp ?? null, "wait"),
      ([outcome]) => outcome as Written | Refusal
    )

  const writes: AccountWrites = { alone, within }
  return writes
})
