import type { Effect } from "effect"
import type { Caller } from "@lists-and-things/domain/model/Caller"
import type { Scope } from "@lists-and-things/domain/model/Scope"
import type { Forbidden, RateLimited, StorageUnavailable, Unauthorized } from "@lists-and-things/domain/model/Errors"
import type { AnswerLease } from "@lists-and-things/domain/size/AnswerBudget"
import type { CredentialKind } from "./http/Authenticator.ts"

export type SessionError = Unauthorized | Forbidden | RateLimited | StorageUnavailable

/** On whose behalf one connection, or one HTTP request, speaks. */
export interface Session {
  readonly kind: CredentialKind
  /** What the answer may take in memory, where a server counts that. */
  readonly lease?: AnswerLease | undefined
  /** Counts nothing. */
  readonly identify: Effect.Effect<Caller["Service"], Unauthorized | StorageUnavailable>
  /** Once for each call of a tool, each resource that is read and each prompt: counts it. */
  readonly admit: (scope: Scope | undefined) => Effect.Effect<Caller["Service"], SessionError>
}
