import { Context } from "effect"
import type { Account } from "../model/Account.ts"
import type { AccountId } from "../model/Ids.ts"
import type { Stored } from "./Storage.ts"

/** Secrets of an account, apart from its settings so that no settings read can leak them. */
export interface AccountSecrets {
  /** An encoded scrypt hash; null when nobody can sign in with a password. */
  readonly passwordHash: string | null
  /** The random part of the calendar feed's address; null when there is no feed. */
  readonly feedToken: string | null
}

export class AccountStore extends Context.Service<
  AccountStore,
  {
    readonly get: (id: string) => Stored<Account | undefined>
    /** Compared ignoring case. */
    readonly byEmail: (email: string) => Stored<Account | undefined>
    /** By `created`, then id. */
    readonly all: Stored<ReadonlyArray<Account>>
    /** False, and nothing is written, when an account has that email (ignoring case) or id. */
    readonly insert: (account: Account) => Stored<boolean>
    /** Replaces every setting; false when another account has the email. */
    readonly put: (account: Account) => Stored<boolean>
    /** Everything the account owns goes with it. True when there was one. */
    readonly remove: (id: AccountId) => Stored<boolean>
    readonly secrets: (id: AccountId) => Stored<AccountSecrets>
    readonly putSecrets: (id: AccountId, secrets: AccountSecrets) => Stored<void>
    readonly byFeedToken: (token: string) => Stored<Account | undefined>
  }
>()("@lists-and-things/domain/ports/AccountStore") {}
