import { HttpServerResponse } from "effect/http"
import { type HttpError, retrySoon } from "@lists-and-things/web/ErrorAnswers"
import { anyOrigin } from "@lists-and-things/web/HttpHeaders"
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

type Headers = Readonly<Record<string, string>>

const failure = (status: number, code: OAuthError["code"], description: string, headers: Headers = {}) =>
  oauthJson(status, { error: code, error_description: description }, headers)

/** A failure as OAuth reports it: a code and one sentence, never repeating parts of the request. */
export const oauthFailure = (error: OAuthError | HttpError): HttpServerResponse.HttpServerResponse => {
  switch (error._tag) {
    case "OAuthError":
      if (error.code === "invalid_client") return failure(401, error.code, error.description)
      return error.code === "temporarily_unavailable"
        ? failure(429, error.code, error.description, { "retry-after": "3600" })
        : failure(400, error.code, error.description)
    case "StorageUnavailable":
      return failure(503, "temporarily_unavailable", error.message, retrySoon)
    case "Refused":
      return failure(error.status, "invalid_request", error.message, error.close ? { connection: "close" } : {})
    default:
      return failure(400, "invalid_request", error.message)
  }
}
