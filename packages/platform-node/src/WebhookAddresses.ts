import { lookup } from "node:dns"
import ipaddr from "ipaddr.js"

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Range = readonly [first: Address, bits: number]

/** Where webhooks may go besides public addresses over https. */
export interface Allowed {
  readonly ranges: ReadonlyArray<Range>
  /** In lower case, without a dot at the end. */
  readonly names: ReadonlySet<string>
}

/** The variable by which an operator opens a network. */
export const allowVariable = "LAT_WEBHOOK_ALLOW"

/** Reads addresses, ranges (CIDR) and host names. */
export const allowedBy = (entries: ReadonlyArray<string>): Allowed => {
  const ranges: Array<Range> = []
  const names = new Set<string>()
  for (const entry of entries) {
    if (ipaddr.isValidCIDR(entry)) ranges.push(ipaddr.parseCIDR(entry))
    else if (ipaddr.isValid(entry)) {
      const address = ipaddr.process(entry)
      ranges.push([address, address.kind() === "ipv4" ? 32 : 128])
    } else names.add(nameOf(entry))
  }
  return { ranges, names }
}

/** The allocated global unicast range of IPv6 (RFC 4291); the rest is special or unallocated. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3")

/**
 * Metadata services of clouds, from which machines get their passwords. Those that are not link-local: Alibaba, Oracle,
 * Azure and AWS.
 */
const metadata = ["100.100.100.200", "192.0.0.192", "168.63.129.16", "fd00:ec2::254"].map((each) => ipaddr.parse(each))

/** How IPv6 carries an IPv4 address: the prefix, and the first of the four bytes. */
const carriers = [
  ["64:ff9b::/96", 12],
  ["64:ff9b:1::/48", 12],
  ["2002::/16", 2],
  ["::/96", 12]
] as const

/** The address that is reached in the end; an IPv4 address that is mapped into IPv6 is that address. */
const carriedBy = (address: Address): Address => {
  if (!(address instanceof ipaddr.IPv6)) return address
  for (const [prefix, from] of carriers)
    if (address.match(ipaddr.IPv6.parseCIDR(prefix)))
      return new ipaddr.IPv4(address.toByteArray().slice(from, from + 4))
  return address
}

const isIn = (address: Address, [first, bits]: Range): boolean =>
  address.kind() === first.kind() && address.match(first as never, bits)

const isSame = (a: Address, b: Address): boolean => a.kind() === b.kind() && a.toString() === b.toString()

/** Nothing but its own name opens it: link-local addresses, which may serve metadata, and other metadata services. */
const opensByItselfOnly = (address: Address): boolean => {
  const carried = carriedBy(address)
  return (
    [address, carried].some((each) => each.range() === "linkLocal") || metadata.some((each) => isSame(each, carried))
  )
}

const isPublic = (address: Address): boolean =>
  address.range() === "unicast" &&
  (!(address instanceof ipaddr.IPv6) || address.match(globalUnicast)) &&
  !opensByItselfOnly(address)

/** Whether the operator has opened an address that a URL with this host leads to. */
const isOpened = (allowed: Allowed, host: string, address: Address): boolean => {
  const exact = allowed.ranges.some(
    ([first, bits]) => bits === (first.kind() === "ipv4" ? 32 : 128) && isSame(first, address)
  )
  if (exact) return true
  if (opensByItselfOnly(address)) return false
  return allowed.names.has(host) || allowed.ranges.some((range) => isIn(address, range))
}

/** Whether a request to this URL may connect to an address. */
export const mayConnect = (allowed: Allowed, url: URL, text: string): boolean => {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  if (isOpened(allowed, nameOf(url.hostname), address)) return true
  return url.protocol === "https:" && isPublic(address)
}

const nameOf = (host: string): string => host.toLowerCase().replace(/\.$/, "")

/** The address that a URL's host is, in whatever notation it was written; undefined for a name. */
export const literalOf = ({ hostname }: URL): string | undefined => {
  const text = hostname.replace(/^\[|\]$/g, "")
  return ipaddr.isValid(text) ? text : undefined
}

/** Names that mean this machine, whatever they resolve to. */
const isLocalName = (name: string): boolean =>
  /(?:^|\.)localhost$|^localhost\.localdomain$|^ip6-(?:localhost|loopback)$/.test(name)

/** Resolves a name to all of its addresses; none where it has none. */
export type Resolve = (name: string) => Promise<ReadonlyArray<string>>

export const resolveByDns: Resolve = (name) =>
  new Promise((resolve) => {
    lookup(name, { all: true }, (error, found) => resolve(error === null ? found.map(({ address }) => address) : []))
  })

/**
 * Why a webhook may not go to this URL, worded to follow the field's name; undefined when it may. A name that does not
 * resolve may yet come to be.
 */
export const refusalOf = async (allowed: Allowed, text: string, resolve: Resolve): Promise<string | undefined> => {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return "must be an https URL such as https://ntfy.sh/my-topic"
  const literal = literalOf(url)
  const name = nameOf(url.hostname)
  const local = isLocalName(name) ? ["127.0.0.1", "::1"] : undefined
  const addresses = literal === undefined ? (local ?? (await resolve(url.hostname))) : [literal]
  if (addresses.some((address) => mayConnect(allowed, url, address))) return undefined
  const isOpen =
    addresses.length === 0 || addresses.some((each) => ipaddr.isValid(each) && isPublic(ipaddr.process(each)))
  if (!isOpen)
    return `must not lead into a private network (${addresses[0]}): whoever runs the server can allow it with ${allowVariable}`
  if (url.protocol === "http:" && !(addresses.length === 0 && allowed.names.has(name)))
    return `must be https, such as https://${url.host}: http is for the addresses and names in ${allowVariable} only`
  return undefined
}
