import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

/** The token of an `Authorization: Bearer` header; the scheme's name may have any case (RFC 9110, section 11.1). */
export const bearerToken = (authorization: string | undefined): string | undefined =>
  /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1]

/** A `WWW-Authenticate` header with the given parameters, in their order. */
export const challenge = (parameters: Readonly<Record<string, string>>): { readonly "www-authenticate": string } => {
  const quoted = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`)
  return { "www-authenticate": `Bearer ${quoted.join(", ")}` }
}

/** Lets scripts of any origin read an answer, which depends on no cookies, and its challenge. */
export const anyOrigin = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "WWW-Authenticate, Retry-After"
}

/** The window of an API key: requests per hour, how many are left, and its end, exclusive. */
export interface RateLimitState {
  readonly limit: number
  readonly remaining: number
  readonly resetAt: EpochMillis
}

/**
 * Sent with every answer except 401 and 403. `Reset` is in Unix seconds, rounded up, so it is never before the end of
 * the window.
 */
export const rateLimitHeaders = (state: RateLimitState): Record<string, string> => ({
  "x-ratelimit-limit": String(state.limit),
  "x-ratelimit-remaining": String(Math.max(0, state.remaining)),
  "x-ratelimit-reset": String(Math.ceil(state.resetAt / 1000))
})
