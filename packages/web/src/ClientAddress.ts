import { Context, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import ipaddr from "ipaddr.js"

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** A range of addresses: its first address and the length of the common prefix in bits. */
export type Range = readonly [Address, number]

/** A household usually has 2^64 IPv6 addresses, so limits count by the first 64 bits. */
const householdBits = 64

/** Parses an IPv4 or IPv6 address; an IPv4-mapped IPv6 address is read as IPv4. Undefined if invalid. */
const addressOf = (text: string): Address | undefined => {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  if (!ipaddr.IPv6.isValid(text)) return undefined
  const address = ipaddr.IPv6.parse(text)
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

/** Parses a range such as `10.0.0.0/8`, or a single address; undefined if invalid. */
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
 * The last address that is not a trusted proxy's; entries before it may be forged. The connection's own address when
 * it is not trusted, when an entry is not an address, or when all are trusted.
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

/** Used if a connection has no address, such as over a Unix socket. */
const unknown = "unknown"

interface Resolver {
  /** Address for the log. */
  readonly of: (request: HttpServerRequest.HttpServerRequest) => string
  /** Key for limits by address: the /64 prefix for IPv6. */
  readonly network: (request: HttpServerRequest.HttpServerRequest) => string
}

/** Finds the client's address behind trusted proxies. */
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

/** Without trusted proxies, headers such as `X-Forwarded-For` are ignored, since any client can forge them. */
export const ClientAddress = Context.Reference<Resolver>("@lists-and-things/web/ClientAddress", {
  defaultValue: () => behind([])
})
