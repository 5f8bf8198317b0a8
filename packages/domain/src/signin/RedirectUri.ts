/**
 * Where a client may be sent back to (mcp sign-in): https anywhere; http on the loopback only; a private-use
 * scheme such as `cursor://…`. Never a scheme that a browser runs or reads files with, never a fragment.
 */

const refused = new Set([
  "javascript:",
  "data:",
  "file:",
  "blob:",
  "vbscript:",
  "about:",
  "ftp:",
  "ws:",
  "wss:",
  "view-source:"
])
const loopback = new Set(["localhost", "127.0.0.1", "[::1]"])

const isLoopback = (uri: URL): boolean => uri.protocol === "http:" && loopback.has(uri.hostname)

export const isRedirectUri = (text: string): boolean => {
  if (text.length > 2_000 || text.includes("#") || /[\s\p{Cc}\\]/u.test(text)) return false
  const uri = URL.parse(text)
  if (uri === null || refused.has(uri.protocol) || uri.username !== "" || uri.password !== "") return false
  if (uri.protocol === "https:") return uri.hostname !== ""
  if (uri.protocol === "http:") return isLoopback(uri)
  return /^[a-z][a-z0-9+.-]*:$/.test(uri.protocol)
}

const withoutPort = (uri: URL): string => `${uri.protocol}//${uri.hostname}${uri.pathname}${uri.search}`

/** Whether the asked-for address is a registered one: letter by letter, but for the port of a loopback (RFC 8252). */
export const isRegistered = (registered: ReadonlyArray<string>, asked: string): boolean => {
  if (!isRedirectUri(asked)) return false
  if (registered.includes(asked)) return true
  const uri = new URL(asked)
  return (
    isLoopback(uri) &&
    registered.some((each) => {
      const known = URL.parse(each)
      return known !== null && isLoopback(known) && withoutPort(known) === withoutPort(uri)
    })
  )
}

/** What a person is shown of it: the host, or the scheme of a private-use address. */
export const shownTarget = (text: string): string => {
  const uri = URL.parse(text)
  if (uri === null) return ""
  return uri.protocol === "https:" || uri.protocol === "http:" ? uri.host : uri.protocol.slice(0, -1)
}
