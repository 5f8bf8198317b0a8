import { CurrentOperation } from "@lists-and-things/domain/model/CurrentOperation"
import { epoch } from "@lists-and-things/domain/model/EpochMillis"
import type { NotFound, StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { isIdForm } from "@lists-and-things/domain/model/Ids"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import type { KeyedThing, NewThing, ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { Effect } from "effect"
import { Database } from "../connection/Database.ts"
import { CurrentTransaction, type Transaction } from "../connection/Transaction.ts"
import { makeRecorder } from "../history/Recorder.ts"
import { makeTransact, noAccount } from "../Storage.ts"
import type { AccountWrites, Refusal, ThingWrite, Written } from "./AccountWrites.ts"
import { keyedAnswer } from "./KeyedAnswer.ts"
import { thingRecord } from "./ThingRecords.ts"

type Appending = Effect.Effect<Thing | "no room" | "repeated" | undefined, NotFound | StorageUnavailable>

/** Where a thing stands and when it was made is for the write to say. */
const unplaced = { position: { sortTime: epoch, sequence: 0 }, created: epoch, updated: epoch }

const outcomeOf = (fields: NewThing, outcome: Written | Refusal): Appending => {
  if (outcome === "no account") return noAccount
  if (outcome === "no room" || outcome === "repeated") return Effect.succeed(outcome)
  return typeof outcome === "string" ? Effect.undefined : Effect.succeed({ ...fields, ...outcome })
}

/** Appends a thing to its list. Returns undefined for an unknown list and `no room` when it may not fit. */
export const makeAppend = Effect.fnUntraced(function* (writes: AccountWrites) {
  const db = yield* Database
  const recorder = yield* makeRecorder
  const { transact } = yield* makeTransact

  const append = (fields: NewThing, keyed?: KeyedThing): Appending => {
    if (!isIdForm(fields.owner)) return noAccount
    if (!isIdForm(fields.listId)) return Effect.undefined
    return Effect.flatMap(CurrentTransaction, (tx) =>
      Effect.flatMap(CurrentOperation, (call) => {
        if (tx === undefined && call?.inspect === undefined) return alone(fields, keyed)
        if (keyed !== undefined) return Effect.succeed("repeated")
        return tx === undefined ? transact(fields.owner, () => append(fields)) : within(fields, tx)
      })
    )
  }

  const writeOf = (fields: NewThing): ThingWrite => ({
    owner: fields.owner,
    fields: () => thingRecord({ ...fields, ...unplaced })
  })

  const alone = (fields: NewThing, keyed: KeyedThing | undefined): Appending => {
    const answer = keyed && keyedAnswer(keyed, { ...fields, position: unplaced.position })
    const written = Effect.andThen(db.checkFreeSpace, writes.alone({ ...writeOf(fields), keyed: answer }))
    return Effect.flatMap(written, (outcome) => outcomeOf(fields, outcome))
  }

  const within = Effect.fnUntraced(function* (fields: NewThing, tx: Transaction) {
    const { id, listId, owner } = fields
    yield* db.checkFreeSpace
    const outcome = yield* writes.within(writeOf(fields), tx.writeTimestamps.get(owner))
    if (typeof outcome === "object") yield* recorder.note(owner, { stored: ["thing", [id]], touchedLists: [listId] })
    return yield* outcomeOf(fields, outcome)
  })

  const method: ThingStore["Service"]["append"] = append
  return method
})
