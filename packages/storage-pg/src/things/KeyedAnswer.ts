import { formatTime } from "@lists-and-things/domain/days/IsoTime"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import type { KeyedThing } from "@lists-and-things/domain/ports/ThingStore"
import { randomInt } from "node:crypto"
import { digest } from "./Digest.ts"

/** The record of a key as `write_things` reads it, before the outcome of its write is known. */
export interface KeyedAnswer extends Pick<KeyedThing, "outdated" | "maxPruned"> {
  readonly record: () => object
}

/** The years 5000 to 9999. */
const [first, days] = [95_617_584_000_000, 1_826_211]
const halfDay = 43_200_000

/**
 * Two that stand for times that only the write knows. They are random: no text of a client can contain them. Both are of
 * one day, since the date of a time is formatted once.
 */
const unknownTimes = (): readonly [EpochMillis, EpochMillis] => {
  const day = first + randomInt(days) * 2 * halfDay
  return [(day + randomInt(halfDay)) as EpochMillis, (day + halfDay + randomInt(halfDay)) as EpochMillis]
}

/** `thing` is what is to be written, with the times that are given; a thing that is there keeps its `created`. */
export const keyedAnswer = (
  { answerOf, fingerprint, key, maxPruned, outdated }: KeyedThing,
  thing: Omit<Thing, "created" | "updated"> & Partial<Pick<Thing, "created">>
): KeyedAnswer => {
  const record = () => {
    const [created, updated] = unknownTimes()
    return {
      key_hash: digest(key),
      key,
      fingerprint,
      answer: answerOf({ created, ...thing, updated }),
      answer_created: formatTime(created),
      answer_updated: formatTime(updated)
    }
  }
  return { record, outdated, maxPruned }
}
