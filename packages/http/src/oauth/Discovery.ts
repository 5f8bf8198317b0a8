import { scopes } from "@lists-and-things/domain/model/Scope"
import { mcpUrlOf } from "@lists-and-things/web/BaseUrl"

/** Protected resource metadata (RFC 9728). */
export const resourceMetadata = (siteUrl: string) => ({
  resource: mcpUrlOf(siteUrl),
  authorization_servers: [siteUrl],
  scopes_supported: scopes,
  bearer_methods_supported: ["header"],
  resource_name: "Lists and Things"
})

/** Authorization server metadata (RFC 8414); the issuer is always site_url, whatever the request's host. */
export const serverMetadata = (siteUrl: string, { fetchesDocuments }: { readonly fetchesDocuments: boolean }) => ({
  issuer: siteUrl,
  authorization_endpoint: `${siteUrl}/oauth/authorize`,
  token_endpoint: `${siteUrl}/oauth/token`,
  registration_endpoint: `${siteUrl}/oauth/register`,
  revocation_endpoint: `${siteUrl}/oauth/revoke`,
  scopes_supported: scopes,
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  token_endpoint_auth_methods_supported: ["none"],
  revocation_endpoint_auth_methods_supported: ["none"],
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: fetchesDocuments,
  service_documentation: `${siteUrl}/docs`
})

/** Why another `resource` is refused. */
export const wrongResource = "resource must be the address of the tool server."

/** Whether a `resource` is the tool server's URL, in any spelling of scheme and host; one trailing slash is accepted. */
export const isResource = (asked: string, siteUrl: string): boolean =>
  URL.parse(asked)?.href.replace(/\/$/, "") === mcpUrlOf(siteUrl)
