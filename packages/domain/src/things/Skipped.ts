import { Effect } from "effect"
import { notify } from "../model/CurrentOperation.ts"

/** An item of a call that was left out. */
export interface Skipped {
  /** Where it stands in the call: `items[3]`. */
  readonly at: string
  readonly why: string
}

/** Items that a notice names; of more only the number is told. */
export const maxSkippedNamed = 20

/**
 * Says what was left out of a call and why: `Skipped items[1] (blank), items[3] (a duplicate) and 12 more.` `total`
 * counts those, too, that are not given. No more are read than are named.
 */
export const notifySkipped = (skipped: Iterable<Skipped>, total: number): Effect.Effect<void> => {
  if (total === 0) return Effect.void
  const named = Array.from(Iterator.from(skipped).take(maxSkippedNamed), ({ at, why }) => `${at} (${why})`)
  const others = total - named.length
  return notify(`Skipped ${named.join(", ")}${others === 0 ? "" : ` and ${others} more`}.`)
}
