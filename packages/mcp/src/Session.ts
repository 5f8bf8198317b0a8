import type { Effect } from "effect"
import type { Caller } from "@lists-and-things/domain/model/Caller"
import type { Scope } from "@lists-and-things/domain/model/Scope"
import type { Forbidden, RateLimited, StorageUnavailable, Unauthorized } from "@lists-and-things/domain/model/Errors"
import type { AnswerLease } from "@lists-and-things/domain/size/AnswerBudget"
import type { CredentialKind } from "./http/Authenticator.ts"

export type SessionError = Unauthorized | Forbidden | RateLimited | StorageUnavailable

/** The caller and limits of one connection or HTTP request. */
export interface Session {
  readonly kind: CredentialKind
  /** Memory lease of the answer, where a server counts answers. */
  readonly lease?: AnswerLease | undefined
  /** Does not count against the rate limit. */
  readonly identify: Effect.Effect<Caller["Service"], Unauthorized | StorageUnavailable>
  /** Counts one request; called once per tool call, resource read and prompt. */
  readonly admit: (scope: Scope | undefined) => Effect.Effect<Caller["Service"], SessionError>
}
