import { hostHeaderValidationResponse, originValidationResponse } from "@modelcontextprotocol/server"

const loopback = ["localhost", "127.0.0.1", "[::1]"]

/**
 * Against rebinding of DNS names: the Host must be this server's, and an Origin, which only browsers send, must be the
 * site's or of this machine. `hosts` are further names that the server listens on.
 */
export const makeGuard = (siteUrl: string, hosts: ReadonlyArray<string>) => {
  const site = new URL(siteUrl).hostname
  const names = [...new Set([site, ...loopback, ...hosts])]
  return (request: Request): Response | undefined =>
    hostHeaderValidationResponse(request, names) ?? originValidationResponse(request, names)
}

/** What a browser is told about a request of an origin that the guard let pass. */
export const corsHeaders = (request: Request): Readonly<Record<string, string>> => {
  const origin = request.headers.get("origin")
  return origin === null
    ? {}
    : {
        "access-control-allow-origin": origin,
        "access-control-expose-headers":
          "WWW-Authenticate, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, MCP-Protocol-Version",
        vary: "Origin"
      }
}

export const preflight = (request: Request): Response =>
  new Response(null, {
    status: 204,
    headers: {
      ...corsHeaders(request),
      allow: "POST, OPTIONS",
      "access-control-allow-methods": "POST, OPTIONS",
      "access-control-allow-headers":
        request.headers.get("access-control-request-headers") ?? "Authorization, Content-Type, Accept",
      "access-control-max-age": "86400"
    }
  })
