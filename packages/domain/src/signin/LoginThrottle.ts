import { Context, Effect, Layer } from "effect"
import type { StorageUnavailable } from "../model/Errors.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import { currentTime, msPerHour } from "../model/EpochMillis.ts"

/** How long counted attempts are kept, in milliseconds; longer than any window. */
export const attemptLifetime = 2 * msPerHour

/** Outdated rows of each kind removed per sign-in. */
export const prunedOnTheWay = 20

/** Limits what costs rows before anybody is charged for it, such as attempts to sign in; counted in the storage, hence across processes and restarts. */
export class LoginThrottle extends Context.Service<
  LoginThrottle,
  {
    /** Counts an attempt; false when the window (in milliseconds) already had `most`. */
    readonly take: (key: string, most: number, windowMillis: number) => Effect.Effect<boolean, StorageUnavailable>
    readonly forget: (key: string) => Effect.Effect<void, StorageUnavailable>
  }
>()("@lists-and-things/domain/signin/LoginThrottle") {
  static readonly layer = Layer.effect(
    LoginThrottle,
    Effect.gen(function* () {
      const store = yield* SessionStore
      return LoginThrottle.of({
        take: (key, most, windowMillis) =>
          Effect.flatMap(currentTime, (now) =>
            Effect.map(store.countAttempt(key, now, windowMillis), (count) => count <= most)
          ),
        forget: store.forgetAttempts
      })
    })
  )
}
