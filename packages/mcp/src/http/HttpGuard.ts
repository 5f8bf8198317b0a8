import { shownValue } from "@lists-and-things/domain/json/ShownValue"
import { refused, type Refused } from "@lists-and-things/web/ErrorAnswers"
import { validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server"

const loopback = ["localhost", "127.0.0.1", "[::1]"]

/**
 * Guards against DNS rebinding: Host must be this server's, and Origin, which only browsers send, must be the site's
 * or this machine's. `hosts` are further names of the server. Undefined for a request that passes.
 */
export const makeGuard = (siteUrl: string, hosts: ReadonlyArray<string>) => {
  const site = new URL(siteUrl).hostname
  const names = [...new Set([site, ...loopback, ...hosts])]
  return ({ headers }: Request): Refused | undefined => {
    const [host, origin] = [headers.get("host"), headers.get("origin")]
    if (!validateHostHeader(host, names).ok)
      return refused(
        403,
        `This server has another name than the Host header ${shownValue(host)}: let the proxy pass on the Host that clients send, and set PUBLIC_URL to their address, for example https://lists.example.com.`
      )
    if (!validateOriginHeader(origin, names).ok)
      return refused(
        403,
        `Pages of the Origin ${shownValue(origin)} may not call the tools, only those of this server and of this machine.`
      )
    return undefined
  }
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
