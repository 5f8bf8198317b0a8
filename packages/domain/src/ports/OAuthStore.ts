import { Context } from "effect"
import type { Outdated } from "../days/ClockSkew.ts"
import type { AccountId } from "../model/Ids.ts"
import type { AuthorizationCode, Grant, OAuthClient, Token } from "../model/Grant.ts"
import type { Stored } from "./Storage.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"

/** Clients have no owner; grants, codes and tokens belong to an account and are removed with it. */
export class OAuthStore extends Context.Service<
  OAuthStore,
  {
    /** A registered client, or one that was approved before. */
    readonly client: (id: string) => Stored<OAuthClient | undefined>
    /** Inserts, or replaces the client with the same id, whose later `lastUsed` stays. */
    readonly putClient: (client: OAuthClient) => Stored<void>
    /** Removes at most `max` never-approved clients by creation time, oldest first; returns how many. */
    readonly pruneClients: (created: Outdated, max: number) => Stored<number>
    /** Keeps the newest `keep` never-approved clients and removes at most `max` of the others; returns how many. */
    readonly trimClients: (keep: number, max: number) => Stored<number>
    /** Stores a new grant. */
    readonly putGrant: (grant: Grant) => Stored<void>
    /** Sets `lastUsed`; does nothing when the grant does not exist. */
    readonly usedGrant: (owner: AccountId, id: string, now: EpochMillis) => Stored<void>
    /** Whether it is revoked or not. */
    readonly grant: (owner: AccountId, id: string) => Stored<Grant | undefined>
    /** Grants that are not revoked, newest first. */
    readonly grantsOf: (owner: AccountId) => Stored<ReadonlyArray<Grant>>
    /** Invalidates its codes and tokens immediately. True when it existed; the time of the first revocation is kept. */
    readonly revokeGrant: (owner: AccountId, id: string, now: EpochMillis) => Stored<boolean>
    /** Revokes those that are not revoked; returns how many. */
    readonly revokeGrants: (owner: AccountId, now: EpochMillis) => Stored<number>
    /** Stores a new code, which is not used yet. */
    readonly putCode: (code: AuthorizationCode) => Stored<void>
    /** Marks a code as used in one atomic step; `first` for exactly one of all callers. */
    readonly takeCode: (
      hash: string
    ) => Stored<{ readonly code: AuthorizationCode; readonly first: boolean } | undefined>
    /** Stores a new token. */
    readonly putToken: (token: Token) => Stored<void>
    /** The token with its grant, whatever their state. */
    readonly token: (hash: string) => Stored<{ readonly token: Token; readonly grant: Grant } | undefined>
    /** Sets `replaced` where it is null. */
    readonly replaceToken: (hash: string, now: EpochMillis) => Stored<void>
    /**
     * Removes at most `max` codes by expiry, oldest first; returns how many. A grant is removed with its last code or
     * token.
     */
    readonly pruneCodes: (expires: Outdated, max: number) => Stored<number>
    /** Like `pruneCodes`, for tokens. */
    readonly pruneTokens: (expires: Outdated, max: number) => Stored<number>
    /** Removes at most `max` grants by time of revocation, with their codes and tokens; returns how many. */
    readonly pruneGrants: (revoked: Outdated, max: number) => Stored<number>
  }
>()("@lists-and-things/domain/ports/OAuthStore") {}
