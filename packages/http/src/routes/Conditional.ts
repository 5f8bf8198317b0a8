import { Effect } from "effect"
import type { Caller } from "@lists-and-things/domain/model/Caller"
import type { KeyedWrite } from "@lists-and-things/domain/ports/IdempotencyStore"
import type { ExpectedTags, Preconditions } from "@lists-and-things/domain/preconditions/Preconditions"
import type { ThingWithReminder } from "@lists-and-things/domain/ports/ThingStore"

/** An answer with the current entity tag of the `GET` that shows the same entity. */
export class Tagged<A> {
  readonly value: A
  readonly tag: string | undefined

  constructor(value: A, tag: string | undefined) {
    this.value = value
    this.tag = tag
  }
}

/** The body of a removal, which also succeeds if there was nothing to remove. */
export const success = { success: true } as const

/** A keyed write whose idempotency record stores the body of the answer. */
export const answering = <A>(keyed: KeyedWrite, bodyOf: (written: A) => object) => ({
  ...keyed,
  answerOf: (written: A) => JSON.stringify(bodyOf(written))
})

export const untagged = (answer: unknown): Tagged<unknown> =>
  answer instanceof Tagged ? answer : new Tagged(answer, undefined)

/** The conditions of a write: its idempotency key, and the tags that the client expects. */
export interface WriteConditions {
  readonly keyed?: KeyedWrite | undefined
  readonly expected?: ExpectedTags | undefined
}

/** Runs `write` if the thing was found and matches the expected tags; undefined otherwise. */
export const matching =
  (preconditions: Preconditions["Service"]) =>
  <A, E>(
    seen: ThingWithReminder | undefined,
    { expected, keyed }: WriteConditions,
    write: (seen: ThingWithReminder, keyed: KeyedWrite | undefined) => Effect.Effect<A | undefined, E, Caller>
  ) => {
    if (seen === undefined) return Effect.undefined
    if (expected === undefined) return write(seen, keyed)
    return Effect.flatMap(preconditions.isMatch(seen, expected), (isMatch) =>
      isMatch ? write(seen, keyed) : Effect.undefined
    )
  }
