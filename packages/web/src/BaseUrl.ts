import { Context } from "effect"

/** The address of the site; the URLs of lists and things start with it (docs/decisions.md#names). */
export class BaseUrl extends Context.Service<
  BaseUrl,
  {
    /** site_url, without a trailing slash. */
    readonly url: string
  }
>()("@lists-and-things/web/BaseUrl") {}

/** mcp_url: the address of the tool server, which is also the resource that tokens are bound to. */
export const mcpUrlOf = (siteUrl: string): string => `${siteUrl}/mcp`

/** URL of the tool server's protected resource metadata: its path follows the well-known prefix (RFC 9728). */
export const resourceMetadataUrlOf = (siteUrl: string): string => {
  const { origin, pathname } = new URL(mcpUrlOf(siteUrl))
  return `${origin}/.well-known/oauth-protected-resource${pathname}`
}
