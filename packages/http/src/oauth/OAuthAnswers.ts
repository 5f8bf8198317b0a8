import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { retrySoon } from "@lists-and-things/web/ErrorAnswers"
import { anyOrigin } from "@lists-and-things/web/HttpHeaders"
import type { DomainError } from "@lists-and-things/domain/model/Errors"
import type { OAuthError } from "@lists-and-things/domain/signin/OAuthError"

export const preflight = HttpServerResponse.empty({
  status: 204,
  headers: {
    ...anyOrigin,
    "access-control-allow-methods": "GET, POST, OPTIONS",
    "access-control-allow-headers": "Authorization, Content-Type, MCP-Protocol-Version",
    "access-control-max-age": "86400"
  }
})

export const oauthJson = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.text(JSON.stringify(body), {
    status,
    contentType: "application/json",
    headers: { ...anyOrigin, "cache-control": "no-store", pragma: "no-cache", ...headers }
  })

const statusOf = (error: OAuthError): number => {
  if (error.code === "invalid_client") return 401
  return error.code === "temporarily_unavailable" ? 429 : 400
}

/** An OAuth error: a code and one sentence, never repeating parts of the request. */
export const oauthFailure = (error: OAuthError | DomainError) => {
  if (error._tag === "OAuthError") {
    const retry = error.code === "temporarily_unavailable" ? { "retry-after": "3600" } : {}
    return Effect.succeed(
      oauthJson(statusOf(error), { error: error.code, error_description: error.description }, retry)
    )
  }
  return Effect.succeed(
    error._tag === "StorageUnavailable"
      ? oauthJson(503, { error: "temporarily_unavailable", error_description: error.message }, retrySoon)
      : oauthJson(400, { error: "invalid_request", error_description: error.message })
  )
}
