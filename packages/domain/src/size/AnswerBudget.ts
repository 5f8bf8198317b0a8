import { Context, Effect } from "effect"
import { Overloaded } from "../model/Errors.ts"
import type { AccountId } from "../model/Ids.ts"
import type { Size } from "../model/Size.ts"
import type { Thing } from "../model/Thing.ts"
import type { MemoryReservation } from "./MemoryBudget.ts"

/** Bytes of memory that the answers in progress of a process may use (docs/decisions.md#caps). */
export const defaultAnswerBytes = 256 * 1024 ** 2

/** The limit in force; configurable by the operator. Read when a server is built. */
export const MaxAnswerBytes = Context.Reference<number>("@lists-and-things/domain/size/MaxAnswerBytes", {
  defaultValue: () => defaultAnswerBytes
})

/** The memory of one answer. */
export interface AnswerReservation extends MemoryReservation {
  /** Whether the answer to a write fits beside those of its account. Its size is estimated: it is known only afterwards. */
  readonly fitsWrite: () => boolean
}

/**
 * The memory that the fiber's answer takes, from before it is read until it has been sent. None where answers are not
 * counted, as in a CLI command.
 */
export const CurrentReservation = Context.Reference<AnswerReservation | undefined>(
  "@lists-and-things/domain/size/CurrentReservation",
  {
    defaultValue: () => undefined
  }
)

/** About the largest answer to a write. */
export const writtenBytes = 10 * 1024 ** 2

/** Lists up to this size are read without reserving memory first; their answers are counted afterwards. */
export const smallList: Size = { things: 500, bytes: 256 * 1024 }

/** Bytes of a thing with its row, its JSON fields and their overhead, without its text content. */
const bytesOfThing = 4 * 1024
/** Text content is in memory several times: as received, as strings, as JSON text and as the bytes of the body. */
const copies = 5

/** Estimated memory for an answer with a whole list. */
const memoryOf = ({ bytes, things }: Size): number => copies * bytes + bytesOfThing * things

/** Charges the memory of the fiber's answer to this account. */
export const chargeAnswerTo = (owner: AccountId): Effect.Effect<void> =>
  Effect.map(Effect.service(CurrentReservation), (reservation) => reservation?.chargeTo(owner))

/** Charges the memory of the fiber's answer to this account; fails before a write if its answer would not fit. */
export const checkWriteBudget = (owner: AccountId): Effect.Effect<void, Overloaded> =>
  Effect.flatMap(Effect.service(CurrentReservation), (reservation) => {
    reservation?.chargeTo(owner)
    return reservation === undefined || reservation.fitsWrite() ? Effect.void : Effect.fail(new Overloaded())
  })

/**
 * Reserves memory for an answer with things that are already read. Fails at once where it does not fit, since
 * waiting would keep them in memory.
 */
export const reserveForThings = (
  owner: AccountId,
  things: ReadonlyArray<Pick<Thing, "note" | "text">>
): Effect.Effect<void, Overloaded> => {
  const bytes = things.reduce((sum, { note, text }) => sum + note.length + text.length, 0)
  if (bytes <= smallList.bytes) return Effect.void
  return Effect.flatMap(Effect.service(CurrentReservation), (reservation) => {
    reservation?.chargeTo(owner)
    return reservation === undefined || reservation.resize(memoryOf({ bytes, things: things.length }))
      ? Effect.void
      : Effect.fail(new Overloaded())
  })
}

/** Milliseconds that a read waits for the memory of its answer, about as long as for a frozen database. */
const readWaitMillis = 5_000

/** Reserves memory for an answer to its owner before any of it is read; waits while other answers have it. */
export const reserveForRead = (owner: AccountId, size: Size): Effect.Effect<void, Overloaded> =>
  Effect.flatMap(Effect.service(CurrentReservation), (reservation) => {
    reservation?.chargeTo(owner)
    const bytes = memoryOf(size)
    if (reservation === undefined || reservation.resize(bytes)) return Effect.void
    const reserved = Effect.callback<void>((resume) => {
      const cancel = reservation.whenAvailable(bytes, () => resume(Effect.void))
      return Effect.sync(cancel)
    })
    return Effect.timeoutOrElse(reserved, { duration: readWaitMillis, orElse: () => Effect.fail(new Overloaded()) })
  })
