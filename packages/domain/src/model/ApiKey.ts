import type { AccountId } from "./Ids.ts"
import type { Scope } from "./Scope.ts"
import type { EpochMillis } from "./EpochMillis.ts"

/** A key as stored: its secret is shown once and never stored (docs/decisions.md#accounts-and-keys). */
export interface ApiKey {
  /** 12 base62 characters, public. */
  readonly id: string
  readonly accountId: AccountId
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  /** Requests per hour. */
  readonly rateLimit: number
  /** SHA-256 of the 49 secret characters, lower-case hex. */
  readonly secretHash: string
  readonly created: EpochMillis
  /** To the minute; null when never used. */
  readonly lastUsed: EpochMillis | null
  /** Null while it is valid; a key is never valid again. */
  readonly revoked: EpochMillis | null
}
