import { currentTime } from "@lists-and-things/domain/model/EpochMillis"
import type { AccountId } from "@lists-and-things/domain/model/Ids"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import type { KeyedThing } from "@lists-and-things/domain/ports/ThingStore"
import { Effect } from "effect"
import type { Database } from "../Database.ts"
import type { OwnerData } from "../OwnerData.ts"
import { prune } from "../Pruning.ts"

/** Whether the key has a valid record already. */
export const isRepeated = ({ records }: OwnerData, keyed: KeyedThing | undefined): boolean => {
  const found = keyed && records.get(keyed.key)
  return found !== undefined && found.created > keyed!.outdated.before
}

/** Stores the idempotency record of the thing that the transaction writes, if it has a key. */
export const recordKeyed = (
  database: Database["Service"],
  owner: AccountId,
  keyed: KeyedThing | undefined,
  thing: Thing
): Effect.Effect<void> =>
  keyed === undefined
    ? Effect.void
    : Effect.flatMap(currentTime, (created) => {
        const { answerOf, fingerprint, key, maxPruned, outdated } = keyed
        const record = { key, fingerprint, answer: answerOf(thing), created }
        return database.write(owner, ({ records }, writeTimestamp) => {
          records.set(key, { ...record, writeTimestamp })
          prune(records, (each) => each.created, outdated, maxPruned)
        })
      })
