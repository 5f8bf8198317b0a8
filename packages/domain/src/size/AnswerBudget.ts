import { Context, Effect } from "effect"
import { Overloaded } from "../model/Errors.ts"
import type { Size } from "../model/Size.ts"

/** Bytes of memory that the answers in progress of a process may use (docs/decisions.md#caps). */
export const defaultAnswerBytes = 256 * 1024 ** 2

/** The limit in force; configurable by the operator. Read when a server is built. */
export const MaxAnswerBytes = Context.Reference<number>("@lists-and-things/domain/size/MaxAnswerBytes", {
  defaultValue: () => defaultAnswerBytes
})

/** One answer's share of the budget, from before it is read until it has been sent. */
export interface AnswerLease {
  /**
   * Changes the size of the share. False, without a change, when it would grow beyond what the other answers leave; a
   * single answer always fits, so that everything stored can be read.
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

  /** Bytes of all answers in progress. */
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

/** The lease of the request that the fiber answers; none where answers are not counted, as in a CLI command. */
export const CurrentLease = Context.Reference<AnswerLease | undefined>("@lists-and-things/domain/size/CurrentLease", {
  defaultValue: () => undefined
})

/** Lists up to this size are read without reserving memory first; their answers are counted afterwards. */
export const smallList: Size = { things: 500, bytes: 256 * 1024 }

/** Bytes of a thing with its row, its JSON fields and their overhead, without its text content. */
const bytesOfThing = 4 * 1024
/** Text content is in memory several times: as received, as strings, as JSON text and as the bytes of the body. */
const copies = 5

/** Estimated memory for an answer with a whole list. */
export const memoryOf = ({ bytes, things }: Size): number => copies * bytes + bytesOfThing * things

/** Reserves memory for an answer before any of it is read. */
export const makeRoom = (size: Size): Effect.Effect<void, Overloaded> =>
  Effect.flatMap(Effect.service(CurrentLease), (lease) =>
    lease === undefined || lease.resize(memoryOf(size)) ? Effect.void : Effect.fail(new Overloaded())
  )
