import type { AccountId } from "./Ids.ts"
import type { Scope } from "./Scope.ts"

/** A key as it is stored: the secret itself is shown once and never kept (docs/decisions.md#accounts-and-keys). */
export interface ApiKey {
  /** 12 base62 characters, public. */
  readonly id: string
  readonly accountId: AccountId
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  /** Requests an hour. */
  readonly rateLimit: number
  /** SHA-256 of the 49 secret characters, lower-case hex. */
  readonly secretHash: string
  /** Epoch milliseconds. */
  readonly created: number
  /** Epoch milliseconds, kept to the minute; null when never used. */
  readonly lastUsed: number | null
  readonly revoked: number | null
}
