import { Context, Effect, Layer } from "effect"
import * as Crypto from "effect/Crypto"
import {
  type Forbidden,
  InvalidInput,
  NotFound,
  RateLimited,
  Unauthorized,
  type StorageUnavailable
} from "../model/Errors.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { KeyStore, type QuotaSlot } from "../ports/KeyStore.ts"
import { accountOf } from "./AccountRef.ts"
import type { Account } from "../model/Account.ts"
import { type Admitted, DeferredCaller } from "./DeferredCaller.ts"
import type { ApiKey } from "../model/ApiKey.ts"
import { formatToken, mintToken, parseToken } from "./ApiToken.ts"
import { hashOf, sameHash } from "./Hashing.ts"
import { type Caller, forbidden } from "../model/Caller.ts"
import { caps } from "../model/Caps.ts"
import { scopes, type Scope } from "../model/Scope.ts"
import { atMost, isStorable } from "../text/Characters.ts"
import { inFigures } from "../text/Wording.ts"
import { currentTime } from "../model/EpochMillis.ts"
import { traced } from "../scheduling/Traced.ts"

export interface NewKey {
  /** An id or an email. */
  readonly account: string
  readonly name?: string
  /** All scopes when omitted. */
  readonly scopes?: ReadonlyArray<Scope>
  /** Requests per hour; 1000 when omitted. */
  readonly rateLimit?: number
}

/** Requests per hour. */
const defaultRateLimit = 1000
const maxRateLimit = 1_000_000_000

/** Keys of an account that are not revoked. */
export const maxKeys = 1_000

/** API keys: who may make a request, and how many in an hour (docs/decisions.md#accounts-and-keys). */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /**
     * Authenticates a token and counts the request against its key. Errors, in this order: `Unauthorized` (not
     * counted), `Forbidden` (counted while the window has quota left), `RateLimited` (not counted). The key must have
     * every scope that is given.
     */
    readonly admit: (
      token: string | undefined,
      ...required: ReadonlyArray<Scope>
    ) => Effect.Effect<Admitted, Unauthorized | Forbidden | RateLimited | StorageUnavailable>
    /** Defers `admit` to the first read of the request. */
    readonly deferAdmission: (token: string | undefined, ...required: ReadonlyArray<Scope>) => DeferredCaller
    /** Authenticates a token without counting the request. */
    readonly identify: (
      token: string | undefined
    ) => Effect.Effect<Caller["Service"], Unauthorized | StorageUnavailable>
    /** The token is returned here and never again. */
    readonly create: (
      input: NewKey
    ) => Effect.Effect<{ readonly key: ApiKey; readonly token: string }, InvalidInput | NotFound | StorageUnavailable>
    /** By `created`; the keys of every account when no account (id or email) is given. */
    readonly list: (account?: string) => Effect.Effect<ReadonlyArray<ApiKey>, NotFound | StorageUnavailable>
    /** Effective immediately; revoking a revoked key changes nothing. */
    readonly revoke: (keyId: string) => Effect.Effect<void, NotFound | StorageUnavailable>
  }
>()("@lists-and-things/domain/caller/ApiKeys") {
  static readonly layer = Layer.effect(
    ApiKeys,
    Effect.gen(function* () {
      const store = yield* KeyStore
      const accounts = yield* AccountStore
      const crypto = yield* Crypto.Crypto

      const presented = <A, E>(
        token: string | undefined,
        use: (keyId: string, secretHash: string) => Effect.Effect<A, E>
      ): Effect.Effect<A, E | Unauthorized> => {
        if (token === undefined) return Effect.fail(new Unauthorized())
        const parsed = parseToken(token)
        if (parsed === undefined) return Effect.fail(invalidKey())
        return Effect.flatMap(hashOf(crypto, parsed.secret), (secretHash) => use(parsed.keyId, secretHash))
      }

      const admit = (token: string | undefined, ...required: ReadonlyArray<Scope>) =>
        presented(token, (keyId, secretHash) =>
          Effect.flatMap(store.admit(keyId, secretHash), (slot) => decide(slot, secretHash, required))
        )

      const deferAdmission = (token: string | undefined, ...required: ReadonlyArray<Scope>) =>
        new DeferredCaller(
          (read) =>
            presented(token, (keyId, secretHash) =>
              Effect.flatMap(store.admitWith(keyId, secretHash, read), (counted) =>
                Effect.map(decide(counted?.slot, secretHash, required), (admitted) => ({
                  admitted,
                  found: counted!.found
                }))
              )
            ),
          () => admit(token, ...required)
        )

      const identify = Effect.fnUntraced(function* (token: string | undefined) {
        const { key, secretHash } = yield* presented(token, (keyId, secretHash) =>
          Effect.map(store.get(keyId), (key) => ({ key, secretHash }))
        )
        if (key === undefined || key.revoked !== null || !sameHash(key.secretHash, secretHash)) {
          return yield* invalidKey()
        }
        const account = (yield* accounts.get(key.accountId)) ?? (yield* invalidKey())
        return callerOf(key, account)
      })

      const create = traced("ApiKeys.create")(function* (input: NewKey) {
        const settings = yield* checkNewKey(input)
        const account = yield* accountOf(accounts, input.account)
        const valid = yield* store.valid(account.id)
        if (valid.length >= maxKeys) return yield* tooMany
        const token = yield* Effect.provideService(mintToken, Crypto.Crypto, crypto)
        const key: ApiKey = {
          id: token.keyId,
          accountId: account.id,
          ...settings,
          secretHash: yield* hashOf(crypto, token.secret),
          created: yield* currentTime,
          lastUsed: null,
          revoked: null
        }
        yield* store.insert(key)
        return { key, token: formatToken(token) }
      })

      const list = traced("ApiKeys.list")(function* (account?: string) {
        return yield* store.list(account === undefined ? undefined : (yield* accountOf(accounts, account)).id)
      })

      const revoke = traced("ApiKeys.revoke")(function* (keyId: string) {
        if (yield* store.revoke(keyId, yield* currentTime)) return
        return yield* new NotFound({ message: "No key has this id." })
      })

      return ApiKeys.of({
        admit,
        deferAdmission,
        identify,
        create,
        list,
        revoke
      })
    })
  )
}

const tooMany = new InvalidInput({
  field: "",
  reason: `An account can have at most ${inFigures(maxKeys)} keys: revoke one that is not needed any more.`
})

const invalidKey = () => new Unauthorized({ isInvalid: true })

const decide = (
  slot: QuotaSlot | undefined,
  secretHash: string,
  required: ReadonlyArray<Scope>
): Effect.Effect<Admitted, Unauthorized | Forbidden | RateLimited> => {
  if (slot === undefined || !sameHash(slot.key.secretHash, secretHash)) return Effect.fail(invalidKey())
  const { account, admitted, key, remaining, resetAt } = slot
  const caller = callerOf(key, account)
  const refusal = forbidden(caller.scopes, required)
  if (refusal !== undefined) return Effect.fail(refusal)
  if (!admitted) return Effect.fail(new RateLimited({ limit: key.rateLimit, resetAt }))
  return Effect.succeed({
    caller: { ...caller, ...(slot.stamps && { stamps: slot.stamps }) },
    limit: key.rateLimit,
    remaining,
    resetAt
  })
}

const callerOf = ({ id, name, scopes }: ApiKey, account: Account): Caller["Service"] => ({
  account,
  scopes: new Set(scopes),
  by: { type: "key", id, name }
})

const checkNewKey = Effect.fnUntraced(function* (input: NewKey) {
  const name = (input.name ?? "").trim()
  if (!atMost(name, caps.name) || !isStorable(name)) {
    return yield* new InvalidInput({ field: "name", reason: `must be at most ${caps.name} characters of text` })
  }
  const wanted = input.scopes ?? scopes
  if (wanted.length === 0) return yield* new InvalidInput({ field: "scopes", reason: "must name at least one scope" })
  const rateLimit = input.rateLimit ?? defaultRateLimit
  if (!Number.isInteger(rateLimit) || rateLimit < 1 || rateLimit > maxRateLimit) {
    return yield* new InvalidInput({
      field: "rate_limit",
      reason: `must be a whole number of requests an hour from 1 to ${maxRateLimit}`
    })
  }
  return { name, scopes: scopes.filter((scope) => wanted.includes(scope)), rateLimit }
})
