import { Effect } from "effect"

/** How often a transaction that the server undid for the sake of another is repeated. */
export const maxRetries = 5

/** Real time: what keeps two transactions apart is no matter of the domain's Clock. */
export const pause = (millis: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const timer = setTimeout(() => resume(Effect.void), millis)
    return Effect.sync(() => clearTimeout(timer))
  })

/** At most 10, 20, 40 … milliseconds. */
export const jitter = (attempt: number): Effect.Effect<void> => pause(Math.random() * 10 * 2 ** attempt)
