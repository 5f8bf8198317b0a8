import { hostHeaderValidationResponse, originValidationResponse } from "@modelcontextprotocol/server"

const loopback = ["localhost", "127.0.0.1", "[::1]"]

/**
 * Guards against DNS rebinding: Host must be this server's, and Origin, which only browsers send, must be the site's
 * or this machine's. `hosts` are further names of the server.
 */
export const makeGuard = (siteUrl: string, hosts: ReadonlyArray<string>) => {
  const site = new URL(siteUrl).hostname
  const names = [...new Set([site, ...loopback, ...hosts])]
  return (request: Request): Response | undefined =>
    hostHeaderValidationResponse(request, names) ?? originValidationResponse(request, names)
}

/** CORS headers for an origin that the guard admitted. */
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
