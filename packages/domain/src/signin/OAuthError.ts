import { Schema } from "effect"

/** The codes of RFC 6749, 7591 and 8707 that this server answers with. */
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

/** What a sign-in protocol request ends in; the host maps the code to its status or to a redirect. */
export class OAuthError extends Schema.TaggedError<OAuthError>()("OAuthError", {
  code: Schema.Literals(oauthErrors),
  /** One sentence for the developer of the client. */
  description: Schema.String
}) {
  override get message(): string {
    return `${this.code}: ${this.description}`
  }
}
