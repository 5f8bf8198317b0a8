import type { KeyedWrite } from "@lists-and-things/domain/ports/IdempotencyStore"

/** An answer with the entity tag that the `GET` of what it shows has now. */
export class Tagged<A> {
  readonly value: A
  readonly tag: string | undefined

  constructor(value: A, tag: string | undefined) {
    this.value = value
    this.tag = tag
  }
}

/** A write under a key, whose record has the body of the answer. */
export const answering = <A>(keyed: KeyedWrite, bodyOf: (written: A) => object) => ({
  ...keyed,
  answerOf: (written: A) => JSON.stringify(bodyOf(written))
})

export const untagged = (answer: unknown): Tagged<unknown> =>
  answer instanceof Tagged ? answer : new Tagged(answer, undefined)
