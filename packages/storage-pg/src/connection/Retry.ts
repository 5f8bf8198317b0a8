import { Effect } from "effect"

/** Maximum number of retries of a transaction that the server rolled back because of a concurrent one. */
export const maxRetries = 5

/** Waits in real time: the distance between two transactions is independent of the domain's Clock. */
export const pause = (millis: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const timer = setTimeout(() => resume(Effect.void), millis)
    return Effect.sync(() => clearTimeout(timer))
  })

/** A random pause of at most 10, 20, 40 … milliseconds; `attempt` counts from 0. */
export const jitter = (attempt: number): Effect.Effect<void> => pause(Math.random() * 10 * 2 ** attempt)
