import { CurrentOperation } from "@lists-and-things/domain/model/CurrentOperation"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { isPlain, type KeyedThing, type ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { Effect } from "effect"
import { Database } from "../connection/Database.ts"
import { CurrentTransaction } from "../connection/Transaction.ts"
import { things } from "../Tables.ts"
import type { AccountWrites } from "./AccountWrites.ts"
import { keyedAnswer } from "./KeyedAnswer.ts"
import { tagRecord } from "./ThingRecords.ts"

type Method = ThingStore["Service"]["revise"]

/** Columns that `write_things` leaves as they are; `updated` is the write timestamp. */
const kept = ["id", "list_id", "rank", "seq", "clone_of", "has_clones", "list_ref", "created"]

/**
 * Reads a plain thing, and writes what the domain decides if it is still so when the account is locked: the statement
 * compares `updated`, which every change of a thing moves.
 */
export const makeRevise = Effect.fnUntraced(function* (
  writes: AccountWrites,
  withReminder: ThingStore["Service"]["withReminder"]
) {
  const db = yield* Database

  const write = (before: Thing, after: Thing, keyed: KeyedThing | undefined) => {
    const { updated: _, ...changes } = things.changes(before, after)
    if (kept.some((name) => name in changes)) return Effect.undefined
    const written = writes.alone({
      owner: before.owner,
      keyed: keyed && keyedAnswer(keyed, after),
      fields: () => ({
        id: before.id,
        expected: before.updated,
        is_same: Object.keys(changes).length === 0,
        ...changes,
        ...("tags" in changes ? tagRecord(after) : {})
      })
    })
    return Effect.map(written, (outcome) =>
      typeof outcome === "string" ? undefined : { ...after, updated: outcome.updated }
    )
  }

  const revise: Method = (owner, id, decide, { keyed, seen } = {}) => {
    const found = seen === undefined ? withReminder(owner, id) : Effect.succeed(seen)
    const revised = Effect.flatMap(found, (found) =>
      found === undefined || !isPlain(found)
        ? Effect.undefined
        : Effect.flatMap(decide(found), (after) =>
            after === undefined ? Effect.undefined : write(found.thing, after, keyed)
          )
    )
    return Effect.flatMap(CurrentTransaction, (tx) =>
      Effect.flatMap(CurrentOperation, (call) =>
        tx !== undefined || call?.inspect !== undefined ? Effect.undefined : Effect.andThen(db.checkFreeSpace, revised)
      )
    )
  }
  return revise
})
