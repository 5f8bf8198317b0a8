import type { Scope } from "./Scope.ts"
import type { AccountId } from "./Ids.ts"
import type { EpochMillis } from "./EpochMillis.ts"

/** A program that may ask people to sign in; a public client without a secret. */
export interface OAuthClient {
  /** Our id for a registered client; the https URL of its document for one that describes itself. */
  readonly id: string
  readonly name: string
  /** As registered; compared by `RedirectUri`. */
  readonly redirectUris: ReadonlyArray<string>
  readonly created: EpochMillis
  /** The last time a person approved it; null if never. */
  readonly lastUsed: EpochMillis | null
}

/** What a person allowed a client; revoking it invalidates all codes and tokens issued under it. */
export interface Grant {
  readonly id: string
  readonly owner: AccountId
  readonly clientId: string
  /** As shown at approval. */
  readonly clientName: string
  readonly scopes: ReadonlyArray<Scope>
  readonly created: EpochMillis
  /** The last use of one of its tokens; null before the first. */
  readonly lastUsed: EpochMillis | null
  readonly revoked: EpochMillis | null
}

/** Valid for one exchange within 60 seconds. */
export interface AuthorizationCode {
  /** SHA-256 of the code, lower-case hex. */
  readonly hash: string
  readonly grantId: string
  readonly owner: AccountId
  readonly clientId: string
  /** The exchange must name the same one. */
  readonly redirectUri: string
  /** S256 of the verifier, base64url. */
  readonly challenge: string
  /** Exclusive. */
  readonly expires: EpochMillis
}

/** A token of a grant, by the SHA-256 of its text in lower-case hex. `expires` is exclusive. */
export interface Token {
  readonly hash: string
  readonly kind: "access" | "refresh"
  readonly grantId: string
  readonly owner: AccountId
  readonly expires: EpochMillis
  /** When a refresh token was exchanged for its successor; null for the newest. */
  readonly replaced: EpochMillis | null
  /** Of an access token for which fewer were asked than the grant has; null for all of them. */
  readonly scopes: ReadonlyArray<Scope> | null
}

/** A browser session on the sign-in pages. */
export interface Session {
  /** SHA-256 of the cookie's value, lower-case hex. */
  readonly hash: string
  readonly owner: AccountId
  /** The CSRF token in every form of this session. */
  readonly csrf: string
  readonly created: EpochMillis
  /** Exclusive. */
  readonly expires: EpochMillis
}
