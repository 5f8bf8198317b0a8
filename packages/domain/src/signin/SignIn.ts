import { Context, Effect, Layer, Semaphore } from "effect"
import * as Crypto from "effect/Crypto"
import * as Base64Url from "effect/encoding/Base64Url"
import type * as Redacted from "effect/Redacted"
import type { Account } from "../model/Account.ts"
import { Accounts } from "../caller/Accounts.ts"
import { canBeEmail } from "../caller/Credentials.ts"
import { PasswordLinks } from "../caller/PasswordLinks.ts"
import { PasswordHasher } from "../caller/PasswordHasher.ts"
import { hashOf, mintSecret } from "../caller/Hashing.ts"
import { expired, isAlive } from "../days/ClockSkew.ts"
import {
  type InvalidInput,
  type NotFound,
  RateLimited,
  type StorageUnavailable,
  Unauthorized
} from "../model/Errors.ts"
import type { AccountId } from "../model/Ids.ts"
import { isStorable } from "../text/Characters.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import { fold } from "../text/TextFold.ts"
import { AttemptLimiter, prunedPerWrite } from "./AttemptLimiter.ts"
import type { Session } from "../model/Grant.ts"
import { claimsOf, type Device, deviceLifetime, isGenuine, remember } from "./KnownDevices.ts"
import { addMillis, currentTime, type EpochMillis, msPerDay, msPerMinute } from "../model/EpochMillis.ts"
import { traced } from "../scheduling/Traced.ts"

/** Thirty days, in milliseconds. */
export const sessionLifetime = 30 * msPerDay
const window = 15 * msPerMinute
const guesses = { account: 10, address: 50 } as const

export interface SignedIn {
  readonly session: Session
  readonly account: Account
}

/** Somebody who wants to sign in with a password. */
export interface Attempt {
  readonly email: string
  readonly password: Redacted.Redacted
  /** The source address of the request. */
  readonly address: string
  /** The cookie that identifies the browser; empty when there is none. */
  readonly device: string
}

/** A session that has just begun; its cookie is given out only here. */
export interface Entry {
  readonly cookie: string
  readonly session: Session
  /** The new value of the cookie that identifies the browser. */
  readonly device: string
}

/** Maximum waiters; further guesses are rejected and may be retried later. */
const maxWaiting = 16
const turnMillis = 5_000

/**
 * Guesses of one known account at a time, running or waiting, so that repeated sign-ins do not crowd out other
 * accounts.
 */
const maxGuessesOfAccount = 2

/**
 * Runs guesses one at a time, since each takes 128 MiB and a core for a moment. `known` is the account of a known
 * browser; others have been limited by address before.
 */
const makeGuessLimiter = () => {
  const guessing = Semaphore.makeUnsafe(1)
  const admitted: Array<AccountId | undefined> = []
  const mayWait = (known: AccountId | undefined): boolean =>
    admitted.length <= maxWaiting &&
    (known === undefined || admitted.filter((each) => each === known).length < maxGuessesOfAccount)
  return (known?: AccountId) =>
    <A, E, R>(guess: Effect.Effect<A, E, R>): Effect.Effect<A, E | RateLimited, R> =>
      Effect.suspend((): Effect.Effect<A, E | RateLimited, R> => {
        if (mayWait(known))
          return Effect.acquireUseRelease(
            Effect.sync(() => void admitted.push(known)),
            () => guessing.withPermits(1)(guess),
            () => Effect.sync(() => void admitted.splice(admitted.indexOf(known), 1))
          )
        return Effect.flatMap(currentTime, (now) =>
          Effect.fail(new RateLimited({ limit: maxWaiting, resetAt: addMillis(now, turnMillis) }))
        )
      })
}

/** Wraps `hasher`, and remembers the hash against which a password was last verified, or to which one was last set. */
const rememberingProof = (hasher: PasswordHasher["Service"]) => {
  let proof: string | null = null
  const keep = (encoded: string) => {
    proof = encoded
  }
  return {
    hasher: PasswordHasher.of({
      hash: (password) => Effect.tap(hasher.hash(password), (encoded) => Effect.sync(() => keep(encoded))),
      verify: (password, encoded) =>
        Effect.tap(hasher.verify(password, encoded), (isRight) => Effect.sync(() => isRight && keep(encoded)))
    }),
    proof: () => proof
  }
}

/**
 * Sign-in to the pages with email and password. Guesses are limited per address and per account; those from a known
 * browser only per browser, so that guesses from elsewhere cannot lock it out.
 */
export class SignIn extends Context.Service<
  SignIn,
  {
    /**
     * Creates a new session each time; its cookie value is returned only once. `Unauthorized` gives no reason. An email
     * or password over the length limit counts as a failed guess.
     */
    readonly signIn: (attempt: Attempt) => Effect.Effect<Entry, Unauthorized | RateLimited | StorageUnavailable>
    /** `Unauthorized` when there is no such session or it has expired. */
    readonly session: (cookie: string) => Effect.Effect<SignedIn, Unauthorized | StorageUnavailable>
    /**
     * Replaces the password of an account after checking the present one, which counts as a guess like a sign-in; ends
     * all its sessions and begins one for this browser. `Unauthorized` for a wrong present password.
     */
    readonly changePassword: (
      attempt: Attempt,
      password: Redacted.Redacted
    ) => Effect.Effect<Entry, Unauthorized | RateLimited | InvalidInput | NotFound | StorageUnavailable>
    /**
     * Uses up a link for a password, and begins a session in a browser (`device` as in `Attempt`). `Unauthorized`
     * for a link that is unknown or has ended; a password that is refused leaves the link.
     */
    readonly welcome: (
      secret: string,
      password: Redacted.Redacted,
      device: string
    ) => Effect.Effect<Entry, Unauthorized | InvalidInput | RateLimited | StorageUnavailable>
    /**
     * Creates a credential for the account of a session, such as an API key. If the session has ended meanwhile, the
     * credential is revoked again and the result is `Unauthorized`, since whoever ended all access may have missed it.
     */
    readonly whileSignedIn: <A, E, R, E2, R2>(
      session: Session,
      make: Effect.Effect<A, E, R>,
      takeBack: (made: A) => Effect.Effect<void, E2, R2>
    ) => Effect.Effect<A, E | E2 | Unauthorized | StorageUnavailable, R | R2>
    /** Ends the session of this cookie; an unknown one is ended already. */
    readonly signOut: (cookie: string) => Effect.Effect<void, StorageUnavailable>
  }
>()("@lists-and-things/domain/signin/SignIn") {
  static readonly layer = Layer.effect(
    SignIn,
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const links = yield* PasswordLinks
      const accountStore = yield* AccountStore
      const store = yield* SessionStore
      const attempts = yield* AttemptLimiter
      const crypto = yield* Crypto.Crypto
      const hasher = yield* PasswordHasher
      const unknownBrowsers = makeGuessLimiter()
      const knownBrowsers = makeGuessLimiter()

      /** The browser's claim to be known to the account, if its signature is valid. */
      const knownDevice = Effect.fnUntraced(function* (email: string, cookie: string, now: EpochMillis) {
        for (const claim of claimsOf(cookie)) {
          const { passwordHash } = yield* accountStore.secrets(claim.owner)
          if (passwordHash === null || !(yield* isGenuine(crypto, claim, passwordHash, now))) continue
          const account = isStorable(email) ? yield* accountStore.byEmail(email) : undefined
          if (account?.id === claim.owner) return claim
        }
        return undefined
      })

      /**
       * The counter that a correct password resets; nothing is computed from the input before its address is counted.
       */
      const count = Effect.fnUntraced(function* ({ address, device: cookie, email }: Attempt, now: EpochMillis) {
        const limited = new RateLimited({ limit: guesses.account, resetAt: addMillis(now, window) })
        const fromAddress = yield* attempts.take(`sign-in from ${address}`, guesses.address, window)
        if (!canBeEmail(email)) return yield* fromAddress ? new Unauthorized() : limited
        const device = yield* knownDevice(email.trim(), cookie, now)
        if (device === undefined && !fromAddress) return yield* limited
        const key =
          device === undefined
            ? `sign-in ${yield* hashOf(crypto, fold(email.trim()))}`
            : `sign-in with ${device.owner} ${device.id}`
        return (yield* attempts.take(key, guesses.account, window)) ? { key, device } : yield* limited
      })

      /** Runs with the account once the attempt is counted and its password is right; one at a time. */
      const afterGuess = Effect.fnUntraced(function* <E>(
        attempt: Attempt,
        use: (account: Account) => Effect.Effect<Account, E, PasswordHasher>
      ) {
        const counted = yield* count(attempt, yield* currentTime)
        const limited = counted.device === undefined ? unknownBrowsers() : knownBrowsers(counted.device.owner)
        const remembering = rememberingProof(hasher)
        const account = yield* Effect.flatMap(accounts.signIn(attempt.email.trim(), attempt.password), use).pipe(
          Effect.provideService(PasswordHasher, remembering.hasher),
          limited
        )
        yield* attempts.forget(counted.key)
        return yield* enter(account, remembering.proof(), attempt, counted.device)
      })

      /**
       * `proof` is the hash against which the given password was verified. `Unauthorized` if the account has another
       * hash by now: the change of password ended the sessions that it found, which may not include this one.
       */
      const enter = Effect.fnUntraced(function* (
        account: Account,
        proof: string | null,
        attempt: Pick<Attempt, "device">,
        device: Device | undefined
      ) {
        const now = yield* currentTime
        yield* store.pruneSessions(expired(now, sessionLifetime), prunedPerWrite)
        const { secret, hash } = yield* mintSecret(crypto, "")
        const { secret: csrf } = yield* mintSecret(crypto, "")
        const session = { hash, owner: account.id, csrf, created: now, expires: addMillis(now, sessionLifetime) }
        yield* store.put(session)
        const { passwordHash } = yield* accountStore.secrets(account.id)
        if (passwordHash === null || passwordHash !== proof) {
          yield* store.remove(hash)
          return yield* new Unauthorized()
        }
        return { cookie: secret, device: yield* deviceCookie(attempt.device, device, session, passwordHash), session }
      })

      const signIn = traced("SignIn.signIn")(function* (attempt: Attempt) {
        return yield* afterGuess(attempt, Effect.succeed)
      })

      const changePassword = traced("SignIn.changePassword")(function* (attempt: Attempt, password: Redacted.Redacted) {
        return yield* afterGuess(attempt, ({ id }) => accounts.setPassword(id, password))
      })

      const welcome = traced("SignIn.welcome")(function* (secret: string, password: Redacted.Redacted, device: string) {
        const { id } = yield* links.account(secret)
        const remembering = rememberingProof(hasher)
        const account = yield* links
          .use(secret, password)
          .pipe(Effect.provideService(PasswordHasher, remembering.hasher), knownBrowsers(id))
        return yield* enter(account, remembering.proof(), { device }, undefined)
      })

      /** A known browser keeps its device id, so that its attempts are counted together. */
      const deviceCookie = Effect.fnUntraced(function* (
        cookie: string,
        known: Device | undefined,
        session: Session,
        passwordHash: string
      ) {
        const id = known?.id ?? Base64Url.encode(yield* Effect.orDie(crypto.randomBytes(16)))
        const device = { owner: session.owner, id, expires: addMillis(session.created, deviceLifetime) }
        return yield* remember(crypto, device, passwordHash, cookie)
      })

      const session = traced("SignIn.session")(function* (cookie: string) {
        const found = yield* store.get(yield* hashOf(crypto, cookie))
        if (found === undefined || !isAlive(found.expires, sessionLifetime, yield* currentTime))
          return yield* new Unauthorized()
        const account = yield* accountStore.get(found.owner)
        return account === undefined ? yield* new Unauthorized() : { session: found, account }
      })

      const whileSignedIn = traced("SignIn.whileSignedIn")(function* <A, E, R, E2, R2>(
        { hash }: Session,
        make: Effect.Effect<A, E, R>,
        takeBack: (made: A) => Effect.Effect<void, E2, R2>
      ): Effect.fn.Return<A, E | E2 | Unauthorized | StorageUnavailable, R | R2> {
        const made = yield* make
        if ((yield* store.get(hash)) !== undefined) return made
        yield* takeBack(made)
        return yield* new Unauthorized()
      })

      const signOut = traced("SignIn.signOut")(function* (cookie: string) {
        yield* store.remove(yield* hashOf(crypto, cookie))
      })

      return SignIn.of({ signIn, session, changePassword, welcome, whileSignedIn, signOut })
    })
  )
}
