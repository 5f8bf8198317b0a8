import { isIP, isIPv6 } from "node:net"
import { availableParallelism } from "node:os"
import { hasOneHost } from "@lists-and-things/domain/text/Urls"
import { readDatabaseUrl, withoutPasswords } from "@lists-and-things/storage-pg/connection/DatabaseUrl"
import { Redacted, Result } from "effect"
import { type Range, rangeOf } from "@lists-and-things/web/ClientAddress"

/** The type of a variable's value. */
export interface Kind<A> {
  /** Follows "expected" in messages; a function if it depends on the text that was refused. */
  readonly wanted: string | ((text: string) => string)
  /** Undefined when the text is not of this kind. The text is never blank. */
  readonly read: (text: string) => A | undefined
  /** The value as a text of this kind, without secrets. */
  readonly show: (value: A) => string
  /** Whether messages must not repeat the text. */
  readonly isSecret?: boolean
  /** What messages may repeat of a text that can contain a secret; by default all of it. */
  readonly repeat?: (text: string) => string
}

/**
 * A leading `~`, quotes, control characters or blanks at an end: in the file of a service or of a container, `~` is not
 * expanded, and quotes and the carriage return of Windows line ends are not always removed.
 */
const isNoPath = (text: string): boolean => /^[~"']/.test(text) || /\p{Cc}/u.test(text) || text !== text.trim()

export const path: Kind<string> = {
  wanted: (text) =>
    text.startsWith("~")
      ? "a path whose ~ a shell has expanded (./~ is a folder of that name)"
      : "a path without control characters, and without blanks at its ends",
  read: (text) => (isNoPath(text) ? undefined : text),
  show: String
}

/** The id or email of an account; not checked for existence, which needs the storage. */
export const accountName: Kind<string> = {
  wanted: "the id or the email of an account",
  read: (text) => (/\s/.test(text.trim()) ? undefined : text.trim()),
  show: String
}

/** An address or a host name; an IPv6 address may be in brackets, as in a URL. */
export const hostName: Kind<string> = {
  wanted: "an address or a host name, without a scheme and a port",
  read: (text) => {
    const trimmed = text.trim()
    const bracketed = /^\[([^\]]*)\]$/.exec(trimmed)?.[1]
    if (bracketed !== undefined) return isIPv6(bracketed) ? bracketed : undefined
    return isIP(trimmed) !== 0 || /^[\w.-]+$/.test(trimmed) ? trimmed : undefined
  },
  show: String
}

/** A number from `minimum` to `maximum`, both inclusive, in decimal digits. */
export const wholeNumber = (minimum: number, maximum = Number.MAX_SAFE_INTEGER): Kind<number> => ({
  wanted: `a whole number from ${minimum} to ${maximum}`,
  read: (text) => {
    const value = /^\d+$/.test(text.trim()) ? Number(text) : -1
    return value >= minimum && value <= maximum ? value : undefined
  },
  show: String
})

/** A number of processes; `auto` is the number of cores available to this process, at most 64. */
export const workers: Kind<number> = {
  wanted: "a whole number from 1 to 64, or auto",
  read: (text) => (text.trim() === "auto" ? Math.min(availableParallelism(), 64) : wholeNumber(1, 64).read(text)),
  show: String
}

export const oneOf = <const A extends string>(names: ReadonlyArray<A>): Kind<A> => ({
  wanted: names.join(" or "),
  read: (text) => names.find((name) => name === text.trim()),
  show: String
})

const webUrlOf = (text: string): URL | undefined => {
  const trimmed = text.trim()
  return /^https?:\/\//i.test(trimmed) && !/\s/.test(trimmed) ? (URL.parse(trimmed) ?? undefined) : undefined
}

/** Whether requests can be sent to this host and port. */
const isReachable = (url: URL): boolean => hasOneHost(url) && url.port !== "0"

/** An address to listen at, which means every address of this machine, and leads nowhere from others. */
const isUnspecified = ({ hostname }: URL): boolean => hostname === "0.0.0.0" || hostname === "[::]"

const hasUser = (url: URL): boolean => url.username !== "" || url.password !== ""

/** Masks the user and the query values of a URL, which may be credentials. */
const withoutKeys = (text: string): string =>
  text.replace(/\/\/[^/?#]*@/, "//***@").replace(/([?&][^?=&#]*=)[^&#]+/g, "$1***")

/** An http or https URL. Refuses a user, which `fetch` does not accept. */
export const webUrl: Kind<string> = {
  wanted: "an http or https URL without a user",
  read: (text) => {
    const url = webUrlOf(text)
    return url === undefined || hasUser(url) || !isReachable(url) ? undefined : text.trim()
  },
  show: withoutKeys,
  repeat: withoutKeys
}

/**
 * A URL in the normalized form of URL parsers, since some clients compare it as text. Trailing slashes are removed,
 * since paths are appended to it.
 */
export const siteUrl: Kind<string> = {
  wanted: (text) => {
    const url = webUrlOf(text)
    if (url !== undefined && !isReachable(url)) return "one http or https URL, of one host"
    if (url !== undefined && isUnspecified(url))
      return "the URL that people open, with a name or an address of this machine (HOST is the address to listen at)"
    return "an http or https URL without a query and a user"
  },
  read: (text) => {
    const url = webUrlOf(text)
    if (url === undefined || /[?#]/.test(text) || hasUser(url) || !isReachable(url) || isUnspecified(url))
      return undefined
    return url.href.replace(/(?<!\/)\/+$/, "")
  },
  show: String,
  repeat: withoutKeys
}

export const secret: Kind<Redacted.Redacted> = {
  wanted: "a secret",
  read: (text) => Redacted.make(text.trim()),
  show: () => "(hidden)",
  isSecret: true
}

/** A token that can be sent after `Bearer` in a header. */
export const bearerToken: Kind<Redacted.Redacted> = {
  ...secret,
  wanted: "a token of ASCII letters, digits and signs without blanks",
  read: (text) => (/^[\u0021-\u007e]+$/.test(text.trim()) ? secret.read(text) : undefined)
}

/** The URL of a PostgreSQL server, which may contain a password. */
export const databaseUrl: Kind<Redacted.Redacted> = {
  wanted: (text) => Result.match(readDatabaseUrl(text), { onFailure: (wanted) => wanted, onSuccess: () => "" }),
  read: (text) => (Result.isSuccess(readDatabaseUrl(text)) ? Redacted.make(text.trim()) : undefined),
  show: (value) => withoutPasswords(Redacted.value(value)),
  isSecret: true
}

/** Addresses, ranges (CIDR) and host names, separated by commas. */
export const hosts: Kind<ReadonlyArray<string>> = {
  wanted: "addresses, ranges and host names, separated by commas",
  read: (text) => {
    const entries = text
      .split(",")
      .map((entry) => entry.trim())
      .filter((entry) => entry !== "")
    return entries.every((entry) => rangeOf(entry) !== undefined || isHostName(entry)) ? entries : undefined
  },
  show: (value) => value.join(",")
}

/** A name whose last label is not a number, so that mistyped addresses are refused. */
const isHostName = (text: string): boolean =>
  /^(?:[\w-]{1,63}\.)*(?!\d+\.?$)[\w-]{1,63}\.?$/.test(text) && text.length <= 253

/** Addresses and ranges (CIDR) of IPv4 and IPv6, separated by commas. */
export const ranges: Kind<ReadonlyArray<Range>> = {
  wanted: "addresses and ranges, separated by commas",
  read: (text) => {
    const entries = text.split(",").map((entry) => entry.trim())
    const read = entries.filter((entry) => entry !== "").map(rangeOf)
    return read.every((range) => range !== undefined) ? read : undefined
  },
  show: (value) => value.map(([first, bits]) => `${first}/${bits}`).join(",")
}
