import { Context, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import ipaddr from "ipaddr.js"

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** A range of addresses: the first one, and how many leading bits the others share with it. */
export type Range = readonly [Address, number]

/** One household has 2^64 addresses of IPv6: their first half counts. */
const householdBits = 64

/** An address of IPv4 or IPv6; one of IPv4 that is written as IPv6 is what it means. Undefined for all else. */
const addressOf = (text: string): Address | undefined => {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  if (!ipaddr.IPv6.isValid(text)) return undefined
  const address = ipaddr.IPv6.parse(text)
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

/** A range such as `10.0.0.0/8`, or one address; undefined for all else. */
export const rangeOf = (text: string): Range | undefined => {
  const [first = "", bits, ...others] = text.split("/")
  const address = addressOf(first)
  if (address === undefined || first.includes("%") || others.length > 0) return undefined
  const all = address.kind() === "ipv4" ? 32 : 128
  // `::ffff:10.0.0.0/104` is `10.0.0.0/8`.
  const mapped = all === 32 && first.includes(":") ? 96 : 0
  if (bits === undefined) return [address, all]
  const length = /^\d{1,3}$/.test(bits) ? Number(bits) - mapped : -1
  return length >= 0 && length <= all ? [address, length] : undefined
}

const isIn = (address: Address, ranges: ReadonlyArray<Range>): boolean =>
  ranges.some(([first, bits]) => address.kind() === first.kind() && address.match(first, bits))

/** An entry of `X-Forwarded-For`; some proxies add the port. */
const entryOf = (text: string): Address | undefined => {
  const trimmed = text.trim()
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed
  return addressOf(bare)
}

/**
 * The last address that is no trusted proxy's, read from the end, since whatever comes before it may be forged. The
 * connection's own address where it is not trusted, or where an entry is no address or all are trusted.
 */
const clientOf = (peer: Address, forwarded: string | undefined, trusted: ReadonlyArray<Range>): Address => {
  if (forwarded === undefined || !isIn(peer, trusted)) return peer
  for (const entry of forwarded.split(",").toReversed()) {
    const address = entryOf(entry)
    if (address === undefined) return peer
    if (!isIn(address, trusted)) return address
  }
  return peer
}

const networkOf = (address: Address): string =>
  address instanceof ipaddr.IPv4
    ? address.toString()
    : `${address.parts
        .slice(0, householdBits / 16)
        .map((part) => part.toString(16))
        .join(":")}::/${householdBits}`

/** What a request whose connection has no address comes from, such as one over a Unix socket. */
const unknown = "unknown"

interface Resolver {
  /** For the log. */
  readonly of: (request: HttpServerRequest.HttpServerRequest) => string
  /** For limits on what a stranger may try: of IPv6 the /64. */
  readonly network: (request: HttpServerRequest.HttpServerRequest) => string
}

/** Where requests come from, behind proxies whose word on it is taken. */
export const behind = (trusted: ReadonlyArray<Range>): Resolver => {
  const find = (request: HttpServerRequest.HttpServerRequest): Address | undefined => {
    const peer = addressOf(Option.getOrElse(request.remoteAddress, () => ""))
    return peer && clientOf(peer, request.headers["x-forwarded-for"], trusted)
  }
  return {
    of: (request) =>
      (trusted.length > 0 ? find(request)?.toString() : Option.getOrUndefined(request.remoteAddress)) ?? unknown,
    network: (request) => {
      const address = find(request)
      return address === undefined ? unknown : networkOf(address)
    }
  }
}

/** Without trusted proxies headers such as `X-Forwarded-For` are not read: anybody can forge them. */
export const ClientAddress = Context.Reference<Resolver>("@lists-and-things/http/ClientAddress", {
  defaultValue: () => behind([])
})
