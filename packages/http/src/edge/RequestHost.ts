import type { IncomingMessage } from "node:http"

/** The number of Host headers; Node's `headers` silently keeps the first of several. */
export const hostsOf = ({ rawHeaders }: IncomingMessage): number =>
  rawHeaders.reduce((count, name, at) => (at % 2 === 0 && name.toLowerCase() === "host" ? count + 1 : count), 0)

/** What stands before the path in a target in absolute form. */
const origin = /^https?:\/\/([^/?#]*)/i

const isHost = (host: string): boolean => /^[^/?#@\\\s]+$/.test(host) && URL.canParse(`http://${host}`)

/**
 * Gives a target in absolute form that of its path; its host replaces the `Host` header (RFC 9112, section 3.2.2).
 * False if the host is invalid, with which no URL could be made.
 */
export const takeHost = (request: IncomingMessage): boolean => {
  const { headers, url = "/" } = request
  if (!url.startsWith("/") && url !== "*") {
    const [before = "", host = ""] = origin.exec(url) ?? []
    const path = url.slice(before.length)
    headers.host = host
    request.url = path.startsWith("/") ? path : `/${path}`
  }
  return headers.host === undefined || isHost(headers.host)
}
