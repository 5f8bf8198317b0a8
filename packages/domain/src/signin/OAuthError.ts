import { Schema } from "effect"

/** The error codes of RFC 6749, 7591 and 8707 that this server uses. */
export const oauthErrors = [
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "invalid_scope",
  "invalid_target",
  "unauthorized_client",
  "unsupported_grant_type",
  "unsupported_response_type",
  "access_denied",
  "invalid_redirect_uri",
  "invalid_client_metadata",
  "temporarily_unavailable"
] as const

/** The error of a sign-in protocol request; the host maps the code to a status or a redirect. */
export class OAuthError extends Schema.TaggedError<OAuthError>()("OAuthError", {
  code: Schema.Literals(oauthErrors),
  /** One sentence for the client's developer. */
  description: Schema.String
}) {
  override get message(): string {
    return `${this.code}: ${this.description}`
  }
}
