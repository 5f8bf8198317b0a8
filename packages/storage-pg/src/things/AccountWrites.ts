import { clockTolerance } from "@lists-and-things/domain/days/ClockSkew"
import {
  type CallRecord,
  CurrentOperation,
  forgetWrite,
  recordOf
} from "@lists-and-things/domain/model/CurrentOperation"
import { currentTime, epoch, type EpochMillis, laterOf } from "@lists-and-things/domain/model/EpochMillis"
import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import type { AccountId } from "@lists-and-things/domain/model/Ids"
import { operationIdAt } from "@lists-and-things/domain/model/Operation"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { mapYielding } from "@lists-and-things/domain/scheduling/Yielding"
import { SizeLimits } from "@lists-and-things/domain/size/SizeLimits"
import { Effect } from "effect"
import { contended, type Contended, type LockMode, makeBatcher } from "../connection/Batcher.ts"
import type { Params, Values } from "../connection/ConnectionPool.ts"
import { Database } from "../connection/Database.ts"
import { Engine } from "../Engine.ts"
import { isRefusal } from "../connection/SqlErrors.ts"
import { randomTail } from "../history/OperationRecord.ts"
import { makeRecorder } from "../history/Recorder.ts"
import type { KeyedAnswer } from "./KeyedAnswer.ts"

const columns = "item, outcome, at_stamp, at_date, at_rank, at_seq"

const call = (owner: string, items: string) => `write_to_account(${owner}, $2::bigint, $3::bigint, $4::boolean,
  ${items}, $5::bigint, $6::bigint, $7::bigint, $8::bigint, $9::bigint, $10::boolean)`

/** To one account, the last parameter. */
const writeToOne = `select ${columns} from ${call("$11::uuid", "$1::json")}`

/** To one account after the other, in the given order. */
const writeToSeveral = `select ${columns} from json_to_recordset($1::json) as given (owner uuid, items json)
  cross join lateral ${call("given.owner", "given.items")}`

const keyedCall = (owner: string, items: string, keys: string) => `write_keyed_to_account(${owner}, $2::bigint,
  $3::boolean, ${items}, ${keys}, $4::bigint, $5::bigint, $6::bigint, $7::bigint, $8::bigint, $9::boolean, $10::bigint,
  $11::bigint, $12::integer)`

const writeKeyedToOne = `select ${columns} from ${keyedCall("$13::uuid", "$1::json", "$14::json")}`

const writeKeyedToSeveral = `select ${columns}
  from json_to_recordset($1::json) as given (owner uuid, items json, keys json)
  cross join lateral ${keyedCall("given.owner", "given.items", "given.keys")}`

/** A write of one thing. */
export interface ThingWrite {
  readonly owner: AccountId
  /** As `write_to_account` reads it; called when it is sent. */
  readonly fields: () => object
  /** Of a write under a key. */
  readonly keyed?: KeyedAnswer | undefined
}

/** The position and `created` are those of a new thing. */
export type Written = Pick<Thing, "position" | "created" | "updated">
export type Refusal = "no account" | "no list" | "no room" | "changed" | "repeated"

/** A write and the operation that it leaves: undefined within a transaction, which has one of its own. */
interface Item extends ThingWrite {
  readonly operation: (CallRecord & { readonly tail: Uint8Array }) | undefined
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

/** On several servers a batch is of one account, which others need not wait for. */
const batches = (isDistributed: boolean) =>
  isDistributed ? { maxConcurrentBatches: 8, keysPerBatch: 1 } : { maxConcurrentBatches: 4 }

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

/** What goes to one account. */
interface OfOwner {
  readonly owner: AccountId
  readonly items: ReadonlyArray<object>
  readonly keys: ReadonlyArray<object>
}

/** The writes with their numbers, of several with the same key the first one. */
const firstOfKeys = (writes: ReadonlyArray<Item>): ReadonlyArray<readonly [Item, number]> => {
  const known = new Set<string>()
  return writes.flatMap((each, item) => {
    const name = each.keyed && `${each.owner} ${each.keyed.keyHash}`
    if (name !== undefined && known.has(name)) return []
    if (name !== undefined) known.add(name)
    return [[each, item] as const]
  })
}

export const makeAccountWrites = Effect.gen(function* () {
  const db = yield* Database
  const engine = yield* Engine
  const { account, list } = yield* SizeLimits
  const { keepsImages } = yield* makeRecorder

  const write = (
    writes: ReadonlyArray<Item>,
    writeTimestamp: EpochMillis | null,
    mode: LockMode
  ): Effect.Effect<ReadonlyArray<Written | Refusal | Contended>, StorageUnavailable> =>
    Effect.gen(function* () {
      const now = yield* currentTime
      // The function knows the answer by itself; asking is what brings the end of two locks about.
      yield* engine.besideOlder
      const sent = yield* mapYielding(firstOfKeys(writes), ([each, item]) => ({
        owner: each.owner,
        fields: { item, ...each.fields(), ...operationFields(each) },
        ...(each.keyed !== undefined && { key: { item, ...each.keyed.record() } })
      }))
      // In one order, so that two calls cannot deadlock.
      const byOwner = [...Map.groupBy(sent, ({ owner }) => owner)]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([owner, own]): OfOwner => ({
          owner,
          items: own.map(({ fields }) => fields),
          keys: own.flatMap(({ key }) => key ?? [])
        }))
      const limits = [list.things, list.bytes, account.things, account.bytes, clockTolerance, keepsImages]
      const keyed = writes.find((each) => each.keyed !== undefined)?.keyed
      const rows = yield* keyed === undefined
        ? send(byOwner, [now, writeTimestamp, mode === "wait", ...limits])
        : sendKeyed(byOwner, [
            now,
            mode === "wait",
            ...limits,
            keyed.outdated.before,
            keyed.outdated.after,
            keyed.mostPruned
          ])
      const outcomes = new Map(rows.map((row) => [row[0], outcomeOf(row)]))
      const latest = rows.reduce((most, [, , at]) => laterOf(most, at as EpochMillis), now)
      yield* db.warnOfSkew(latest, now)
      return writes.map((_, item) => outcomes.get(item) ?? "repeated")
    })

  const send = (byOwner: ReadonlyArray<OfOwner>, params: Params) => {
    const [only] = byOwner
    return only !== undefined && byOwner.length === 1
      ? db.writeValues(writeToOne, [JSON.stringify(only.items), ...params, only.owner])
      : db.writeValues(writeToSeveral, [
          JSON.stringify(byOwner.map(({ items, owner }) => ({ owner, items }))),
          ...params
        ])
  }

  const sendKeyed = (byOwner: ReadonlyArray<OfOwner>, params: Params) => {
    const [only] = byOwner
    return only !== undefined && byOwner.length === 1
      ? db.writeValues(writeKeyedToOne, [JSON.stringify(only.items), ...params, only.owner, JSON.stringify(only.keys)])
      : db.writeValues(writeKeyedToSeveral, [JSON.stringify(byOwner), ...params])
  }

  const groupCommit = makeBatcher<Item, Written | Refusal, StorageUnavailable>(
    {
      keyOf: ({ owner }) => owner,
      ...batches(engine.isDistributed),
      runBatch: (writes, mode) => write(writes, null, mode),
      isRefusal
    },
    yield* Effect.scope
  )

  const alone = Effect.fnUntraced(function* (each: ThingWrite) {
    // A worker of Citus refuses the conflict that a record of a key may meet: "there is no parameter".
    if (each.keyed !== undefined && engine.isDistributed) return "repeated"
    const call = yield* CurrentOperation
    const tail = randomTail()
    const outcome = yield* Effect.ensuring(
      groupCommit.answer({ ...each, operation: { ...recordOf(call), tail } }),
      forgetWrite(call)
    )
    if (call !== undefined && typeof outcome === "object") call.recorded = operationIdAt(outcome.updated, tail)
    return outcome
  })

  const within = (each: ThingWrite, writeTimestamp: EpochMillis | undefined) =>
    Effect.map(
      write([{ ...each, operation: undefined }], writeTimestamp ?? null, "wait"),
      ([outcome]) => outcome as Written | Refusal
    )

  const writes: AccountWrites = { alone, within }
  return writes
})
