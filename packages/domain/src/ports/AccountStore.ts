import { Context } from "effect"
import type { Account } from "../model/Account.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"
import type { AccountId } from "../model/Ids.ts"
import type { Stored } from "./Storage.ts"

/** A link with which a person chooses a password, as it is stored (docs/sign-in.md). */
export interface PasswordLink {
  /** SHA-256 of the secret in the link, lower-case hex. */
  readonly hash: string
  /** Exclusive. */
  readonly expires: EpochMillis
}

/** Secrets of an account; kept apart from its settings, so that reading settings cannot leak them. */
export interface AccountSecrets {
  /** An encoded scrypt hash; null when password sign-in is disabled. */
  readonly passwordHash: string | null
  /** The random part of the calendar feed's address; null when there is no feed. */
  readonly feedToken: string | null
  /** The one-time link with which a person chooses a password; null when there is none. */
  readonly passwordLink: PasswordLink | null
}

/** Accounts with their settings and secrets, each by its own id: it is the owner of all else, and has none itself. */
export class AccountStore extends Context.Service<
  AccountStore,
  {
    /** Undefined for an unknown id, malformed ones included. */
    readonly get: (id: string) => Stored<Account | undefined>
    /** Compared ignoring case. */
    readonly byEmail: (email: string) => Stored<Account | undefined>
    /** By `created`, then id. */
    readonly all: Stored<ReadonlyArray<Account>>
    /** Whether there is no account at all. */
    readonly isEmpty: Stored<boolean>
    /** Undefined where there is none or several. */
    readonly only: Stored<Account | undefined>
    /** False, without writing, when an account has that email (ignoring case) or id. */
    readonly insert: (account: Account) => Stored<boolean>
    /** Replaces every setting; false when another account has the email. */
    readonly put: (account: Account) => Stored<boolean>
    /** Removes everything the account owns as well. True when it existed. */
    readonly remove: (id: AccountId) => Stored<boolean>
    /** None of them for an unknown account. */
    readonly secrets: (id: AccountId) => Stored<AccountSecrets>
    /** Replaces all of them. */
    readonly putSecrets: (id: AccountId, secrets: AccountSecrets) => Stored<void>
    /** By `AccountSecrets.feedToken`. */
    readonly byFeedToken: (token: string) => Stored<Account | undefined>
    /** By the hash of the link's secret; also of one that has expired. */
    readonly byPasswordLink: (hash: string) => Stored<Account | undefined>
  }
>()("@lists-and-things/domain/ports/AccountStore") {}
