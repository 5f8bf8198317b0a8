import { committedAs, CurrentOperation, takeRecord } from "@lists-and-things/domain/model/CurrentOperation"
import { currentTime, epoch, type EpochMillis, laterOf } from "@lists-and-things/domain/model/EpochMillis"
import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import type { AccountId, ListId } from "@lists-and-things/domain/model/Ids"
import { operationIdOf } from "@lists-and-things/domain/model/Operation"
import type { Reminder } from "@lists-and-things/domain/model/Reminder"
import { hasFamily, type Thing } from "@lists-and-things/domain/model/Thing"
import type { NewReminder, Revision, ThingStore, ThingWithReminder } from "@lists-and-things/domain/ports/ThingStore"
import { mapYielding } from "@lists-and-things/domain/scheduling/Yielding"
import { compareText } from "@lists-and-things/domain/text/TextFold"
import { Effect } from "effect"
import { contended, type Contended, type LockMode, makeBatcher } from "../connection/Batcher.ts"
import { late } from "../connection/Refusals.ts"
import type { Values } from "../connection/ConnectionPool.ts"
import { Database } from "../connection/Database.ts"
import { isRefusal } from "../connection/SqlErrors.ts"
import { CurrentTransaction } from "../connection/Transaction.ts"
import { Engine } from "../Engine.ts"
import { randomTail } from "../history/OperationRecord.ts"
import { lists, reminderRow, reminders, things } from "../Tables.ts"
import { batches, type Item, makeLimits, operationFields } from "./AccountWrites.ts"
import { keyedAnswer } from "./KeyedAnswer.ts"
import { tagRecord } from "./ThingRecords.ts"

type Method = ThingStore["Service"]["reviseIfUnchanged"]

const columns = "item, outcome, at_stamp, at_date, at_list, at_rank, at_seq"

const revised = (owner: string, items: string) => `revise_things(${owner}, $2::bigint, $3::boolean, ${items},
  $4::bigint, $5::bigint, $6::bigint, $7::bigint, $8::bigint, $9::boolean, $10::bigint, $11::bigint, $12::integer)`

/** Of one account, the last parameter. */
const reviseInOne = `select ${columns} from ${revised("$13::uuid", "$1::json")}`

/** Of one account after the other, in the given order. */
const reviseInSeveral = `select ${columns} from json_to_recordset($1::json) as given (owner uuid, items json)
  cross join lateral ${revised("given.owner", "given.items")}`

/** Columns that `revise_things` leaves as they are, or sets by itself. */
const kept = ["rank", "seq", "clone_of", "has_clones", "list_ref", "created"]

type Written = Pick<Thing, "listId" | "position" | "updated"> & { readonly date: EpochMillis }

const outcomeOf = ([, outcome, at, date, list, rank, seq]: Values): Written | string | Contended => {
  if (outcome === "held") return contended
  if (outcome !== "written") return outcome as string
  return {
    date: date as EpochMillis,
    listId: list as ListId,
    position: { sortTime: rank as EpochMillis, sequence: seq as number },
    updated: at as EpochMillis
  }
}

/** Every column, as `row_to_json` has it; a new one without its date. */
const reminderJson = (reminder: Reminder | NewReminder): Readonly<Record<string, unknown>> => {
  const [, ...values] = reminders.params(reminderRow(reminder as Reminder))
  return Object.fromEntries(reminders.names.split(", ").map((name, at) => [name, values[at]]))
}

const returnFields = ({ returns }: Revision): object => {
  if (returns === undefined) return {}
  const { copy, dayList, staysInList } = returns
  return {
    copy_id: copy.id,
    day: dayList.day,
    day_list: [lists.record({ ...dayList, created: epoch, updated: epoch })],
    day_list_id: dayList.id,
    stays_in_list: staysInList
  }
}

const reminderFields = ({ reminder }: Revision): object => {
  if (reminder === undefined) return {}
  return reminder === null ? { drops_reminder: true } : { reminder: [reminderJson(reminder)] }
}

/** What `revise_things` reads of a revision, with the columns that change; undefined for one that it cannot write. */
const fieldsOf = (seen: ThingWithReminder, revision: Revision | "removed"): (() => object) | undefined => {
  const { reminder, thing } = seen
  if (hasFamily(thing)) return undefined
  const known = () => ({
    id: thing.id,
    expected: thing.updated,
    was: reminder && reminderJson(reminder),
    removes: revision === "removed",
    keeps_thing: revision !== "removed" && revision.thing === undefined,
    is_same: false
  })
  if (revision === "removed") return known
  const after = revision.returns?.copy ?? revision.thing
  const { id: _, updated: __, ...changes } = things.changes(thing, after ?? thing)
  if (kept.some((name) => name in changes)) return undefined
  return () => ({
    ...known(),
    is_same: revision.thing !== undefined && revision.returns === undefined && Object.keys(changes).length === 0,
    ...changes,
    ...("tags" in changes ? tagRecord(after!) : {}),
    ...reminderFields(revision),
    ...returnFields(revision)
  })
}

/** Both as they are after the write. */
const writtenOf = (
  seen: ThingWithReminder,
  revision: Revision | "removed",
  { date, ...written }: Written
): ThingWithReminder => {
  if (revision === "removed") return seen
  const { reminder = seen.reminder, thing } = revision
  return {
    thing: thing === undefined ? seen.thing : { ...thing, ...written },
    reminder: reminder === null ? undefined : reminder && { created: date, ...reminder }
  }
}

/** Revises things and their reminders, each in one statement. Concurrent ones form one that commits by itself. */
export const makeReviseIfUnchanged = Effect.gen(function* () {
  const db = yield* Database
  const engine = yield* Engine
  const limits = yield* makeLimits

  const write = Effect.fnUntraced(function* (writes: ReadonlyArray<Item>, mode: LockMode) {
    const now = yield* currentTime
    const items = yield* mapYielding(writes, (each, item) => ({
      item,
      ...each.fields(),
      ...operationFields(each),
      ...each.keyed?.record()
    }))
    // In one order, so that two calls cannot deadlock.
    const byOwner = [...Map.groupBy(items, ({ item }) => writes[item]!.owner)]
      .sort(([a], [b]) => compareText(a, b))
      .map(([owner, items]) => ({ owner, items }))
    const keyed = writes.find((each) => each.keyed !== undefined)?.keyed
    const rows = yield* send(byOwner, [
      now,
      mode === "wait",
      ...limits,
      keyed?.outdated.before ?? 0,
      keyed?.outdated.after ?? 0,
      keyed?.maxPruned ?? 0
    ])
    const latest = rows.reduce((max, [, , at]) => laterOf(max, (at ?? epoch) as EpochMillis), now)
    yield* db.warnOfSkew(latest, now)
    const outcomes = new Map(rows.map((row) => [row[0], outcomeOf(row)]))
    return writes.map((_, item) => outcomes.get(item)!)
  })

  const send = (
    byOwner: ReadonlyArray<{ readonly owner: AccountId; readonly items: ReadonlyArray<object> }>,
    params: ReadonlyArray<number | boolean>
  ) => {
    const [only] = byOwner
    return only !== undefined && byOwner.length === 1
      ? db.writeValues(reviseInOne, [JSON.stringify(only.items), ...params, only.owner])
      : db.writeValues(reviseInSeveral, [JSON.stringify(byOwner), ...params])
  }

  const groupCommit = makeBatcher<Item, Written | string, StorageUnavailable>(
    { keyOf: ({ owner }) => owner, ...batches(false), runBatch: write, isRefusal, late },
    yield* Effect.scope
  )

  return Effect.fnUntraced(function* (...[owner, seen, revision, keyed]: Parameters<Method>) {
    const call = yield* CurrentOperation
    if ((yield* CurrentTransaction) !== undefined || call?.inspect !== undefined) return undefined
    // A worker of Citus has no such function, and earlier programs lock the account elsewhere.
    if (engine.isDistributed || (yield* engine.hasOlderWriters)) return undefined
    yield* db.checkFreeSpace
    const fields = fieldsOf(seen, revision)
    if (fields === undefined) return undefined
    const tail = randomTail()
    const { returns = undefined, thing = seen.thing } = revision === "removed" ? {} : revision
    const answered = { ...thing, listId: returns?.dayList.id ?? thing.listId }
    const item: Item = {
      owner,
      fields,
      keyed: keyed && keyedAnswer(keyed, answered),
      operation: { ...takeRecord(call), tail }
    }
    const outcome = yield* groupCommit.answer(item)
    if (typeof outcome === "string") return undefined
    committedAs(call, operationIdOf(outcome.updated, tail))
    return writtenOf(seen, revision, outcome)
  }) satisfies Method
})
