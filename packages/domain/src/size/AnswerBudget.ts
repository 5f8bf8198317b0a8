import { Context, Effect } from "effect"
import { Overloaded } from "../model/Errors.ts"
import type { Size } from "../model/Size.ts"

/** Bytes of memory that the answers under way of a process may take (docs/decisions.md#caps). */
export const defaultAnswerBytes = 256 * 1024 ** 2

/** The limit in force; an operator changes it. Read when a server is built. */
export const MaxAnswerBytes = Context.Reference<number>("@lists-and-things/domain/size/MaxAnswerBytes", {
  defaultValue: () => defaultAnswerBytes
})

/** What one answer takes of the budget, from before it is read until it has left. */
export interface AnswerLease {
  /**
   * Changes what it takes. False, and nothing changes, when it would grow and there is no room beside the others: a
   * single answer always has room, so that whatever is stored can be read.
   */
  readonly resize: (bytes: number) => boolean
  readonly end: () => void
}

export class AnswerBudget {
  readonly #limit: number
  #taken = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Bytes of all answers under way. */
  get taken(): number {
    return this.#taken
  }

  lease(): AnswerLease {
    let own = 0
    let ended = false
    const resize = (bytes: number): boolean => {
      if (ended) return false
      const others = this.#taken - own
      if (bytes > own && others > 0 && others + bytes > this.#limit) return false
      this.#taken = others + bytes
      own = bytes
      return true
    }
    const end = (): void => {
      resize(0)
      ended = true
    }
    return { resize, end }
  }
}

/** The lease of the request that the fiber answers; none where nobody counts, as in a command of the CLI. */
export const CurrentLease = Context.Reference<AnswerLease | undefined>("@lists-and-things/domain/size/CurrentLease", {
  defaultValue: () => undefined
})

/** Up to this size a list is read without asking for room first: its answer is counted when it is there. */
export const smallList: Size = { things: 500, bytes: 256 * 1024 }

/** A thing with its row, its fields in JSON and what holds them, apart from what is written in it. */
const bytesOfThing = 4 * 1024
/** What is written in a thing is there as received, as strings, as JSON text and as the bytes of the body. */
const copies = 5

/** Memory that an answer with all of a list takes while it is made. */
export const memoryOf = ({ bytes, things }: Size): number => copies * bytes + bytesOfThing * things

/** Makes room for an answer before anything of it is read. */
export const makeRoom = (size: Size): Effect.Effect<void, Overloaded> =>
  Effect.flatMap(Effect.service(CurrentLease), (lease) =>
    lease === undefined || lease.resize(memoryOf(size)) ? Effect.void : Effect.fail(new Overloaded())
  )
