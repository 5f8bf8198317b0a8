import { Context, Effect, Layer } from "effect"
import * as Crypto from "effect/Crypto"
import * as Redacted from "effect/Redacted"
import { changedSettings } from "../summaries/OperationSummaries.ts"
import { describe } from "../model/CurrentOperation.ts"
import { Conflict, type InvalidInput, NotFound, Unauthorized, type StorageUnavailable } from "../model/Errors.ts"
import { AccountId, Ids } from "../model/Ids.ts"
import { isStorable } from "../text/Characters.ts"
import { AccountStore, type AccountSecrets } from "../ports/AccountStore.ts"
import { KeyStore } from "../ports/KeyStore.ts"
import { OAuthStore } from "../ports/OAuthStore.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import { Storage } from "../ports/Storage.ts"
import { makeZoneChange } from "../recurrence/ZoneChange.ts"
import type { Account } from "../model/Account.ts"
import { accountOf } from "./AccountRef.ts"
import { applySettings, initialSettings, type AccountPatch } from "./AccountSettings.ts"
import { base62 } from "../text/Base62.ts"
import { canBeEmail, canBePassword, checkPassword } from "./Credentials.ts"
import { PasswordHasher } from "./PasswordHasher.ts"
import { currentTime, type EpochMillis } from "../model/EpochMillis.ts"
import { traced } from "../scheduling/Traced.ts"

/** Omitted settings are as `initialSettings` has them. */
export interface NewAccount extends AccountPatch {
  readonly email: string
}

export interface UpdatedAccount {
  readonly account: Account
  /** Number of reminders whose time changed with the time zone. */
  readonly remindersMoved: number
}

/** What `revokeAccess` ended: the keys and grants that were still valid, by number. */
export interface RevokedAccess {
  readonly account: Account
  readonly keys: number
  readonly grants: number
}

/** Where the calendar feed is; `token` names whose (docs/calendar.md). */
export const feedPath = "/reminders.ics"

/** The address of a calendar feed, which is a secret. `siteUrl` has no slash at its end. */
export const feedUrl = (siteUrl: string, token: string): string => `${siteUrl}${feedPath}?token=${token}`

/** Other text matches no account, and some storages cannot even query for it. */
const feedTokenForm = /^[\u0021-\u007e]{1,200}$/

type AdminError = InvalidInput | NotFound | Conflict | StorageUnavailable

/** Account administration for operators; needs no `Caller`. A `ref` is an id or an email. */
export class Accounts extends Context.Service<
  Accounts,
  {
    /** `Conflict` when an account has that email (ignoring case). */
    readonly create: (input: NewAccount) => Effect.Effect<Account, InvalidInput | Conflict | StorageUnavailable>
    /** By `created`. */
    readonly list: Effect.Effect<ReadonlyArray<Account>, StorageUnavailable>
    /** Whether there is no account at all. */
    readonly isEmpty: Effect.Effect<boolean, StorageUnavailable>
    /** Undefined where there is none or several. */
    readonly only: Effect.Effect<Account | undefined, StorageUnavailable>
    /** Whether the account can be signed in to with a password. */
    readonly hasPassword: (ref: string) => Effect.Effect<boolean, NotFound | StorageUnavailable>
    /** `NotFound` for an unknown id or email. */
    readonly get: (ref: string) => Effect.Effect<Account, NotFound | StorageUnavailable>
    /** A new time zone also moves the reminders (`ZoneChange`), in the same transaction. */
    readonly update: (ref: string, patch: AccountPatch) => Effect.Effect<UpdatedAccount, AdminError>
    /** Removes the account with everything it owns; returns the account as it was. */
    readonly remove: (ref: string) => Effect.Effect<Account, NotFound | StorageUnavailable>
    /** 8 to 1024 characters. Ends every session that was signed in with the old password. */
    readonly setPassword: (
      ref: string,
      password: Redacted.Redacted
    ) => Effect.Effect<Account, InvalidInput | NotFound | StorageUnavailable, PasswordHasher>
    /**
     * `Unauthorized` for an unknown email, a wrong password and an account without a password, in about the same time.
     * An email or password over the length limit is rejected without hashing it.
     */
    readonly signIn: (
      email: string,
      password: Redacted.Redacted
    ) => Effect.Effect<Account, Unauthorized | StorageUnavailable, PasswordHasher>
    /** The secret part of the calendar feed's address; created on first use. */
    readonly feedToken: (ref: string) => Effect.Effect<string, NotFound | StorageUnavailable>
    /** Replaces the secret; the old address stops working. */
    readonly rotateFeedToken: (ref: string) => Effect.Effect<string, NotFound | StorageUnavailable>
    /**
     * Ends all that opens the account: keys, programs that were let in, browsers that are signed in, the address of the
     * calendar feed, the password and links for one unless that stays. Repeated after a failure, it ends the rest.
     */
    readonly revokeAccess: (
      ref: string,
      options?: { readonly passwordStays: boolean }
    ) => Effect.Effect<RevokedAccess, NotFound | StorageUnavailable>
    /** The account whose calendar feed has this secret; `Unauthorized` when there is none. */
    readonly byFeedToken: (token: string) => Effect.Effect<Account, Unauthorized | StorageUnavailable>
  }
>()("@lists-and-things/domain/caller/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const store = yield* AccountStore
      const storage = yield* Storage
      const sessions = yield* SessionStore
      const keys = yield* KeyStore
      const oauth = yield* OAuthStore
      const moveToZone = yield* makeZoneChange
      const ids = yield* Ids
      const crypto = yield* Crypto.Crypto

      const create = traced("Accounts.create")(function* (input: NewAccount) {
        const settings = yield* applySettings({ ...initialSettings, email: "" }, input)
        const id = AccountId.make(yield* ids.next)
        const account: Account = { ...settings, id, created: yield* currentTime }
        return (yield* store.insert(account)) ? account : yield* taken
      })

      const get = (ref: string) => accountOf(store, ref)

      const hasPassword = traced("Accounts.hasPassword")(function* (ref: string) {
        const { id } = yield* get(ref)
        return (yield* store.secrets(id)).passwordHash !== null
      })

      const update = traced("Accounts.update")(function* (ref: string, patch: AccountPatch) {
        const { id } = yield* get(ref)
        const change = Effect.fnUntraced(function* (writeTimestamp: EpochMillis) {
          const before = yield* get(id)
          const account = yield* applySettings(before, patch)
          if (!(yield* store.put(account))) return yield* taken
          const remindersMoved = yield* moveToZone(before, account.timezone, writeTimestamp)
          yield* describe(changedSettings(changedKeys(before, account), remindersMoved))
          return { account, remindersMoved }
        })
        return yield* storage.transact(id, change)
      })

      const remove = traced("Accounts.remove")(function* (ref: string) {
        const account = yield* get(ref)
        yield* store.remove(account.id)
        return account
      })

      const changeSecrets = (id: AccountId, change: (secrets: AccountSecrets) => AccountSecrets) =>
        storage.transact(id, () =>
          Effect.gen(function* () {
            const secrets = change(yield* store.secrets(id))
            yield* store.putSecrets(id, secrets)
            return secrets
          })
        )

      const setPassword = traced("Accounts.setPassword")(function* (ref: string, password: Redacted.Redacted) {
        yield* checkPassword(password)
        const account = yield* get(ref)
        const hasher = yield* PasswordHasher
        const passwordHash = yield* hasher.hash(password)
        yield* storage.transact(account.id, () =>
          Effect.andThen(
            changeSecrets(account.id, (secrets) => ({ ...secrets, passwordHash, passwordLink: null })),
            sessions.removeOf(account.id)
          )
        )
        return account
      })

      const signIn = traced("Accounts.signIn")(function* (email: string, password: Redacted.Redacted) {
        if (!canBeEmail(email) || !canBePassword(Redacted.value(password))) return yield* new Unauthorized()
        const hasher = yield* PasswordHasher
        const account = isStorable(email) ? yield* store.byEmail(email.trim()) : undefined
        const secrets = account === undefined ? undefined : yield* store.secrets(account.id)
        const encoded = secrets?.passwordHash ?? undefined
        if (account === undefined || encoded === undefined) {
          yield* hasher.hash(password)
          return yield* new Unauthorized()
        }
        return (yield* hasher.verify(password, encoded)) ? account : yield* new Unauthorized()
      })

      const newFeedToken = Effect.map(Effect.orDie(crypto.randomBytes(32)), (bytes) => base62(bytes, 43))

      const feedToken = traced("Accounts.feedToken")(function* (ref: string) {
        const { id } = yield* get(ref)
        const made = (yield* store.secrets(id)).feedToken
        if (made !== null) return made
        const fresh = yield* newFeedToken
        const secrets = yield* changeSecrets(id, (old) => ({ ...old, feedToken: old.feedToken ?? fresh }))
        return secrets.feedToken ?? fresh
      })

      const rotateFeedToken = traced("Accounts.rotateFeedToken")(function* (ref: string) {
        const { id } = yield* get(ref)
        const fresh = yield* newFeedToken
        yield* changeSecrets(id, (old) => ({ ...old, feedToken: fresh }))
        return fresh
      })

      const revokeAccess = traced("Accounts.revokeAccess")(function* (
        ref: string,
        { passwordStays } = { passwordStays: false }
      ) {
        const account = yield* get(ref)
        const feedToken = yield* newFeedToken
        const revoke = Effect.gen(function* () {
          yield* changeSecrets(account.id, ({ passwordHash }) => ({
            passwordHash: passwordStays ? passwordHash : null,
            passwordLink: null,
            feedToken
          }))
          yield* sessions.removeOf(account.id)
          const now = yield* currentTime
          const revokedKeys = yield* keys.revokeAll(account.id, now)
          return { account, keys: revokedKeys, grants: yield* oauth.revokeGrants(account.id, now) }
        })
        return yield* storage.transact(account.id, () => revoke)
      })

      const byFeedToken = traced("Accounts.byFeedToken")(function* (token: string) {
        const account = feedTokenForm.test(token) ? yield* store.byFeedToken(token) : undefined
        return account ?? (yield* new Unauthorized())
      })

      return Accounts.of({
        create,
        list: store.all,
        isEmpty: store.isEmpty,
        only: store.only,
        get,
        hasPassword,
        update,
        remove,
        setPassword,
        signIn,
        feedToken,
        rotateFeedToken,
        revokeAccess,
        byFeedToken
      })
    })
  )
}

const changedKeys = (before: Account, after: Account): ReadonlyArray<string> =>
  (Object.keys(after) as Array<keyof Account>).filter((key) => before[key] !== after[key])

const taken = new Conflict({ message: "Another account has this email." })
