import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as OpenApi from "effect/http-api/OpenApi"
import type { Caller } from "@lists-and-things/domain/model/Caller"

const bearer = HttpApiSecurity.bearer.pipe(
  HttpApiSecurity.annotate(OpenApi.Format, "lat_<keyId>_<secret>"),
  HttpApiSecurity.annotate(
    OpenApi.Description,
    "An API key, as `Authorization: Bearer <API_KEY>`. It reaches its owner's data only, within its scopes."
  )
)

/** Authenticates, applies the rate limit and the scopes, and provides the caller to every handler. */
export class Authentication extends HttpApiMiddleware.Service<Authentication, { provides: Caller }>()(
  "@lists-and-things/http/Authentication",
  { security: { bearer } }
) {}
