import { Context } from "effect"
import type { Outdated } from "../scheduling/ClockSkew.ts"
import type { AccountId } from "../model/Ids.ts"
import type { AuthorizationCode, Grant, OAuthClient, Token } from "../model/Grant.ts"
import type { Stored } from "./Storage.ts"

/** Clients belong to nobody; grants, codes and tokens belong to an account and go with it. */
export class OAuthStore extends Context.Service<
  OAuthStore,
  {
    readonly client: (id: string) => Stored<OAuthClient | undefined>
    /** Inserts, or replaces the client of the same id. */
    readonly putClient: (client: OAuthClient) => Stored<void>
    /** Removes clients that nobody ever approved by when they were made, at most so many, the oldest first; how many. */
    readonly pruneClients: (created: Outdated, most: number) => Stored<number>
    /** Of the clients that nobody ever approved, leaves the newest `keep` and removes at most so many others; how many. */
    readonly trimClients: (keep: number, most: number) => Stored<number>
    readonly putGrant: (grant: Grant) => Stored<void>
    /** Sets `lastUsed`; nothing where there is no such grant. */
    readonly usedGrant: (owner: AccountId, id: string, now: number) => Stored<void>
    readonly grant: (owner: AccountId, id: string) => Stored<Grant | undefined>
    /** Not revoked ones, newest first. */
    readonly grantsOf: (owner: AccountId) => Stored<ReadonlyArray<Grant>>
    /** Its codes and tokens are of no use at once. True when there was one; the first moment stays. */
    readonly revokeGrant: (owner: AccountId, id: string, now: number) => Stored<boolean>
    readonly putCode: (code: AuthorizationCode) => Stored<void>
    /** Marks a code as used in one atomic step; `first` for exactly one of all callers. */
    readonly takeCode: (
      hash: string
    ) => Stored<{ readonly code: AuthorizationCode; readonly first: boolean } | undefined>
    readonly putToken: (token: Token) => Stored<void>
    /** The token with its grant, whatever their state. */
    readonly token: (hash: string) => Stored<{ readonly token: Token; readonly grant: Grant } | undefined>
    /** Sets `replaced` where it is null. */
    readonly replaceToken: (hash: string, now: number) => Stored<void>
    /**
     * Removes codes by when they expire, at most so many, the oldest first; how many. A grant of which neither a code
     * nor a token is left goes with the last.
     */
    readonly pruneCodes: (expires: Outdated, most: number) => Stored<number>
    /** The same for tokens. */
    readonly pruneTokens: (expires: Outdated, most: number) => Stored<number>
    /** Removes revoked grants by when they were revoked, with their codes and tokens; at most so many; how many. */
    readonly pruneGrants: (revoked: Outdated, most: number) => Stored<number>
  }
>()("@lists-and-things/domain/ports/OAuthStore") {}
