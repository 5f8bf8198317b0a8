import { NotFound, type StorageUnavailable } from "@lists-and-things/domain/Errors"
import { isIdForm } from "@lists-and-things/domain/Ids"
import type { NewThing } from "@lists-and-things/domain/ports/ThingStore"
import type { Thing } from "@lists-and-things/domain/things/Thing"
import { Clock, Effect } from "effect"
import type { Database } from "./Database.ts"
import { thingRecord } from "./ThingRecords.ts"
import { CurrentTransaction } from "./Transaction.ts"

const append = "select at_stamp, at_rank, at_seq from append_thing($1::uuid, $2::bigint, $3::bigint, $4::json)"

const noAccount = new NotFound({ message: "There is no such account." })

/** The whole write as one statement that commits by itself; inside a transaction it is one of its statements. */
export const appendThing = (
  db: Database["Service"],
  fields: NewThing
): Effect.Effect<Thing | undefined, NotFound | StorageUnavailable> =>
  Effect.gen(function* () {
    const { owner } = fields
    if (!isIdForm(owner)) return yield* noAccount
    if (!isIdForm(fields.listId)) return undefined
    const given = (yield* CurrentTransaction)?.stamps.get(owner) ?? null
    const now = yield* Clock.currentTimeMillis
    const record = thingRecord({ ...fields, place: { rank: now, seq: 0 }, created: now, updated: now })
    const [row] = yield* db.write(append, [owner, now, given, JSON.stringify(record)])
    if (row === undefined) return yield* noAccount
    if (row.at_rank === null) return undefined
    const stamp = row.at_stamp as number
    return {
      ...fields,
      place: { rank: row.at_rank as number, seq: row.at_seq as number },
      created: stamp,
      updated: stamp
    }
  })
