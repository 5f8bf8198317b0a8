const schemed = /^[a-z][a-z0-9+.-]*:/i
/** `host:port` and `host/path` look like a scheme to the letter; a dot within the host tells them apart. */
const hostAndPort = /^([^\s/:@]+):\d+(?:[/?#]|$)/
const bareDomain =
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{2,}(?::\d+)?(?:[/?#]\S*)?$|^localhost(?::\d+)?(?:[/?#]\S*)?$/u
/** An address of version 4 in its usual form, as machines at home have. */
const bareAddress = /^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?::\d+)?(?:[/?#]\S*)?$/
const refused = new Set(["javascript:", "data:", "vbscript:"])

const hasScheme = (url: string): boolean => schemed.test(url) && !hasPort(url)

const hasPort = (url: string): boolean => {
  const host = hostAndPort.exec(url)?.[1] ?? ""
  return host.slice(1, -1).includes(".") || host.toLowerCase() === "localhost"
}

/** A url as stored: trimmed, `https://` added to a bare domain; the empty string means no url. */
export const cleanUrl = (url: string): string => {
  const trimmed = url.trim()
  return trimmed === "" || hasScheme(trimmed) ? trimmed : `https://${trimmed}`
}

/** Whether a url is accepted: http, https, mailto, tel, any other scheme that is not executable, or a bare domain. */
export const isUrl = (url: string): boolean => {
  const trimmed = url.trim()
  if (bareAddress.test(trimmed)) return URL.canParse(`https://${trimmed}`)
  if (!hasScheme(trimmed)) return bareDomain.test(trimmed)
  const parsed = URL.parse(trimmed)
  return parsed !== null && !refused.has(parsed.protocol) && !(isHttp(parsed) && parsed.hostname === "")
}

const isHttp = (url: URL): boolean => url.protocol === "http:" || url.protocol === "https:"

/** Whether a photo is accepted: an absolute http or https URL. */
export const isPhotoUrl = (url: string): boolean => {
  const parsed = /^https?:\/\//i.test(url) ? URL.parse(url) : null
  return parsed !== null && isHttp(parsed) && parsed.hostname !== ""
}

/** Whether a URL is of one host: URL parsers also accept `*` and commas in names. */
export const hasOneHost = ({ hostname }: URL): boolean => /^(?:\[.*\]|[\w.-]+)$/.test(hostname)

/** What a percent-encoded text stands for; undefined where it is none. */
export const percentDecoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
