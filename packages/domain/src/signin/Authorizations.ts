import { Context, Effect, Layer } from "effect"
import * as Crypto from "effect/Crypto"
import type { Account } from "../model/Account.ts"
import { hashOf, mintSecret } from "../caller/Hashing.ts"
import type { Caller } from "../model/Caller.ts"
import { type Scope, scopes } from "../model/Scope.ts"
import { expired, type Outdated, isAlive, isRunning } from "../days/ClockSkew.ts"
import { type StorageUnavailable, Unauthorized } from "../model/Errors.ts"
import { type AccountId, Ids } from "../model/Ids.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { OAuthStore } from "../ports/OAuthStore.ts"
import { AttemptLimiter, prunedPerWrite } from "./AttemptLimiter.ts"
import type { AuthorizationCode, Grant, OAuthClient } from "../model/Grant.ts"
import { OAuthError } from "./OAuthError.ts"
import { accessPrefix, fitsChallenge, isAccessToken, refreshPrefix } from "./Secrets.ts"
import {
  addMillis,
  currentTime,
  epoch,
  type EpochMillis,
  laterOf,
  msPerDay,
  msPerHour,
  msPerMinute
} from "../model/EpochMillis.ts"
import { traced } from "../scheduling/Traced.ts"

/**
 * Milliseconds. What expired is remembered for a day, so that its replay is still recognised, and a grant that was
 * revoked for thirty days.
 */
export const lifetimes = {
  code: msPerMinute,
  access: msPerHour,
  refresh: 90 * msPerDay,
  grace: msPerMinute,
  remembered: msPerDay,
  revoked: 30 * msPerDay
} as const

/** Refreshes of one grant; each leaves a token for as long as a replay of it is to be recognised. */
export const refreshesAnHour = 120

/** Codes that may be removed: none whose replay is still to be recognised. */
export const outdatedCodes = (now: EpochMillis): Outdated => expired(now, lifetimes.code, lifetimes.remembered)
/** Tokens that may be removed: none whose replay is still to be recognised. */
export const outdatedTokens = (now: EpochMillis): Outdated => expired(now, lifetimes.refresh, lifetimes.remembered)

/** What a person approves: the selected scopes, for one client at one redirect address. */
export interface Approval {
  readonly account: Account
  readonly client: OAuthClient
  readonly scopes: ReadonlyArray<Scope>
  readonly redirectUri: string
  /** S256 of the verifier, base64url. */
  readonly challenge: string
}

/** A code with what proves that its client sends it (PKCE). */
export interface Exchange {
  readonly code: string
  readonly clientId: string
  readonly redirectUri: string
  readonly verifier: string
}

/** Given out once; only their hashes are stored. */
export interface TokenPair {
  readonly accessToken: string
  readonly refreshToken: string
  readonly scopes: ReadonlyArray<Scope>
  /** Seconds. */
  readonly expiresIn: number
}

type TokenError = OAuthError | StorageUnavailable

/** Grants and the codes, access tokens and refresh tokens issued under them. All are bound to the tool server. */
export class Authorizations extends Context.Service<
  Authorizations,
  {
    /** Stores the grant; returns it with the authorization code. */
    readonly approve: (
      approval: Approval
    ) => Effect.Effect<{ readonly code: string; readonly grant: Grant }, StorageUnavailable>
    /** Revokes this grant alone. */
    readonly withdraw: (grant: Grant) => Effect.Effect<void, StorageUnavailable>
    /** A replayed code revokes the grant that it was issued under (RFC 6749, 4.1.2). */
    readonly exchange: (exchange: Exchange) => Effect.Effect<TokenPair, TokenError>
    /**
     * Rotates the refresh token: the old one stays valid for 60 more seconds, since sessions of one client race to
     * refresh; a later replay revokes the grant. With `asked` the access token has only these of the grant's scopes, and
     * `invalid_scope` with nothing changed where the grant has not all of these. The new refresh token can still ask
     * for all of them (RFC 6749, 6). `temporarily_unavailable` with nothing used up when the grant was refreshed too
     * often.
     */
    readonly refresh: (
      refreshToken: string,
      clientId: string,
      asked?: ReadonlyArray<string>
    ) => Effect.Effect<TokenPair, TokenError>
    /**
     * Revokes the grant of a token of either kind. Succeeds for unknown tokens as well, and changes nothing when the
     * token belongs to another client (RFC 7009).
     */
    readonly revoke: (token: string, clientId: string | undefined) => Effect.Effect<void, StorageUnavailable>
    /** The caller that an access token stands for, with its scopes. */
    readonly identify: (accessToken: string) => Effect.Effect<Caller["Service"], Unauthorized | StorageUnavailable>
    /** The clients that an account has approved, newest first; several grants to one client are merged. */
    readonly connected: (owner: AccountId) => Effect.Effect<ReadonlyArray<Grant>, StorageUnavailable>
    /** Revokes all grants to the client of this grant. */
    readonly disconnect: (owner: AccountId, grantId: string) => Effect.Effect<void, StorageUnavailable>
  }
>()("@lists-and-things/domain/signin/Authorizations") {
  static readonly layer = Layer.effect(
    Authorizations,
    Effect.gen(function* () {
      const store = yield* OAuthStore
      const accounts = yield* AccountStore
      const ids = yield* Ids
      const crypto = yield* Crypto.Crypto
      const attempts = yield* AttemptLimiter

      const approve = traced("Authorizations.approve")(function* (approval: Approval) {
        const now = yield* currentTime
        const grant: Grant = {
          id: yield* ids.next,
          owner: approval.account.id,
          clientId: approval.client.id,
          clientName: approval.client.name,
          scopes: approval.scopes,
          created: now,
          lastUsed: null,
          revoked: null
        }
        const { secret, hash } = yield* mintSecret(crypto, "lat_ac_")
        yield* store.putClient({ ...approval.client, lastUsed: now })
        yield* store.putGrant(grant)
        yield* store.putCode({
          hash,
          grantId: grant.id,
          owner: grant.owner,
          clientId: grant.clientId,
          redirectUri: approval.redirectUri,
          challenge: approval.challenge,
          expires: addMillis(now, lifetimes.code)
        })
        return { code: secret, grant }
      })

      const withdraw = ({ id, owner }: Grant) => Effect.flatMap(currentTime, (now) => store.revokeGrant(owner, id, now))

      const mintPair = Effect.fnUntraced(function* (grant: Grant, asked?: ReadonlyArray<string>) {
        const now = yield* currentTime
        const [access, refresh] = [yield* mintSecret(crypto, accessPrefix), yield* mintSecret(crypto, refreshPrefix)]
        const common = { grantId: grant.id, owner: grant.owner, replaced: null }
        const fewer = asked === undefined ? null : grant.scopes.filter((scope) => asked.includes(scope))
        yield* store.putToken({
          ...common,
          scopes: fewer,
          hash: access.hash,
          kind: "access",
          expires: addMillis(now, lifetimes.access)
        })
        yield* store.putToken({
          ...common,
          scopes: null,
          hash: refresh.hash,
          kind: "refresh",
          expires: addMillis(now, lifetimes.refresh)
        })
        yield* store.pruneCodes(outdatedCodes(now), prunedPerWrite)
        yield* store.pruneTokens(outdatedTokens(now), prunedPerWrite)
        return {
          accessToken: access.secret,
          refreshToken: refresh.secret,
          scopes: fewer ?? grant.scopes,
          expiresIn: lifetimes.access / 1000
        }
      })

      const exchange = traced("Authorizations.exchange")(function* (asked: Exchange) {
        const taken = yield* store.takeCode(yield* hashOf(crypto, asked.code))
        if (taken === undefined) return yield* invalidGrant("The code is unknown.")
        const now = yield* currentTime
        const { code, first } = taken
        const grant = yield* store.grant(code.owner, code.grantId)
        if (!first) yield* store.revokeGrant(code.owner, code.grantId, now)
        if (!first || grant === undefined || grant.revoked !== null || !isAlive(code.expires, lifetimes.code, now))
          return yield* invalidGrant("The code was used, has expired, or its grant was revoked.")
        yield* checkBinding(code, asked)
        if (!(yield* fitsChallenge(crypto, asked.verifier, code.challenge)))
          return yield* invalidGrant("code_verifier does not fit the code_challenge.")
        return yield* mintPair(grant)
      })

      const refresh = traced("Authorizations.refresh")(function* (
        refreshToken: string,
        clientId: string,
        asked?: ReadonlyArray<string>
      ) {
        const hash = yield* hashOf(crypto, refreshToken)
        const found = yield* store.token(hash)
        const now = yield* currentTime
        if (found === undefined || found.token.kind !== "refresh" || found.grant.clientId !== clientId)
          return yield* invalidGrant("The refresh token is unknown.")
        const { token, grant } = found
        if (grant.revoked !== null || !isAlive(token.expires, lifetimes.refresh, now))
          return yield* invalidGrant("The refresh token has expired or was revoked.")
        if (token.replaced !== null && !isRunning(token.replaced, lifetimes.grace + 1, now)) {
          yield* store.revokeGrant(grant.owner, grant.id, now)
          return yield* invalidGrant("The refresh token was used before; everything that follows from it is revoked.")
        }
        const granted = new Set<string>(grant.scopes)
        if (asked?.some((scope) => !granted.has(scope))) return yield* notGranted(grant)
        if (!(yield* attempts.take(`refresh ${grant.id}`, refreshesAnHour, msPerHour))) return yield* tooOften()
        yield* store.replaceToken(hash, now)
        return yield* mintPair(grant, asked)
      })

      const revoke = traced("Authorizations.revoke")(function* (token: string, clientId: string | undefined) {
        const found = yield* store.token(yield* hashOf(crypto, token))
        if (found !== undefined && (clientId === undefined || clientId === found.grant.clientId))
          yield* store.revokeGrant(found.grant.owner, found.grant.id, yield* currentTime)
      })

      const identify = traced("Authorizations.identify")(function* (accessToken: string) {
        if (!isAccessToken(accessToken)) return yield* new Unauthorized()
        const found = yield* store.token(yield* hashOf(crypto, accessToken))
        const now = yield* currentTime
        if (
          found === undefined ||
          found.token.kind !== "access" ||
          !isAlive(found.token.expires, lifetimes.access, now) ||
          found.grant.revoked !== null
        )
          return yield* new Unauthorized()
        const account = yield* accounts.get(found.grant.owner)
        if (account === undefined) return yield* new Unauthorized()
        if (!isRunning(found.grant.lastUsed ?? epoch, msPerMinute, now))
          yield* store.usedGrant(account.id, found.grant.id, now)
        const { clientId, clientName } = found.grant
        const scopes = new Set(found.token.scopes ?? found.grant.scopes)
        return { account, scopes, by: { type: "app" as const, id: clientId, name: clientName } }
      })

      const connected = (owner: AccountId) => Effect.map(store.grantsOf(owner), byClient)

      const disconnect = traced("Authorizations.disconnect")(function* (owner: AccountId, grantId: string) {
        const grant = yield* store.grant(owner, grantId)
        const now = yield* currentTime
        for (const each of yield* store.grantsOf(owner))
          if (each.clientId === grant?.clientId) yield* store.revokeGrant(owner, each.id, now)
      })

      return Authorizations.of({ approve, withdraw, exchange, refresh, revoke, identify, connected, disconnect })
    })
  )
}

/** Merges grants per client: the newest one, with all scopes and the latest use. */
const byClient = (grants: ReadonlyArray<Grant>): ReadonlyArray<Grant> => {
  const merged = new Map<string, Grant>()
  for (const grant of grants) {
    const newer = merged.get(grant.clientId)
    const lastUsed = laterOf(newer?.lastUsed ?? epoch, grant.lastUsed ?? epoch) || null
    const both = scopes.filter((scope) => newer?.scopes.includes(scope) || grant.scopes.includes(scope))
    merged.set(grant.clientId, { ...(newer ?? grant), scopes: both, lastUsed })
  }
  return [...merged.values()]
}

const invalidGrant = (description: string) => new OAuthError({ code: "invalid_grant", description })

const tooOften = () =>
  new OAuthError({
    code: "temporarily_unavailable",
    description: `Refreshed more than ${refreshesAnHour} times in this hour: an access token is good for an hour.`
  })

const notGranted = ({ scopes }: Grant) =>
  new OAuthError({
    code: "invalid_scope",
    description: `scope names more than was granted, which is ${scopes.join(" ")}. For more, send the person to the authorization endpoint again.`
  })

const checkBinding = (code: AuthorizationCode, asked: Exchange): Effect.Effect<void, OAuthError> => {
  if (code.clientId !== asked.clientId) return Effect.fail(invalidGrant("The code was given to another client."))
  return code.redirectUri === asked.redirectUri
    ? Effect.void
    : Effect.fail(invalidGrant("redirect_uri is not the one that the code was asked for with."))
}
