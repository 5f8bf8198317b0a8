import type { RateLimited } from "@lists-and-things/domain/model/Errors"
import type { Scope } from "@lists-and-things/domain/model/Scope"
import type { Admission } from "./Authenticator.ts"

/** Scopes that a client may request by default. */
const firstScopes = "read:lists read:things search"

export interface Addresses {
  /** mcp_url. */
  readonly mcpUrl: string
  /** URL of the protected resource metadata (RFC 9728). */
  readonly resourceMetadata: string
}

export const addressesOf = (siteUrl: string): Addresses => {
  const { origin, pathname } = new URL(siteUrl)
  const path = `${pathname.replace(/(?<!\/)\/+$/, "")}/mcp`
  return { mcpUrl: `${origin}${path}`, resourceMetadata: `${origin}/.well-known/oauth-protected-resource${path}` }
}

/** An HTTP answer that is one JSON-RPC error. */
export const jsonRpcError = (
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
  id: string | number | null = null
): Response => Response.json({ jsonrpc: "2.0", id, error: { code, message } }, { status, headers })

/** Lets clients in browsers of every origin read the challenge. */
const challengeCors = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "WWW-Authenticate"
}

/** 401: names where to sign in and, for an invalid credential, also that it is invalid. */
export const unauthorized = (addresses: Addresses, hasCredential: boolean): Response => {
  const error = hasCredential ? `error="invalid_token", ` : ""
  return jsonRpcError(401, -32001, "A valid API key or sign-in token is required, as a bearer token.", {
    ...challengeCors,
    "www-authenticate": `Bearer ${error}resource_metadata="${addresses.resourceMetadata}", scope="${firstScopes}"`
  })
}

/** 403 for a sign-in token, whose client can ask the user for more scopes. */
export const insufficientScope = (addresses: Addresses, scope: Scope, has: ReadonlySet<Scope>): Response => {
  const scopes = [...new Set([...has, scope])].join(" ")
  return jsonRpcError(403, -32001, `This call needs the scope ${scope}.`, {
    ...challengeCors,
    "www-authenticate": `Bearer error="insufficient_scope", scope="${scopes}", resource_metadata="${addresses.resourceMetadata}"`
  })
}

export const rateLimited = (error: RateLimited, now: number, id: string | number | null): Response =>
  jsonRpcError(
    429,
    -32003,
    error.message,
    {
      ...rateHeaders({ limit: error.limit, remaining: 0, resetAt: error.resetAt }),
      "retry-after": String(Math.max(1, Math.ceil((error.resetAt - now) / 1000)))
    },
    id
  )

/** The contract's rate limit headers; `Reset` is in Unix seconds. */
export const rateHeaders = (rate: NonNullable<Admission["rate"]>): Readonly<Record<string, string>> => ({
  "x-ratelimit-limit": String(rate.limit),
  "x-ratelimit-remaining": String(rate.remaining),
  "x-ratelimit-reset": String(Math.ceil(rate.resetAt / 1000))
})
