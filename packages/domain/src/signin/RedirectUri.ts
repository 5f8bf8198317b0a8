/**
 * Where a client may be sent back to: https anywhere; http on the loopback only; a private-use
 * scheme such as `cursor://…`. Never a scheme that a browser runs or reads files with, never a fragment, and never a
 * form that a browser would read as another one (`https:evil`, `https:/evil`, `http://127.1`).
 */

const refused = new Set(
  [
    [
      "javascript",
      "vbscript",
      "data",
      "blob",
      "file",
      "filesystem",
      "about",
      "view-source",
      "jar",
      "mhtml",
      "resource"
    ],
    ["chrome", "chrome-extension", "moz-extension", "edge", "intent", "shell", "ms-msdt", "search-ms"],
    ["ftp", "ws", "wss", "mailto", "tel", "sms", "ldap"]
  ].flatMap((schemes) => schemes.map((scheme) => `${scheme}:`))
)
const loopback = new Set(["localhost", "127.0.0.1", "[::1]"])

const isLoopback = (uri: URL): boolean => uri.protocol === "http:" && loopback.has(uri.hostname)

/** Whether a browser parses an address exactly as written; only the first slash of the path may be omitted. */
const isCanonical = (text: string, uri: URL): boolean =>
  uri.href === text || (uri.pathname === "/" && uri.href === text.replace(/^[a-z]+:\/\/[^/?]+/, "$&/"))

export const isRedirectUri = (text: string): boolean => {
  if (text.length > 2_000 || !/^[a-z][a-z0-9+.-]*:\/[\x21-\x7e]*$/.test(text) || /[#\\]/.test(text)) return false
  const uri = URL.parse(text)
  if (uri === null || refused.has(uri.protocol) || uri.username !== "" || uri.password !== "") return false
  if (!isCanonical(text, uri)) return false
  // A person is shown the host, so it must be a plain name or address.
  if (uri.protocol === "https:") return /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(uri.hostname)
  if (uri.protocol === "http:") return isLoopback(uri)
  return true
}

const withoutPort = (text: string): string => text.replace(/^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])):\d+/i, "$1")

/**
 * Whether an address equals a registered one, character by character except for the port of a loopback address (RFC
 * 8252).
 */
export const isRegistered = (registered: ReadonlyArray<string>, asked: string): boolean => {
  if (!isRedirectUri(asked)) return false
  if (registered.includes(asked)) return true
  return isLoopback(new URL(asked)) && registered.some((each) => withoutPort(each) === withoutPort(asked))
}

/** The part shown to a person: the host, or the scheme of a private-use address. */
export const shownTarget = (text: string): string => {
  const uri = URL.parse(text)
  if (uri === null) return ""
  return uri.protocol === "https:" || uri.protocol === "http:" ? uri.host : uri.protocol.slice(0, -1)
}
