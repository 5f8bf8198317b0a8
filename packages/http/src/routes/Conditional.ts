import { Effect } from "effect"
import type { Caller } from "@lists-and-things/domain/model/Caller"
import type { KeyedWrite } from "@lists-and-things/domain/ports/IdempotencyStore"
import type { ExpectedTags, Preconditions } from "@lists-and-things/domain/preconditions/Preconditions"
import type { ThingWithReminder } from "@lists-and-things/domain/ports/ThingStore"

/** An answer with the entity tag that the `GET` of what it shows has now. */
export class Tagged<A> {
  readonly value: A
  readonly tag: string | undefined

  constructor(value: A, tag: string | undefined) {
    this.value = value
    this.tag = tag
  }
}

/** The body of a removal, which succeeds where there is nothing to remove, too. */
export const success = { success: true } as const

/** A write under a key, whose record has the body of the answer. */
export const answering = <A>(keyed: KeyedWrite, bodyOf: (written: A) => object) => ({
  ...keyed,
  answerOf: (written: A) => JSON.stringify(bodyOf(written))
})

export const untagged = (answer: unknown): Tagged<unknown> =>
  answer instanceof Tagged ? answer : new Tagged(answer, undefined)

/** What a write is asked for beside its input: the key of its record, and the tags that the client has seen. */
export interface Terms {
  readonly keyed?: KeyedWrite | undefined
  readonly expected?: ExpectedTags | undefined
}

/** The write of a thing that was seen and is as its terms want it; undefined for any other. */
export const matching =
  (preconditions: Preconditions["Service"]) =>
  <A, E>(
    seen: ThingWithReminder | undefined,
    { expected, keyed }: Terms,
    write: (seen: ThingWithReminder, keyed: KeyedWrite | undefined) => Effect.Effect<A | undefined, E, Caller>
  ) => {
    if (seen === undefined) return Effect.undefined
    if (expected === undefined) return write(seen, keyed)
    return Effect.flatMap(preconditions.isMatch(seen, expected), (isMatch) =>
      isMatch ? write(seen, keyed) : Effect.undefined
    )
  }
