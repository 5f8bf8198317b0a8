import { Context, Effect, Layer } from "effect"
import * as Crypto from "effect/Crypto"
import type * as Redacted from "effect/Redacted"
import { isAlive } from "../days/ClockSkew.ts"
import type { Account } from "../model/Account.ts"
import { addMillis, currentTime, type EpochMillis, msPerHour } from "../model/EpochMillis.ts"
import { type InvalidInput, type NotFound, type StorageUnavailable, Unauthorized } from "../model/Errors.ts"
import { type AccountSecrets, AccountStore } from "../ports/AccountStore.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import { Storage } from "../ports/Storage.ts"
import { accountOf } from "./AccountRef.ts"
import { hashOf, mintSecret, sameHash } from "./Hashing.ts"
import { checkPassword } from "./Credentials.ts"
import { PasswordHasher } from "./PasswordHasher.ts"
import { traced } from "../scheduling/Traced.ts"

/** An hour, in milliseconds. */
export const passwordLinkLifetime = msPerHour

export interface NewPasswordLink {
  readonly account: Account
  /** Given out only here; its hash is stored. */
  readonly secret: string
  /** Exclusive. */
  readonly expires: EpochMillis
}

/** The page that a link leads to, and what names its secret there. */
export const passwordLinkPath = "/sign-in/welcome"

/** `siteUrl` has no slash at its end. */
export const passwordLinkUrl = (siteUrl: string, secret: string): string =>
  `${siteUrl}${passwordLinkPath}?link=${secret}`

const secretForm = /^[\w-]{43}$/

/**
 * One-time links with which a person chooses the password of their account, the first one or another. A link ends when it
 * is used, after an hour, by a newer one, by a password that came another way, and with all access to the account.
 */
export class PasswordLinks extends Context.Service<
  PasswordLinks,
  {
    /** `ref` is an id or an email. The password that is there goes on until the link is used. */
    readonly create: (ref: string) => Effect.Effect<NewPasswordLink, NotFound | StorageUnavailable>
    /** The account that the link is of; `Unauthorized` for one that is unknown or has ended. */
    readonly account: (secret: string) => Effect.Effect<Account, Unauthorized | StorageUnavailable>
    /** Sets the password, once: of several at the same time one succeeds. A password that is refused leaves the link. */
    readonly use: (
      secret: string,
      password: Redacted.Redacted
    ) => Effect.Effect<Account, Unauthorized | InvalidInput | StorageUnavailable, PasswordHasher>
  }
>()("@lists-and-things/domain/caller/PasswordLinks") {
  static readonly layer = Layer.effect(
    PasswordLinks,
    Effect.gen(function* () {
      const store = yield* AccountStore
      const storage = yield* Storage
      const sessions = yield* SessionStore
      const crypto = yield* Crypto.Crypto

      const create = traced("PasswordLinks.create")(function* (ref: string) {
        const account = yield* accountOf(store, ref)
        const { hash, secret } = yield* mintSecret(crypto, "")
        const expires = addMillis(yield* currentTime, passwordLinkLifetime)
        yield* storage.transact(account.id, () =>
          Effect.gen(function* () {
            const secrets = yield* store.secrets(account.id)
            return yield* store.putSecrets(account.id, { ...secrets, passwordLink: { hash, expires } })
          })
        )
        return { account, secret, expires }
      })

      const isValid = ({ passwordLink }: AccountSecrets, hash: string, now: EpochMillis): boolean =>
        passwordLink !== null &&
        sameHash(passwordLink.hash, hash) &&
        isAlive(passwordLink.expires, passwordLinkLifetime, now)

      const account = traced("PasswordLinks.account")(function* (secret: string) {
        if (!secretForm.test(secret)) return yield* new Unauthorized()
        const hash = yield* hashOf(crypto, secret)
        const found = yield* store.byPasswordLink(hash)
        if (found === undefined || !isValid(yield* store.secrets(found.id), hash, yield* currentTime))
          return yield* new Unauthorized()
        return found
      })

      const use = traced("PasswordLinks.use")(function* (secret: string, password: Redacted.Redacted) {
        const found = yield* account(secret)
        yield* checkPassword(password)
        const hash = yield* hashOf(crypto, secret)
        const passwordHash = yield* Effect.flatMap(PasswordHasher, (hasher) => hasher.hash(password))
        yield* storage
          .transact(found.id, () =>
            Effect.gen(function* () {
              const secrets = yield* store.secrets(found.id)
              if (!isValid(secrets, hash, yield* currentTime)) return yield* new Unauthorized()
              yield* store.putSecrets(found.id, { ...secrets, passwordHash, passwordLink: null })
              yield* sessions.removeOf(found.id)
            })
          )
          .pipe(Effect.catchTag("NotFound", () => Effect.fail(new Unauthorized())))
        return found
      })

      return PasswordLinks.of({ create, account, use })
    })
  )
}
