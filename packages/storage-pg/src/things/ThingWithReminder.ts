import type { Row } from "@effect/sql-pg/PgConnection"
import type { StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { type AccountId, isIdForm } from "@lists-and-things/domain/model/Ids"
import type { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { Context, Effect, type Scope } from "effect"
import type { Reminder } from "@lists-and-things/domain/model/Reminder"
import { makeBatcher } from "../connection/Batcher.ts"
import { late } from "../connection/Refusals.ts"
import type { Values } from "../connection/ConnectionPool.ts"
import type { Database } from "../connection/Database.ts"
import { asLookUp, CurrentPipeline } from "../connection/Pipeline.ts"
import type { Engine } from "../Engine.ts"
import { reminderOf, reminders, things } from "../Tables.ts"
import { CurrentTransaction } from "../connection/Transaction.ts"

/** Columns of things `t` of an owner, and their reminders as the last one. */
export const withReminder = (owner: string): string => `${things.packed}, (
    select row_to_json(found) from (
      select ${reminders.selected} from reminders r
      where r.owner_id = ${owner} and r.thing_id = coalesce(t.clone_of, t.id)
    ) as found) as reminder`

/** The reminder in a row of these columns. */
export const reminderIn =
  (owner: AccountId) =>
  (row: Values): Reminder | undefined => {
    const reminder = row[things.width] as Row | null
    return reminder === null ? undefined : reminderOf(reminders.ofRow(owner)(reminder))
  }

/**
 * One JSON parameter: with an array, PostgreSQL would plan anew for each number of things. One look-up for each: a join
 * may be planned to read all things of the account, which are many where an account is larger than others.
 */
const selectOf = (owner: string) => `select ${withReminder(owner)}, wanted.item
  from json_to_recordset($1::json) as wanted (item integer, owner uuid, id uuid)
  cross join lateral (
    select * from things t where t.owner_id = ${owner} and t.id = wanted.id limit 1
  ) as t`

/** Things of the account `$2`. */
export const selectOfOne = selectOf("$2::uuid")
const selectOfSeveral = selectOf("wanted.owner")

interface Wanted {
  readonly owner: AccountId
  readonly id: string
}

type Found = Effect.Success<ReturnType<ThingStore["Service"]["withReminder"]>>

const read = (
  db: Database["Service"],
  wanted: ReadonlyArray<Wanted>
): Effect.Effect<ReadonlyArray<Found>, StorageUnavailable> => {
  const items = wanted.map(({ owner, id }, item) => ({ item, owner, id }))
  const [{ owner }] = wanted as readonly [Wanted]
  const json = JSON.stringify(items)
  const values = wanted.every((each) => each.owner === owner)
    ? db.values(selectOfOne, [json, owner])
    : db.values(selectOfSeveral, [json])
  return Effect.map(values, (rows) => {
    const found: Array<Found> = Array.from(wanted, () => undefined)
    for (const row of rows) {
      const at = row[things.width + 1] as number
      const { owner } = wanted[at]!
      found[at] = { thing: things.ofValues(owner)(row), reminder: reminderIn(owner)(row) }
    }
    return found
  })
}

/** With a statement per account, since accounts lie on several servers. */
const readApart = (
  db: Database["Service"],
  wanted: ReadonlyArray<Wanted>
): Effect.Effect<ReadonlyArray<Found>, StorageUnavailable> => {
  const byOwner = [...Map.groupBy(wanted, ({ owner }) => owner).values()]
  return Effect.map(
    Effect.forEach(byOwner, (own) => read(db, own), { concurrency: "unbounded" }),
    (found) => {
      const of = new Map(byOwner.flatMap((own, at) => own.map((each, n) => [each, found[at]![n]] as const)))
      return wanted.map((each) => of.get(each))
    }
  )
}

/** Requests that arrive meanwhile form the next batch; on several servers one batch has the requests of one account. */
const batches = (isDistributed: boolean) =>
  isDistributed
    ? { maxConcurrentBatches: 8, keysPerBatch: 1, keyOf: ({ owner }: Wanted) => owner }
    : { maxConcurrentBatches: 2 }

/** Reads a thing with its reminder. Coalesces concurrent requests of all accounts into one statement. */
export const makeWithReminder = (
  db: Database["Service"],
  { isDistributed }: Engine["Service"],
  scope: Scope.Scope
): ThingStore["Service"]["withReminder"] => {
  const together = (wanted: ReadonlyArray<Wanted>) => (isDistributed ? readApart(db, wanted) : read(db, wanted))
  const batched = makeBatcher<Wanted, Found, StorageUnavailable>(
    { ...batches(isDistributed), runBatch: together, late },
    scope
  )
  return (owner, id) => {
    if (!isIdForm(id)) return Effect.succeed(undefined)
    const wanted = { owner, id }
    const found = Effect.withFiber<Found, StorageUnavailable>(({ context }) => {
      if (Context.get(context, CurrentTransaction) !== undefined)
        return Effect.map(read(db, [wanted]), ([found]) => found)
      const pipeline = Context.get(context, CurrentPipeline)
      return pipeline?.isOpen === true
        ? Effect.callback((resume) => pipeline.gather(together, wanted, resume))
        : batched.answer(wanted)
    })
    return asLookUp(together, wanted, found)
  }
}
