import { Context, Effect, Layer } from "effect"
import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import type { DeferredCaller } from "@lists-and-things/domain/caller/DeferredCaller"
import type { RateLimitState } from "@lists-and-things/web/HttpHeaders"
import { Authorizations } from "@lists-and-things/domain/signin/Authorizations"
import { isAccessToken } from "@lists-and-things/domain/signin/Secrets"
import type { StorageUnavailable, Unauthorized } from "@lists-and-things/domain/model/Errors"
import { type Caller, forbidden, type Refusal } from "@lists-and-things/domain/model/Caller"
import type { Scope } from "@lists-and-things/domain/model/Scope"
import type { LongParts } from "./http/LongParts.ts"

/** A pasted API key, or a token of the sign-in flow, whose client can ask the user for more scopes. */
export type CredentialKind = "key" | "token"

/** An admitted call, with the state of its rate limit, if it has one. */
export interface Admission {
  readonly caller: Caller["Service"]
  readonly rate?: RateLimitState
}

/** Resolves bearer tokens to callers. */
export class Authenticator extends Context.Service<
  Authenticator,
  {
    /** Decides by the token's format alone. */
    readonly kindOf: (token: string) => CredentialKind
    /** Does not count against the rate limit. */
    readonly identify: (token: string) => Effect.Effect<Caller["Service"], Unauthorized | StorageUnavailable>
    /** Counts one request; checks and errors are those of `ApiKeys.admit`, in the same order. */
    readonly admit: (token: string, required: ReadonlyArray<Scope>) => Effect.Effect<Admission, Refusal>
    /** Like `admit`, but combined with the first read of the request; undefined for sign-in tokens. */
    readonly deferAdmission: (token: string, required: ReadonlyArray<Scope>) => DeferredCaller | undefined
  }
>()("@lists-and-things/mcp/Authenticator") {
  /** Accepts API keys only. */
  static readonly layerApiKeys = Layer.effect(
    Authenticator,
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      return Authenticator.of({
        kindOf: () => "key",
        identify: keys.identify,
        admit: (token, required) =>
          Effect.map(keys.admit(token, ...required), ({ caller, limit, remaining, resetAt }) => ({
            caller,
            rate: { limit, remaining, resetAt }
          })),
        deferAdmission: (token, required) => keys.deferAdmission(token, ...required)
      })
    })
  )

  /** Accepts API keys and access tokens of the sign-in; a token has no hourly limit. */
  static readonly layer = Layer.effect(
    Authenticator,
    Effect.gen(function* () {
      const keys = yield* Authenticator
      const tokens = yield* Authorizations
      return Authenticator.of({
        kindOf: (token) => (isAccessToken(token) ? "token" : "key"),
        identify: (token) => (isAccessToken(token) ? tokens.identify(token) : keys.identify(token)),
        admit: (token, required) =>
          isAccessToken(token)
            ? Effect.flatMap(tokens.identify(token), (caller) => {
                const refusal = forbidden(caller.scopes, required)
                return refusal === undefined ? Effect.succeed({ caller }) : Effect.fail(refusal)
              })
            : keys.admit(token, required),
        deferAdmission: (token, required) => (isAccessToken(token) ? undefined : keys.deferAdmission(token, required))
      })
    })
  ).pipe(Layer.provide(Authenticator.layerApiKeys))
}

/** The caller and limits of one connection or HTTP request. */
export interface Session {
  readonly kind: CredentialKind
  /** Context of the fiber that received the HTTP request. */
  readonly received?: Context.Context<never>
  /** Does not count against the rate limit. */
  readonly identify: Effect.Effect<Caller["Service"], Unauthorized | StorageUnavailable>
  /** Counts one request; called once per tool call, resource read and prompt. */
  readonly admit: (required: ReadonlyArray<Scope>) => Effect.Effect<Caller["Service"], Refusal>
  /** Used in place of `admit` for a tool that begins with a read, so that admission and read are one step. */
  readonly deferAdmission?: ((required: ReadonlyArray<Scope>) => DeferredCaller | undefined) | undefined
  /** Collects the long parts of the answer to an HTTP request. */
  readonly long?: LongParts
  /** The concurrency limit for the messages of a batch. */
  readonly inTurn?: <A, E, R>(message: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}
