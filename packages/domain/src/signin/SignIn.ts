import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import * as Crypto from "effect/Crypto"
import type * as Redacted from "effect/Redacted"
import type { Account } from "../caller/Account.ts"
import { Accounts } from "../caller/Accounts.ts"
import { PasswordHasher } from "../caller/PasswordHasher.ts"
import { hashSecret } from "../caller/ApiToken.ts"
import { isAlive } from "../ClockSkew.ts"
import { RateLimited, type StorageUnavailable, Unauthorized } from "../Errors.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import { fold } from "../TextFold.ts"
import { AttemptLimit } from "./AttemptLimit.ts"
import type { Session } from "./Grant.ts"
import { mintSecret } from "./Secrets.ts"

/** Thirty days, in milliseconds. */
export const sessionLifetime = 30 * 86_400_000
const window = 15 * 60_000
const guesses = { account: 10, address: 50 } as const

export interface SignedIn {
  readonly session: Session
  readonly account: Account
}

/** Signing in to the pages with email and password; guesses are limited by account and by address. */
export class SignIn extends Context.Service<
  SignIn,
  {
    /** A new session every time; its cookie's value is answered once. `Unauthorized` says nothing of why. */
    readonly signIn: (
      email: string,
      password: Redacted.Redacted,
      address: string
    ) => Effect.Effect<
      { readonly cookie: string; readonly session: Session },
      Unauthorized | RateLimited | StorageUnavailable
    >
    /** `Unauthorized` when there is no such session or it has expired. */
    readonly session: (cookie: string) => Effect.Effect<SignedIn, Unauthorized | StorageUnavailable>
    readonly signOut: (cookie: string) => Effect.Effect<void, StorageUnavailable>
  }
>()("@lists-and-things/domain/signin/SignIn") {
  static readonly layer = Layer.effect(
    SignIn,
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const accountStore = yield* AccountStore
      const store = yield* SessionStore
      const limit = yield* AttemptLimit
      const crypto = yield* Crypto.Crypto
      const hasher = yield* PasswordHasher
      // Each guess takes 128 MiB and a core for a moment: strangers do not get more of them.
      const guessing = Semaphore.makeUnsafe(2)

      const signIn = Effect.fn("SignIn.signIn")(function* (
        email: string,
        password: Redacted.Redacted,
        address: string
      ) {
        const ofAccount = `sign-in ${yield* hashSecret(crypto, fold(email.trim()))}`
        const allowed =
          (yield* limit.take(`sign-in from ${address}`, guesses.address, window)) &&
          (yield* limit.take(ofAccount, guesses.account, window))
        const now = yield* Clock.currentTimeMillis
        if (!allowed) return yield* new RateLimited({ limit: guesses.account, resetAt: now + window })
        const account = yield* accounts
          .signIn(email.trim(), password)
          .pipe(Effect.provideService(PasswordHasher, hasher), guessing.withPermits(1))
        yield* limit.forget(ofAccount)
        yield* store.prune(now)
        const { secret, hash } = yield* mintSecret(crypto, "")
        const { secret: csrf } = yield* mintSecret(crypto, "")
        const session = { hash, owner: account.id, csrf, created: now, expires: now + sessionLifetime }
        yield* store.put(session)
        return { cookie: secret, session }
      })

      const session = Effect.fn("SignIn.session")(function* (cookie: string) {
        const found = yield* store.get(yield* hashSecret(crypto, cookie))
        if (found === undefined || !isAlive(found.expires, sessionLifetime, yield* Clock.currentTimeMillis))
          return yield* new Unauthorized()
        const account = yield* accountStore.get(found.owner)
        return account === undefined ? yield* new Unauthorized() : { session: found, account }
      })

      const signOut = Effect.fn("SignIn.signOut")(function* (cookie: string) {
        yield* store.remove(yield* hashSecret(crypto, cookie))
      })

      return SignIn.of({ signIn, session, signOut })
    })
  )
}
