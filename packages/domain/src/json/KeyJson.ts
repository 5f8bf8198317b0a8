import { Schema } from "effect"
import type { ApiKey } from "../model/ApiKey.ts"
import { scopes } from "../model/Scope.ts"
import { formatTime, formatTimeOrNull } from "../days/IsoTime.ts"
import { TimeJson } from "./Described.ts"

/** A key without its secret (docs/decisions.md#accounts-and-keys). */
export const KeyJson = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  account_id: Schema.String,
  scopes: Schema.Array(Schema.Literals(scopes)),
  /** Requests per hour. */
  rate_limit: Schema.Int,
  created: TimeJson,
  /** To the minute; null when never used. */
  last_used_at: Schema.NullOr(TimeJson),
  revoked_at: Schema.NullOr(TimeJson)
})
export type KeyJson = typeof KeyJson.Type

export const keyJson = (key: ApiKey): KeyJson => ({
  id: key.id,
  name: key.name,
  account_id: key.accountId,
  scopes: key.scopes,
  rate_limit: key.rateLimit,
  created: formatTime(key.created),
  last_used_at: formatTimeOrNull(key.lastUsed),
  revoked_at: formatTimeOrNull(key.revoked)
})

/**
 * The answer to creating a key: the only place where its secret is shown (docs/decisions.md#accounts-and-keys), without what
 * only time brings.
 */
export const newKeyJson = (key: ApiKey, token: string) => {
  const { id, last_used_at: _used, revoked_at: _revoked, ...rest } = keyJson(key)
  return { id, key: token, ...rest }
}
