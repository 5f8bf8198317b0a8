import type { Scope } from "./Scope.ts"
import type { AccountId } from "./Ids.ts"

/** A program that may ask people to sign in; it has no secret of its own. Times are epoch milliseconds. */
export interface OAuthClient {
  /** Ours for a registered client, the https URL of its document for one that describes itself. */
  readonly id: string
  readonly name: string
  /** As registered; compared by `RedirectUri`. */
  readonly redirectUris: ReadonlyArray<string>
  readonly created: number
  /** The last time somebody approved it; null while nobody has. */
  readonly lastUsed: number | null
}

/** What a person allowed a client; all codes and tokens that follow from it die with it. */
export interface Grant {
  readonly id: string
  readonly owner: AccountId
  readonly clientId: string
  /** As it was shown when it was approved. */
  readonly clientName: string
  readonly scopes: ReadonlyArray<Scope>
  readonly created: number
  readonly lastUsed: number | null
  readonly revoked: number | null
}

/** Good for one exchange within 60 seconds. */
export interface AuthorizationCode {
  /** SHA-256 of the code, lower-case hex. */
  readonly hash: string
  readonly grantId: string
  readonly owner: AccountId
  readonly clientId: string
  readonly redirectUri: string
  /** S256 of the verifier, base64url. */
  readonly challenge: string
  readonly expires: number
}

export interface Token {
  readonly hash: string
  readonly kind: "access" | "refresh"
  readonly grantId: string
  readonly owner: AccountId
  readonly expires: number
  /** When a refresh token was exchanged for its successor; null while it is the newest. */
  readonly replaced: number | null
}

/** Somebody who signed in to the pages. */
export interface Session {
  /** SHA-256 of the cookie's value, lower-case hex. */
  readonly hash: string
  readonly owner: AccountId
  /** What every form of this session carries. */
  readonly csrf: string
  readonly created: number
  readonly expires: number
}
