import { CurrentOperation } from "@lists-and-things/domain/model/CurrentOperation"
import { epoch } from "@lists-and-things/domain/model/EpochMillis"
import type { NotFound, StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { isIdForm } from "@lists-and-things/domain/model/Ids"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import type { KeyedThing, NewThing, ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { Effect } from "effect"
import { Database } from "../connection/Database.ts"
import { CurrentTransaction } from "../connection/Transaction.ts"
import { makeRecorder } from "../history/Recorder.ts"
import { makeTransact, noAccount } from "../Storage.ts"
import type { AccountWrites, ThingWrite } from "./AccountWrites.ts"
import { keyedAnswer } from "./KeyedAnswer.ts"
import { thingRecord } from "./ThingRecords.ts"

/** Where a thing stands and when it was made is for the write to say. */
const unplaced = { position: { sortTime: epoch, sequence: 0 }, created: epoch, updated: epoch }

/** Appends a thing to its list. Returns undefined for an unknown list and `no room` when it may not fit. */
export const makeAppend = Effect.fnUntraced(function* (writes: AccountWrites) {
  const db = yield* Database
  const recorder = yield* makeRecorder
  const { transact } = yield* makeTransact

  const append = (
    fields: NewThing,
    keyed?: KeyedThing
  ): Effect.Effect<Thing | "no room" | "repeated" | undefined, NotFound | StorageUnavailable> =>
    Effect.gen(function* () {
      const { id, listId, owner } = fields
      if (!isIdForm(owner)) return yield* noAccount
      if (!isIdForm(listId)) return undefined
      const [tx, call] = [yield* CurrentTransaction, yield* CurrentOperation]
      if (keyed !== undefined && (tx !== undefined || call?.inspect !== undefined)) return "repeated"
      if (tx === undefined && call?.inspect !== undefined) return yield* transact(owner, () => append(fields))
      yield* db.room
      const write: ThingWrite = {
        owner,
        fields: () => thingRecord({ ...fields, ...unplaced }),
        keyed: keyed && keyedAnswer(keyed, { ...fields, position: unplaced.position })
      }
      const outcome = yield* tx === undefined
        ? writes.alone(write)
        : writes.within(write, tx.writeTimestamps.get(owner))
      if (outcome === "no account") return yield* noAccount
      if (outcome === "no room" || outcome === "repeated") return outcome
      if (typeof outcome === "string") return undefined
      if (tx !== undefined) yield* recorder.note(owner, { stored: ["thing", [id]], touchedLists: [listId] })
      return { ...fields, ...outcome }
    })

  const method: ThingStore["Service"]["append"] = append
  return method
})
