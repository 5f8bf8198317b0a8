import { Context, Effect, Layer } from "effect"
import type { StorageUnavailable } from "../model/Errors.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import { currentTime, msPerHour } from "../model/EpochMillis.ts"

/** How long counted attempts are kept, in milliseconds; longer than any window. */
export const attemptLifetime = 2 * msPerHour

/** At most so many outdated rows of each kind are removed with each sign-in, registration or new token. */
export const prunedPerWrite = 20

/**
 * Limits what no API key is charged for: attempts to sign in, registrations of programs, refreshes, reads of a calendar
 * feed. Counts in the storage, hence across processes and restarts.
 */
export class AttemptLimiter extends Context.Service<
  AttemptLimiter,
  {
    /** Counts an attempt under a key; false when its window, in milliseconds, already had `max`. */
    readonly take: (key: string, max: number, windowMillis: number) => Effect.Effect<boolean, StorageUnavailable>
    /** The next attempt under the key is the first of a window again. */
    readonly forget: (key: string) => Effect.Effect<void, StorageUnavailable>
  }
>()("@lists-and-things/domain/signin/AttemptLimiter") {
  static readonly layer = Layer.effect(
    AttemptLimiter,
    Effect.gen(function* () {
      const store = yield* SessionStore
      return AttemptLimiter.of({
        take: (key, max, windowMillis) =>
          Effect.flatMap(currentTime, (now) =>
            Effect.map(store.countAttempt(key, now, windowMillis), (count) => count <= max)
          ),
        forget: store.forgetAttempts
      })
    })
  )
}
